"""What holds for every row of the table of markers, and for every reply of the tables."""

from __future__ import annotations

import re
import time

import pytest

from tests.support.described_tools import SEVEN_TOOLS
from tests.support.gbnf import Grammar
from tests.support.reader_events import read_in_pieces
from tests.support.reply_cases import calls_of, malformed_of
from text_agent.protocol.grammar.grammar import reply_grammar
from text_agent.protocol.guard.neutralising import neutralise
from text_agent.protocol.markers import MARKERS
from text_agent.protocol.reading.forms.dialects import MARK, mark_pattern
from text_agent.protocol.reading.parser import parse_reply

GRAMMAR = Grammar(reply_grammar(SEVEN_TOOLS))
EXAMPLES = [(marker.kind, example) for marker in MARKERS for example in marker.examples]
CALL = '{"name": "list_files", "arguments": {"path": "src"}}'
# Openers that are more than a marker, and what makes a reader go far for each of them.
FURTHER = (
    '[read_file(path="a1", ',
    'tool: read_file({"path": ',
    'tool: read_file({"path": "a}) ',
    'tool: write_file({"path": "a.md"})\n```\nx\n',
    '{"name": "read_file", "arguments": {"path": "a", ',
    '{"tool_calls": [',
    "Action: read_file\nAction Input: x\n",
    "<read_file><path>",
    "```a\n",
    "```\n",
    "- ```\n  tool: list_files({})\n",
    "You can\n\n```\ntool: list_files({})\n```\n",
    "tool: list_files({})\nResult:\n",
    "<details>\n",
)


@pytest.mark.parametrize(("kind", "example"), EXAMPLES)
def test_no_marker_is_accepted_as_prose(kind: str, example: str) -> None:
    assert not GRAMMAR.accepts(example)
    assert not GRAMMAR.accepts(f"Some words.\n{example}")


@pytest.mark.parametrize(("kind", "example"), [each for each in EXAMPLES if each[0] != "thinking"])
def test_results_hold_no_marker_that_counts(kind: str, example: str) -> None:
    for behind in ("", CALL, 'read_file({"path": "a"})'):
        harmless = neutralise(f"first\n{example}{behind}\nlast", SEVEN_TOOLS)
        reply = parse_reply(harmless, SEVEN_TOOLS)
        assert (reply.calls, reply.invented_at) == ([], None), harmless


@pytest.mark.parametrize(("kind", "example"), EXAMPLES)
def test_results_hold_no_token_as_it_is(kind: str, example: str) -> None:
    for token in re.findall(r"^(?:<[^<>\s]+>|\[\w+\]|[^\w\s<\[*#`(]\w+\W|functools\W|to=[a-z]+\W)", example):
        assert token not in neutralise(f"first {example} last", SEVEN_TOOLS)


@pytest.mark.parametrize("example", [one for row in MARKERS for one in row.examples if not row.at_start])
def test_every_marker_is_looked_for_in_the_middle_of_a_line(example: str) -> None:
    found = MARK.search(f"words {example}")
    assert found is not None
    assert found.start() == 6
    assert mark_pattern(example).match(example)


@pytest.mark.parametrize("example", [example for kind, example in EXAMPLES if kind == "container"])
def test_a_container_is_read_with_a_call_and_an_attempt_without_one(example: str) -> None:
    opener = example.removesuffix("[").removesuffix('{"')
    call = f"[{CALL}]" if example.endswith("[") else CALL
    assert calls_of(parse_reply(opener + call, SEVEN_TOOLS)) == [("list_files", {"path": "src"})]
    assert len(malformed_of(parse_reply(opener + '[{"broken": ', SEVEN_TOOLS))) == 1


@pytest.mark.parametrize(
    "example", [example for kind, example in EXAMPLES if kind in ("thinking", "channel")]
)
def test_in_thinking_nothing_runs(example: str) -> None:
    assert parse_reply(f"{example}\ntool: list_files({{}})\n{CALL}\n", SEVEN_TOOLS).calls == []


@pytest.mark.parametrize("example", [example for kind, example in EXAMPLES if kind in ("result", "turn")])
def test_behind_an_invented_result_nothing_runs(example: str) -> None:
    reply = parse_reply(f"Words.\n{example}\ntool: list_files({{}})\n", SEVEN_TOOLS)
    assert (reply.calls, reply.invented_at) == ([], 7)


@pytest.mark.parametrize("size", [1, 3, 17])
def test_a_stream_means_the_same_for_every_marker(size: int) -> None:
    for reply in (f"{example}{CALL}\nx" for _, example in EXAMPLES):
        reader, _ = read_in_pieces(reply, range(0, len(reply), size))
        streamed, whole = reader.reply(), parse_reply(reply, SEVEN_TOOLS)
        assert (streamed.calls, streamed.invented_at) == (whole.calls, whole.invented_at), reply


@pytest.mark.parametrize(
    "unit",
    [
        *FURTHER,
        *(example + behind for _, example in EXAMPLES for behind in ("", CALL[:-2] + ", ")),
    ],
)
def test_the_time_grows_with_the_length(unit: str) -> None:
    """Twice the text takes about twice the time; a quadratic reader takes four times."""
    short, long = (unit * (length // len(unit)) for length in (6_000, 24_000))
    assert any(_seconds(long) < 0.2 or _seconds(long) < 10 * _seconds(short) for _ in range(2))


def _seconds(text: str) -> float:
    start = time.process_time()
    parse_reply(text, SEVEN_TOOLS)
    return time.process_time() - start
