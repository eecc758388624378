"""Which size a conversation is kept to, where a server reads a part of it and says so by its count."""

from __future__ import annotations

from collections.abc import Callable
from itertools import takewhile
from operator import eq
from pathlib import Path

import pytest

from tests.unit.agent.test_context import make_agent, prompt_text, tokens
from text_agent.events import Notice, TurnFinished
from text_agent.messages import CompletionRequest, Reply, Usage

pytestmark = pytest.mark.untraced

TURNS = 12
SYSTEM = "Obey the rules. " * 300
LINE = "The quick brown fox jumps over the lazy dog. "
Reads = Callable[[CompletionRequest, int], int]


def the_end(request: CompletionRequest, size: int) -> int:
    return min(tokens(request), size)


def half(request: CompletionRequest, size: int) -> int:
    """What a context shift leaves."""
    return tokens(request) if tokens(request) <= size else size * 3 // 4


def last_messages(request: CompletionRequest, size: int) -> int:
    if tokens(request) <= size:
        return tokens(request)
    read = len(request.system)
    for number, message in enumerate(reversed(request.messages)):
        if number and (read + len(message.content)) / 3.5 > size:
            break
        read += len(message.content)
    return min(round(read / 3.5), size)


@pytest.mark.parametrize("reads", [the_end, half, last_messages])
@pytest.mark.parametrize(
    ("size", "first", "line"),
    [(2048, 1, 20), (4096, 12, 40), (5000, 1, 90), (6144, 60, 10), (8192, 60, 90), (16_384, 120, 200)],
)
def test_requests_stop_growing(reads: Reads, size: int, first: int, line: int, project: Path) -> None:
    sent: list[tuple[int, int]] = []

    def answer(request: CompletionRequest) -> Reply:
        read = reads(request, size)
        sent.append((tokens(request), read))
        return Reply("Yes. " * 40, "end_turn", Usage(read, 50))

    made = make_agent(project, [answer] * 200, None, system=SYSTEM)
    for number in range(TURNS):
        made.agent.run_turn(LINE * (first * 10 if number == 0 else line))
    notices = [event.text for event in made.events if isinstance(event, Notice)]
    cut = [number for number, (whole, read) in enumerate(sent) if read < whole]
    told = [text for text in notices if "has read only" in text]
    assert len(told) <= 1
    # One may pass unnoticed, one tells that there is a limit, one that it was taken for too large.
    assert len(cut) <= 3, sent
    if len(sent) > 1 + max(cut, default=0):
        assert all(whole <= size for whole, _ in sent[1 + max(cut, default=-1) :])


def test_a_count_of_the_new_part_alone_ends_nothing(project: Path) -> None:
    """Some servers count only what they had not in their cache."""
    before = [""]
    counts: list[int] = []

    def answer(request: CompletionRequest) -> Reply:
        text = prompt_text(request)
        same = sum(takewhile(bool, map(eq, text, before[-1])))
        new = len(text) - same
        before.append(text)
        counts.append(tokens(request))
        return Reply("Yes. " * 40, "end_turn", Usage(round(new / 3.5) + 1, 50))

    made = make_agent(project, [answer] * 200, None, system=SYSTEM)
    for _ in range(TURNS):
        made.agent.run_turn(LINE * 100)
    assert made.agent.context.limit >= counts[0]
    finished = [event for event in made.events if isinstance(event, TurnFinished)]
    assert [event.status for event in finished] == ["answered"] * TURNS
