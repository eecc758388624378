"""Every row of the table of edits: what a reply makes of the files, through parser, policy and tools."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.edit_cases import EditCase, load_edit_cases, play
from text_agent.files.workspace import Workspace
from text_agent.protocol.reading.parser import parse_reply
from text_agent.protocol.reading.streaming import ReplyReader
from text_agent.tools.registry import default_tools

CASES = load_edit_cases()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_an_edit_is_made_refused_or_shown(case: EditCase, tmp_path: Path) -> None:
    left, results = play(tmp_path, case.files, case.reply)
    meant = {path: text for path, text in {**case.files, **case.after}.items() if text is not None}
    said = "\n".join(result.text for result in results)
    assert left == meant, said
    assert bool(results) is not case.shown
    assert case.refused in said
    assert all(result.status == "ok" for result in results) is not bool(case.refused)


@pytest.mark.untraced
@pytest.mark.parametrize("size", [1, 3, 17])
def test_in_pieces_they_mean_the_same(size: int, tmp_path: Path) -> None:
    tools = default_tools(Workspace(tmp_path))
    for case in CASES:
        reader = ReplyReader(tools)
        for start in range(0, len(case.reply), size):
            reader.feed(case.reply[start : start + size])
            if reader.ended:
                break
        assert reader.reply().calls == parse_reply(case.reply, tools).calls, case.id


def test_in_crlf_they_mean_the_same(tmp_path: Path) -> None:
    tools = default_tools(Workspace(tmp_path))
    for case in CASES:
        reply = case.reply.replace("\n", "\r\n")
        assert parse_reply(reply, tools).calls == parse_reply(case.reply, tools).calls, case.id


def test_no_row_is_silent(tmp_path: Path) -> None:
    """A reply that is nothing but an edit is a call, an attempt, or shown for a reason that a row names."""
    tools = default_tools(Workspace(tmp_path))
    silent = [case.id for case in CASES if not parse_reply(case.reply, tools).calls and not case.shown]
    assert silent == []
