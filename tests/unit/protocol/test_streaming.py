from __future__ import annotations

import time

import pytest

from tests.support.described_tools import SEVEN_TOOLS
from tests.support.reader_events import items_of, read_in_pieces
from text_agent.protocol.reading.parser import parse_reply
from text_agent.protocol.reading.streaming import ReplyReader


def stopped_after(text: str, size: int = 1) -> int | None:
    """How many characters were fed when the reader said that nothing further can count."""
    reader = ReplyReader(SEVEN_TOOLS)
    for start in range(0, len(text), size):
        reader.feed(text[start : start + size])
        if reader.ended:
            return start + size
    return None


READ = 'tool: read_file({"path": "a"})\n'


@pytest.mark.parametrize(
    ("before", "mark"),
    [
        (READ, "tool_result(r"),
        (READ + "\n\n", "tool_result(r"),
        (READ, "Observation: "),
        (READ, "<|im_start|>user\n"),
        (READ, "```python\nx"),
        ("", "tool_result(x"),
        ("<think>\ntool_result(x)\n</think>\n" + READ, "tool_result(r"),
    ],
)
def test_the_reader_stops_as_soon_as_an_invented_result_begins(before: str, mark: str) -> None:
    assert stopped_after(before + mark + "ead_file #1 ok):\nmore\n" * 20) == len(before + mark)


@pytest.mark.parametrize(
    "text",
    [
        READ + "I say tool_result(x) in a sentence.\n",
        "Observation: nothing was called yet.\n" + READ,
        'tool: write_file({"path": "a", "content": "\ntool_result(x): y\n"})\n',
        'tool: write_file({"path": "a"})\n```\ntool_result(x): y\nObservation: z\n```\n',
        "```\ntool_result(x): y\nwords\n```\n" + READ,
        "<think>\ntool_result(x): y\n",
        "<|im_start",
        READ.replace("\n", "\r\n") + "tool_result(x): y\r\n",
    ],
)
@pytest.mark.parametrize("size", [1, 7])
def test_the_reader_goes_on_where_something_may_still_count(text: str, size: int) -> None:
    assert stopped_after(text, size) is None


@pytest.mark.parametrize(
    "text",
    [
        'tool: read_file\n{"path": "a"}',
        '- Option A:\n\n  ```\n  tool: run_command({"command": "ls"})\n  ```\n',
        'I write `<tool_call>{"name": "list_files"}` in a line.\n',
        '<tool_call>{"name": "read_file", "arguments": {"path": }}</tool_call>\n<tool_call>{',
    ],
)
def test_what_seemed_to_be_said_in_the_middle_of_a_reply_does_not_stay(text: str) -> None:
    reader, events = read_in_pieces(text, range(len(text)))
    whole = parse_reply(text, SEVEN_TOOLS)
    assert items_of(events + reader.finish()) == (whole.calls, whole.quotations)


def test_what_is_fed_after_the_end_is_discarded() -> None:
    reader = ReplyReader(SEVEN_TOOLS)
    reader.feed(READ + "tool_result(x): y\n")
    assert reader.ended
    assert reader.feed('tool: list_files({"path": "b"})\n') == []
    assert [call.name for call in reader.reply().calls] == ["read_file"]


def test_marks_that_mean_nothing_do_not_make_the_reader_slow() -> None:
    text = 'tool: write_file({"path": "a"})\n```\n' + "tool_result(x): y\n" * 8000
    start = time.perf_counter()
    assert stopped_after(text, 20) is None
    assert time.perf_counter() - start < 10
