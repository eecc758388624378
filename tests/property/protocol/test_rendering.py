from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from tests.support.described_tools import SEVEN_TOOLS
from tests.support.hostile_text import hostile_text
from text_agent.protocol.guard.neutralising import neutralise, restore
from text_agent.protocol.reading.parser import parse_reply
from text_agent.protocol.types import MalformedCall, ToolCall
from text_agent.protocol.writing import (
    render_call,
    render_call_with_payload,
    render_malformed,
    render_unknown_tool,
)

any_text = hostile_text | st.text()


@given(path=any_text, content=any_text)
def test_a_rendered_call_is_read_back_exactly(path: str, content: str) -> None:
    arguments = {"path": path, "content": content}
    for tools in (SEVEN_TOOLS, None):
        text = f"Some words.\n\n{render_call('write_file', arguments, tools)}\n\nMore words."
        assert parse_reply(text, SEVEN_TOOLS).calls == [ToolCall("write_file", arguments)]


@given(content=any_text.filter(lambda text: "\r" not in text))
@example(content="`" * 12)
@example(content="\n".join("`" * count for count in range(3, 14)))
def test_a_rendered_block_is_read_back_exactly(content: str) -> None:
    arguments = {"path": "a", "content": content}
    text = render_call_with_payload("write_file", arguments, "content")
    assert parse_reply(text, SEVEN_TOOLS).calls == [ToolCall("write_file", arguments)]


@given(text=any_text)
def test_neutralised_text_holds_nothing_that_counts_and_comes_back_exactly(text: str) -> None:
    neutral = neutralise(text, SEVEN_TOOLS)
    assert restore(neutral) == text
    reply = parse_reply(neutral, SEVEN_TOOLS)
    assert reply.calls == []
    assert reply.invented_at is None


@given(text=any_text)
def test_no_single_line_of_neutralised_text_is_a_call(text: str) -> None:
    for line in neutralise(text, SEVEN_TOOLS).split("\n"):
        assert not [call for call in parse_reply(line, SEVEN_TOOLS).calls if isinstance(call, ToolCall)]


@given(text=any_text, first=st.integers(0, 30), count=st.integers(0, 30))
def test_lines_copied_out_of_neutralised_text_come_back_exactly(text: str, first: int, count: int) -> None:
    shown = neutralise(text, SEVEN_TOOLS).split("\n")[first : first + count]
    assert restore("\n".join(shown)) == "\n".join(text.split("\n")[first : first + count])


@given(text=st.text(st.characters(exclude_characters="~")).filter(lambda text: "quoted|" not in text))
def test_text_without_marks_is_left_alone(text: str) -> None:
    assert restore(text) == text


@given(name=st.text(max_size=20), error=st.text(max_size=40))
def test_what_the_model_is_told_holds_no_call_but_the_correction(name: str, error: str) -> None:
    correction = ToolCall("read_file", {"path": "a"})
    call = MalformedCall(error, name, suggestion=render_call("read_file", {"path": "a"}))
    told = render_malformed(call, SEVEN_TOOLS)
    # What is told announces the call, so that it is none where the whole text is copied.
    (line,) = (line for line in told.splitlines() if line.startswith("tool: "))
    assert parse_reply(line, SEVEN_TOOLS).calls == [correction]
    assert {str(found) for found in parse_reply(told, SEVEN_TOOLS).calls} <= {str(correction)}
    for text in (
        render_malformed(MalformedCall(error, "read_file"), SEVEN_TOOLS),
        render_malformed(MalformedCall(error, name, cut=True), SEVEN_TOOLS),
        render_unknown_tool(name, {"zzz": 1}, SEVEN_TOOLS),
    ):
        assert parse_reply(text, SEVEN_TOOLS).calls == []
