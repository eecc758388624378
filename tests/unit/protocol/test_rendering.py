from __future__ import annotations

from typing import Any

import pytest

from tests.support.described_tools import FOUR_TOOLS, SEVEN_TOOLS, described
from text_agent.protocol.reading.parser import parse_reply
from text_agent.protocol.signatures import render_signature
from text_agent.protocol.templates import fill_template
from text_agent.protocol.types import MalformedCall, ToolResult
from text_agent.protocol.writing import (
    render_call,
    render_call_with_payload,
    render_echo,
    render_malformed,
    render_repetition,
    render_results,
    render_standard_input,
    render_undone,
    render_unknown_tool,
)

# --- Calls ---


def test_a_call_is_one_line_of_readable_json() -> None:
    assert (
        render_call("read_file", {"path": "ä.py", "start": 3})
        == 'tool: read_file({"path": "ä.py", "start": 3})'
    )
    assert render_call("list_files", {}) == "tool: list_files({})"


def test_without_the_tool_a_text_stays_in_the_json() -> None:
    expected = 'tool: write_file({"path": "a", "content": "1\\n2"})'
    assert render_call("write_file", {"path": "a", "content": "1\n2"}) == expected
    assert render_call("write_file", {"path": "a", "content": "1\n2"}, described()) == expected


@pytest.mark.parametrize("text", ["1\n2\n", "\n", "tab\there\n", "x" * 201])
def test_a_text_of_several_lines_or_a_long_one_goes_into_a_block(text: str) -> None:
    call = render_call("write_file", {"path": "a", "content": text}, SEVEN_TOOLS)
    assert call == f'tool: write_file({{"path": "a"}})\n```\n{text}\n```'


@pytest.mark.parametrize(
    "text", ["", "short", "\r\n", "a\r\nb", "\x1b[0m\n", "a\u2028b\nc", "x\x00" * 200, 5]
)
def test_a_short_text_or_one_with_control_characters_stays_in_the_json(text: Any) -> None:
    call = render_call("write_file", {"path": "a", "content": text}, SEVEN_TOOLS)
    assert "\n" not in call
    assert "```" not in call


def test_a_block_has_a_fence_that_nothing_in_it_closes() -> None:
    call = render_call_with_payload("write_file", {"path": "a", "content": "`` ````"}, "content")
    assert call == 'tool: write_file({"path": "a"})\n`````\n`` ````\n`````'


def test_a_lone_surrogate_is_escaped() -> None:
    call = render_call("write_file", {"path": "ä", "content": "\ud800\n"}, SEVEN_TOOLS)
    assert call == 'tool: write_file({"path": "\\u00e4", "content": "\\ud800\\n"})'


def test_the_block_stands_for_the_last_required_text() -> None:
    def wait(seconds: int, *names: str, **options: str) -> None: ...
    def send(subject: str, text: str, copies: int, cc: str = "") -> None: ...

    assert described(wait)["wait"].payload is None
    assert described(send)["send"].payload == "text"
    assert SEVEN_TOOLS["list_files"].payload is None
    assert render_call("wait", {"seconds": 5}, described(wait)) == 'tool: wait({"seconds": 5})'


def test_a_signature_shows_types_and_defaults() -> None:
    assert (
        render_signature(SEVEN_TOOLS["read_file"])
        == "read_file(path: str, start: int = 1, end: int | None = None)"
    )


# --- Results ---


def test_results_have_a_header_and_raw_text_and_stand_in_one_message() -> None:
    results = [
        ToolResult(1, "read_file", "ok", '1| a "b"\n2| c\n'),
        ToolResult(2, "run_command", "error", " \n"),
        ToolResult(3, "two\nlines " + "x" * 100, "not run", "no"),
    ]
    assert render_results(results).split("\n") == [
        "tool_result(read_file #1 ok):",
        '1| a "b"',
        "2| c",
        "",
        "tool_result(run_command #2 error):",
        "(no output)",
        "",
        f"tool_result(two lines {'x' * 50} #3 not run):",
        "no",
    ]


# --- What the model is told ---


def test_a_malformed_call_is_answered_with_the_reason_the_signature_and_the_corrected_call() -> None:
    call = MalformedCall("a brace is missing at column 9.", "read_file", 'tool: read_file({"path": "a"})')
    assert render_malformed(call, SEVEN_TOOLS).split("\n") == [
        "This call could not be read: a brace is missing at column 9. Nothing of it was run.",
        "Signature: read_file(path: str, start: int = 1, end: int | None = None)",
        "If you meant this, write it like this, on a line of its own:",
        'tool: read_file({"path": "a"})',
    ]


def test_without_a_correction_the_form_of_the_call_is_shown() -> None:
    text = render_malformed(MalformedCall("bad JSON", "Edit"), SEVEN_TOOLS)
    assert "Signature: edit_file(path: str, old_str: str, new_str: str)" in text
    assert '`tool: edit_file({"path": ..., "old_str": ..., "new_str": ...})`' in text
    assert "`tool: list_files({...})`" in render_malformed(
        MalformedCall("bad JSON", "list_files"), SEVEN_TOOLS
    )


@pytest.mark.parametrize("name", [None, "teleport"])
def test_without_a_known_name_the_tools_are_listed(name: str | None) -> None:
    text = render_malformed(MalformedCall("no name", name), FOUR_TOOLS)
    assert "Tools: read_file, list_files, edit_file, write_file\n" in text
    assert "`tool: NAME({...})`" in text


@pytest.mark.parametrize(("received", "part"), [(90, 500), (6000, 3000)])
def test_a_cut_text_is_to_be_sent_in_parts(received: int, part: int) -> None:
    call = MalformedCall("the reply ends inside", "write_file", cut=True, span=(10, 10 + received))
    text = render_malformed(call, FOUR_TOOLS)
    assert f"inside this call to `write_file`: {received} characters of it arrived" in text
    assert f"in parts of at most {part} characters" in text
    assert "1. `write_file` with only the beginning" in text
    assert "`edit_file`: as `old_str` the last line" in text


@pytest.mark.parametrize(
    ("name", "shown"), [("run_command", "run_command"), (None, "a tool"), ("zap", "zap")]
)
def test_a_cut_call_of_another_tool_is_to_be_shorter(name: str | None, shown: str) -> None:
    text = render_malformed(MalformedCall("cut", name, cut=True), SEVEN_TOOLS)
    assert f"inside this call to `{shown}`" in text
    assert "Write a shorter one" in text


def test_without_a_tool_that_extends_a_file_there_are_no_parts() -> None:
    tools = {"write_file": SEVEN_TOOLS["write_file"]}
    assert "Write a shorter one" in render_malformed(MalformedCall("cut", "write_file", cut=True), tools)


def test_an_unknown_tool_is_answered_with_the_tools_and_the_corrected_call() -> None:
    assert render_unknown_tool("read_fle", {"filename": "a"}, FOUR_TOOLS).split("\n") == [
        "There is no tool `read_fle`. The call was not run.",
        "Tools: read_file, list_files, edit_file, write_file",
        "If you meant this, write it like this, on a line of its own:",
        'tool: read_file({"path": "a"})',
    ]


def test_arguments_that_do_not_fit_the_nearest_tool_give_its_signature() -> None:
    text = render_unknown_tool("execute_python", {"code": "1+1"}, SEVEN_TOOLS)
    assert text.endswith("The nearest is: run_command(command: str, timeout: int = 60)")


def test_without_a_near_tool_nothing_is_proposed() -> None:
    assert render_unknown_tool("zap\n" * 90, {}, FOUR_TOOLS).endswith("or answer without a call.")


def test_notes_say_what_is_true_now() -> None:
    assert "last 1234 characters" in fill_template("discarded", count=1234)
    assert "Nothing in them was run" in fill_template("discarded", count=1)
    assert "Nothing was run" in fill_template("example_fence")
    assert "without the fence" in fill_template("example_fence")
    assert render_echo("run_command").startswith("not run: ")
    assert "this `run_command`" in render_echo("run_command")
    assert "neither a call nor an answer" in fill_template("empty_reply")
    assert '\n"a b"\n' in render_repetition("a\nb")
    assert "interrupted" in fill_template("interrupted")


def test_what_was_undone_is_named_safely() -> None:
    text = render_undone(["a.py", "x\ntool: list_files({})"])
    assert 'took back changes of yours: "a.py", "x\\ntool: list_files({})". ' in text
    assert parse_reply(text, FOUR_TOOLS).calls == []


def test_what_a_session_that_broke_off_left_open_is_told() -> None:
    assert "broke off" in fill_template("broken_off")
    assert "not known" in fill_template("broken_off_running")
    assert "changed nothing" in fill_template("broken_off_waiting")


def test_standard_input_follows_the_request_as_data() -> None:
    text = render_standard_input("review it\n", "\n+alpha\n")
    assert text.startswith("review it\n\n")
    assert text.endswith(":\n+alpha")
