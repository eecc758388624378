"""Any edits of any file mean the same in every notation, and one that a text holds is always known again."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.described_tools import SEVEN_TOOLS
from tests.support.edit_cases import play
from text_agent.protocol.guard.echo import EchoGuard
from text_agent.protocol.reading.parser import parse_reply
from text_agent.protocol.types import ToolCall

LINES = st.text("ab {}#=", max_size=6).map(lambda line: line.rstrip() + ";")
# The lines of a file, all different, with the numbers of those that are replaced, and by what.
FILES = st.lists(LINES, min_size=3, max_size=9, unique=True)
NEW = st.lists(LINES.map(lambda line: f"new {line}"), max_size=3, unique=True)
Change = tuple[list[str], list[str]]


def patch(changes: Sequence[Change]) -> str:
    hunks = ["@@\n" + "".join([*(f"-{o}\n" for o in old), *(f"+{n}\n" for n in new)]) for old, new in changes]
    return f"*** Begin Patch\n*** Update File: x.txt\n{''.join(hunks)}*** End Patch"


def blocks(changes: Sequence[Change]) -> str:
    def text(lines: Sequence[str]) -> str:
        return "".join(f"{line}\n" for line in lines)

    return "x.txt\n" + "\n".join(
        f"<<<<<<< SEARCH\n{text(old)}=======\n{text(new)}>>>>>>> REPLACE" for old, new in changes
    )


def fenced_blocks(changes: Sequence[Change]) -> str:
    return "\n".join(f"x.txt\n```\n{blocks([change]).partition(chr(10))[2]}\n```" for change in changes)


NOTATIONS: list[Callable[[Sequence[Change]], str]] = [patch, blocks, fenced_blocks]


@st.composite
def edits(draw: st.DrawFn) -> tuple[list[str], list[Change], list[str]]:
    """A file's lines, changes of it, and its lines afterwards."""
    lines = draw(FILES)
    picked = sorted(draw(st.sets(st.integers(0, len(lines) - 1), min_size=1, max_size=3)))
    changes: list[Change] = [([lines[number]], draw(NEW)) for number in picked]
    after = list(lines)
    for number, (_, new) in reversed(list(zip(picked, changes, strict=True))):
        after[number : number + 1] = new
    return lines, changes, after


def written(lines: Sequence[str], reply: str) -> str:
    with TemporaryDirectory() as folder:
        left, results = play(Path(folder), {"x.txt": "".join(f"{line}\n" for line in lines)}, reply)
    assert [result.status for result in results] == ["ok"], results
    return left["x.txt"]


@settings(max_examples=40, deadline=None)
@given(edits(), st.sampled_from(NOTATIONS))
def test_every_notation_makes_the_same_of_a_file(
    case: tuple[list[str], list[Change], list[str]], notation: Callable[[Sequence[Change]], str]
) -> None:
    lines, changes, after = case
    assert written(lines, notation(changes)) == "".join(f"{line}\n" for line in after)


@settings(max_examples=40, deadline=None)
@given(edits(), st.integers(0, 3), st.booleans())
def test_a_diff_gives_the_file_that_it_was_made_of(
    case: tuple[list[str], list[Change], list[str]], context: int, fenced: bool
) -> None:
    lines, _, after = case
    diff = "\n".join(difflib.unified_diff(lines, after, "a/x.txt", "b/x.txt", n=context, lineterm=""))
    removes = all(new or context for _, new in case[1])  # a line that only goes needs no context
    if removes:
        reply = f"```diff\n{diff}\n```" if fenced else f"{diff}\n"
        assert written(lines, reply) == "".join(f"{line}\n" for line in after)


@settings(max_examples=60, deadline=None)
@given(
    edits(), st.sampled_from(NOTATIONS), st.sampled_from(NOTATIONS), st.sampled_from(["", "> ", "  ", "# "])
)
def test_an_edit_that_a_text_holds_is_known_again_in_every_notation(
    case: tuple[list[str], list[Change], list[str]],
    held: Callable[[Sequence[Change]], str],
    notation: Callable[[Sequence[Change]], str],
    margin: str,
) -> None:
    changes = case[1]
    guard = EchoGuard(SEVEN_TOOLS)
    guard.adopt("".join(f"{margin}{line}\n" for line in f"Notes\n\n{held(changes)}".split("\n")))
    reply = notation(changes)
    calls = parse_reply(reply, SEVEN_TOOLS).calls
    assert calls
    assert all(isinstance(call, ToolCall) and guard.is_echo(call, reply) for call in calls)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "*** Begin Patch",
                "*** Update File: a",
                "@@",
                "@@ x",
                "-a",
                "+b",
                " c",
                "```",
                "*** End Patch",
                "<<<<<<< SEARCH",
                "=======",
                ">>>>>>> REPLACE",
                "--- a/a",
                "+++ b/a",
                "a.py",
                "",
                "words",
                "*** Delete File: b",
                "diff --git a/a b/a",
                "tool: list_files({})",
            ]
        ),
        max_size=14,
    ),
    st.sampled_from([1, 3, 17]),
)
def test_any_lines_of_notations_mean_the_same_in_pieces_and_never_fail(lines: list[str], size: int) -> None:
    from text_agent.protocol.reading.streaming import ReplyReader

    reply = "\n".join(lines)
    reader = ReplyReader(SEVEN_TOOLS)
    for start in range(0, len(reply), size):
        reader.feed(reply[start : start + size])
        if reader.ended:
            break
    assert reader.reply().calls == parse_reply(reply, SEVEN_TOOLS).calls
    harmless = EchoGuard(SEVEN_TOOLS).adopt(reply)
    assert parse_reply(harmless, SEVEN_TOOLS).calls == [], harmless
