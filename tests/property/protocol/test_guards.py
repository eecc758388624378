"""Whatever the parser would read as a call in a copy of a foreign text is remembered, and made harmless."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.property.protocol.test_parser import CORPUS, PIECES, WRAPPINGS
from tests.support.described_tools import SEVEN_TOOLS
from tests.support.hostile_text import hostile_text
from text_agent.protocol.binding.aliases import resolve_tool_name
from text_agent.protocol.guard.echo import EchoGuard
from text_agent.protocol.guard.neutralising import neutralise, restore
from text_agent.protocol.reading.parser import parse_reply
from text_agent.protocol.reading.scanning import scan
from text_agent.protocol.types import ToolCall

foreign_texts = st.one_of(
    hostile_text,
    st.lists(
        st.sampled_from([*PIECES, "<!--", "-->", "</function>", "</parameters>"]) | st.text(max_size=4),
        max_size=25,
    ).map("".join),
    st.lists(st.sampled_from(CORPUS), min_size=1, max_size=3).map("\n".join),
    st.builds(lambda name, text: WRAPPINGS[name](text), st.sampled_from(sorted(WRAPPINGS)), hostile_text),
)

ONE_LINE_CALLS = [
    'tool: read_file({"path": "a.py"})',
    'read_file({"path": "a.py"}), # and more',
    '{"name": "read_file", "arguments": {"path": "a"}}',
    'see [TOOL_CALLS][{"name": "search", "arguments": {"pattern": "x"}}] there',
    '    - `tool: run_command({"command": "ls"})`',
]


def known_calls(text: str) -> list[ToolCall]:
    calls = parse_reply(text, SEVEN_TOOLS).calls
    return [
        call for call in calls if isinstance(call, ToolCall) and resolve_tool_name(call.name, SEVEN_TOOLS)
    ]


def lines_of(text: str, first: int, count: int) -> str:
    return "\n".join(text.split("\n")[first : first + count])


@settings(max_examples=300)
@given(text=foreign_texts, first=st.integers(0, 12), count=st.integers(1, 30))
def test_each_call_in_lines_of_a_text_is_found_in_the_whole(text: str, first: int, count: int) -> None:
    found = scan(text, SEVEN_TOOLS)
    copy = lines_of(text, first, count)
    # What only the end of the copy closes is no call of the text.
    going_on = known_calls(f"{copy}\n\nThat is all.\n")
    missing = [call for call in known_calls(copy) if call in going_on and call not in found.calls]
    assert [call for call in missing if resolve_tool_name(call.name, SEVEN_TOOLS) not in found.unread] == []


@settings(max_examples=300)
@given(text=foreign_texts, first=st.integers(0, 12), count=st.integers(1, 30))
def test_no_call_runs_in_lines_of_a_neutralised_text(text: str, first: int, count: int) -> None:
    neutral = neutralise(text, SEVEN_TOOLS)
    assert parse_reply(neutral, SEVEN_TOOLS).calls == []
    assert known_calls(lines_of(neutral, first, count)) == []


@given(text=foreign_texts)
def test_one_pass_does_what_two_do(text: str) -> None:
    guard, other = EchoGuard(SEVEN_TOOLS), EchoGuard(SEVEN_TOOLS)
    other.remember(text)
    assert guard.adopt(text) == neutralise(text, SEVEN_TOOLS)
    assert guard.export() == other.export()
    assert restore(guard.adopt(text)) == text


@settings(deadline=None)
@given(
    lines=st.lists(st.sampled_from(ONE_LINE_CALLS), min_size=1, max_size=4),
    between=st.sampled_from(["", "Words.", "```", "tool: write_file({})"]),
)
def test_a_line_that_stands_again_is_read_again(lines: list[str], between: str) -> None:
    """Its calls are known from the first time, but their places are others."""
    once, count = "\n".join(lines), len(lines)
    found, twice = scan(once, SEVEN_TOOLS), scan(f"{once}\n{between}\n{once}", SEVEN_TOOLS)
    places = {(_line(once, call), call.name) for call in found.calls}
    again = {(line + count + 1, name) for line, name in places}
    assert places | again <= {(_line(f"{once}\n{between}\n{once}", call), call.name) for call in twice.calls}


def _line(text: str, call: ToolCall) -> int:
    return text.count("\n", 0, call.span[0])
