"""Edits of other programs where no tool takes them, and in forms that no table has."""

from __future__ import annotations

import pytest

from tests.support.described_tools import SEVEN_TOOLS, described, list_files
from tests.support.reply_cases import calls_of, malformed_of
from text_agent.protocol.guard.echo import EchoGuard
from text_agent.protocol.reading.parser import parse_reply

PATCH = "*** Begin Patch\n*** Update File: x.txt\n@@\n-two\n+2\n*** End Patch"
EDIT = ("edit_file", {"path": "x.txt", "old_str": "two\n", "new_str": "2\n", "whole_lines": True})


def test_without_a_tool_that_takes_edits_they_are_text() -> None:
    tools = described(list_files)
    for reply in (PATCH, f"```\n{PATCH}\n```", f"```\n{PATCH}"):
        assert parse_reply(reply, tools).calls == []
    assert EchoGuard(tools).adopt(PATCH) == PATCH


def test_a_caller_may_take_them_for_text() -> None:
    assert calls_of(parse_reply(PATCH, SEVEN_TOOLS)) == [EDIT]
    told = parse_reply(PATCH, SEVEN_TOOLS, notations=False)
    assert (told.calls, told.prose) == ([], PATCH)
    call = 'tool: apply_patch({"input": "*** Begin Patch"})'
    assert calls_of(parse_reply(call, SEVEN_TOOLS, notations=False))[0][0] == "apply_patch"


def test_of_two_broken_edits_of_a_file_the_first_is_told() -> None:
    broken = "x.txt\n<<<<<<< SEARCH\ntwo\n>>>>>>> REPLACE"
    reply = parse_reply(f"{broken}\n\n{broken}\n", SEVEN_TOOLS)
    assert len(malformed_of(reply)) == 1
    assert malformed_of(reply)[0].name == "edit_file"


def test_a_new_file_may_end_with_empty_lines_in_the_patch() -> None:
    patch = "*** Begin Patch\n*** Add File: n.txt\n+new\n\n*** End Patch"
    assert calls_of(parse_reply(patch, SEVEN_TOOLS)) == [
        ("write_file", {"path": "n.txt", "content": "new\n"})
    ]


@pytest.mark.parametrize("closing", ["```", ""])
def test_a_diff_against_what_was_kept_of_a_file_edits_the_file(closing: str) -> None:
    diff = "--- x.txt.orig\n+++ x.txt\n@@ -2 +2 @@\n-two\n+2\n"
    assert calls_of(parse_reply(f"```diff\n{diff}{closing}", SEVEN_TOOLS)) == [EDIT]


def test_a_diff_from_nothing_is_a_new_file_by_the_name_that_it_has() -> None:
    diff = "--- /dev/null\n+++ src/n.txt\n@@ -0,0 +1 @@\n+new\n"
    assert calls_of(parse_reply(f"```diff\n{diff}```", SEVEN_TOOLS)) == [
        ("write_file", {"path": "src/n.txt", "content": "new\n"})
    ]


def test_a_long_line_names_no_file() -> None:
    block = "<<<<<<< SEARCH\ntwo\n=======\n2\n>>>>>>> REPLACE"
    reply = parse_reply(f"{'word ' * 80}x.txt\n{block}", SEVEN_TOOLS)
    assert "names no file" in malformed_of(reply)[0].error


@pytest.mark.parametrize("between", ["tool: list_files({})", "tool: read_file({})"])
def test_edits_on_both_sides_of_another_call_stay_two(between: str) -> None:
    reply = parse_reply(f"{PATCH}\n{between}\n{PATCH.replace('two', 'three')}", SEVEN_TOOLS)
    assert [name for name, _ in calls_of(reply)] == ["edit_file", between[6:].partition("(")[0], "edit_file"]


def test_edits_of_two_files_are_put_together_for_each() -> None:
    other = PATCH.replace("x.txt", "y.txt")
    reply = parse_reply(f"{PATCH}\n{other}\n{PATCH.replace('two', 'three')}", SEVEN_TOOLS)
    assert [arguments["path"] for _, arguments in calls_of(reply)] == ["x.txt", "y.txt"]
    assert len(calls_of(reply)[0][1]["edits"]) == 2


def test_what_the_model_has_changed_itself_is_no_copy_when_a_diff_shows_it() -> None:
    guard = EchoGuard(SEVEN_TOOLS)
    diff = "--- a/x.txt\n+++ b/x.txt\n@@ -2 +2 @@\n-two\n+2\n"
    calls = parse_reply(PATCH, SEVEN_TOOLS).calls
    assert not guard.is_echo(calls[0], PATCH)  # type: ignore[arg-type]
    guard.adopt(diff)
    assert not guard.is_echo(calls[0], PATCH)  # type: ignore[arg-type]
    guard.adopt(diff.replace("+2\n", "+3\n"))
    other = parse_reply(PATCH.replace("+2", "+3"), SEVEN_TOOLS).calls[0]
    assert guard.is_echo(other, PATCH)  # type: ignore[arg-type]
