"""Whatever the pieces in which a reply arrives, the reader comes to what the parser says of the whole."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.property.protocol.test_parser import CORPUS, hostile_replies
from tests.support.described_tools import SEVEN_TOOLS
from tests.support.reader_events import items_of, read_in_pieces, words_of, written_calls
from text_agent.protocol.markers import MARKERS
from text_agent.protocol.reading.parser import parse_reply
from text_agent.protocol.reading.reply_events import Aside, Prose, ReplyEvent, Withdrawn
from text_agent.protocol.types import ToolCall

cuts = st.lists(st.integers(0, 10**6), max_size=40) | st.integers(1, 30).map(
    lambda size: list(range(0, 4000, size))
)
replies = (
    st.sampled_from(CORPUS)
    | hostile_replies
    | st.lists(st.sampled_from(CORPUS) | hostile_replies, min_size=2, max_size=4).map("\n".join)
)
EXAMPLES = [
    example for marker in MARKERS for example in marker.examples if marker.kind in ("container", "element")
]
CALL = '{"name": "list_files", "arguments": {"path": "src"}}'


def own_words(text: str) -> str:
    return "".join(
        text[slice(*part.span)] for part in parse_reply(text, SEVEN_TOOLS).parts if part.kind == "prose"
    )


def all_events(text: str, sizes: list[int]) -> list[ReplyEvent]:
    reader, events = read_in_pieces(text, sizes)
    return events + reader.finish()


def check(text: str, sizes: list[int]) -> None:
    reader, events = read_in_pieces(text, sizes)
    events += reader.finish()
    read, whole = reader.reply(), parse_reply(text, SEVEN_TOOLS)
    assert (read.calls, read.prose, read.invented_at) == (whole.calls, whole.prose, whole.invented_at)
    assert items_of(events) == (read.calls, read.quotations)


@settings(max_examples=400, deadline=None)
@given(text=replies, sizes=cuts)
@example(text="`tool: </invoke>tool_result(tool: `", sizes=list(range(40)))
@example(text='"tool: </invoke>tool_result(tool: "', sizes=list(range(40)))
@example(text="\u201ctool: </invoke>tool_result(tool: \u201d", sizes=list(range(40)))
def test_the_end_result_is_that_of_the_whole_for_every_cut(text: str, sizes: list[int]) -> None:
    check(text, sizes)


@pytest.mark.parametrize("size", [1, 3, 17])
def test_every_reply_of_the_tables_in_pieces(size: int) -> None:
    for text in CORPUS:
        check(text, list(range(0, len(text), size)))


@settings(deadline=None)
@given(text=replies, sizes=cuts)
@example(text="```html\n</think>\n```\nOne word.", sizes=list(range(40)))
def test_no_character_of_the_words_is_lost_or_told_twice(text: str, sizes: list[int]) -> None:
    """A fence that is not closed yet may seem to hold thinking: what was told so is not told again."""
    events = all_events(text, sizes)
    told = [event for event in events if isinstance(event, Prose | Aside)]
    assert all(text[slice(*event.span)] == event.text for event in told)
    assert all(first.span[1] <= second.span[0] for first, second in pairwise(told))
    if not any(isinstance(event, Withdrawn) for event in events):
        seen = iter("".join(event.text for event in told))
        assert all(character in seen for character in "".join(own_words(text).split()))


@settings(deadline=None)
@given(
    calls=st.lists(st.text(st.sampled_from('ab {}()[]"\\\n`<>:,'), max_size=60), min_size=1, max_size=3),
    sizes=cuts,
)
def test_calls_in_the_taught_form_are_told_as_they_are_written(calls: list[str], sizes: list[int]) -> None:
    written = [f"tool: write_file({_json(content)})" for content in calls]
    text = "I write.\n\n" + "\n".join(written) + "\n\nDone.\n"
    events = all_events(text, sizes)
    assert written_calls(events) == written
    assert words_of(events).split() == ["I", "write.", "Done."]


def _json(content: str) -> str:
    import json

    return json.dumps({"path": "a", "content": content})


@pytest.mark.parametrize("opener", EXAMPLES)
@pytest.mark.parametrize("size", [1, 4])
def test_the_view_holds_back_every_opener(opener: str, size: int) -> None:
    for before in ("Some words.\n", "Some words of a line "):
        text = f"{before}{opener.removesuffix(CALL[:2])}{CALL}"
        _, events = read_in_pieces(text, range(0, len(text), size))
        assert words_of(events).split() in (before.split(), before.split()[:-1]), events


def test_a_call_is_told_before_the_reply_is_complete() -> None:
    text = 'I look.\ntool: read_file({"path": "a"})\n\nThen I'
    _, events = read_in_pieces(text, range(len(text)))
    assert items_of(events)[0] == [ToolCall("read_file", {"path": "a"})]
    assert "".join(words_of(events).split()) == "Ilook.ThenI"
