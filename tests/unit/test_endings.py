from __future__ import annotations

import pytest

from text_agent.messages import Reply, StopReason
from text_agent.protocol import parse_reply
from text_agent.protocol.endings import STOP, is_stopped_short

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
