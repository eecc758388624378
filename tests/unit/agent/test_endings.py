from __future__ import annotations

import pytest

from text_agent import parse_reply
from text_agent.agent.endings import STOP, is_stopped_short, judge_repetition
from text_agent.messages import Reply, StopReason
from text_agent.protocol.types import MalformedCall, ParsedReply, Repetition, ToolCall

READ = 'tool: read_file({"path": "a"})'
WRITE = 'tool: write_file({"path": "a"})'


def judged(text: str, stop_reason: StopReason = "end_turn", *, may: bool = True) -> bool:
    return is_stopped_short(parse_reply(text), Reply(text, stop_reason, may_have_stopped=may))


@pytest.mark.parametrize(
    "text",
    [
        'tool: write_file({"path": "a", "content": "b\n',
        f"{WRITE}\n```\nIt says:",
        f"{READ}\n{WRITE}\n~~~\nIt says:",
        "An example:\n```\ntool: read_file({})",
        "Fine:\n```\na\n```\nbut:\n````\n```\n",
        "<think>\nThe result would be",
        "",
        " \n",
    ],
)
def test_something_may_be_missing(text: str) -> None:
    assert judged(text)
    assert not judged(text, may=False)
    assert not judged(text, "max_tokens")


@pytest.mark.parametrize(
    "text",
    [READ, f"{READ}\n\nand then\n```\n", "Done.", "So:\n```\na\n```\nDone.", f"{WRITE}\n```\nx\n```\n"],
)
def test_nothing_is_missing(text: str) -> None:
    assert not judged(text)


def test_an_answer_that_a_server_says_it_stopped_is_not_whole() -> None:
    assert judged("It printed:", "stop_sequence")
    assert not judged(READ, "stop_sequence")


def test_the_stop_text_begins_what_is_never_the_models_to_write() -> None:
    assert parse_reply(f"{READ}{STOP}read_file #1 ok):\n1| a").invented_at is not None


def stopped(text: str, at: int) -> ParsedReply:
    return judge_repetition(parse_reply(text), parse_reply(text[:at]), Repetition(at, "x"))


@pytest.mark.parametrize(
    "cut",
    [
        f"{WRITE}\n```\nx\n",
        f"{WRITE}\n```\nx\n```",
        'tool: write_file({"path": "a", "content": "x',
        'tool: read_file({"path": "a',
        "<read_file>\n<path>a</path>\n",
    ],
)
def test_a_call_that_the_repetition_may_belong_to_is_not_run(cut: str) -> None:
    text = f"{READ}\nWell.\n{cut}"
    read, last = stopped(f"{text}{'x and on ' * 9}", len(text)).calls
    assert read == ToolCall("read_file", {"path": "a"})
    assert isinstance(last, MalformedCall)
    assert not last.cut
    assert last.runs_away
    assert "stopped inside it" in last.error


def test_only_the_first_of_repeated_calls_and_only_the_words_before_count() -> None:
    once = f"I read it.\n{READ}\n"
    judged = stopped(once * 30, len(once))
    assert (judged.calls, judged.prose.strip()) == ([ToolCall("read_file", {"path": "a"})], "I read it.")
    assert judged.ends_at == len(once)


def test_a_call_that_was_wrong_by_itself_stays_so() -> None:
    once = 'tool: read_file({"path": })\nHm.\n'
    (call,) = stopped(once * 30, len(once)).calls
    assert isinstance(call, MalformedCall)
    assert "stopped" not in call.error


def test_what_follows_an_invented_result_is_discarded_whatever_it_repeats() -> None:
    text = f"{READ}\ntool_result(read_file #1 ok):\n1| a\n"
    judged = stopped(text + "1| a\n" * 30, len(text))
    assert judged.repetition is None
    assert judged.ends_at == judged.invented_at == text.index("tool_result")
