"""Old results are made shorter where they stand, whatever they say, and in saved conversations, too."""

from __future__ import annotations

import pytest

from text_agent.agent.context.compaction import last_plan, shorten_results, squeeze
from text_agent.agent.conversation import Conversation
from text_agent.config.limits import SHORT_RESULT_CHARS
from text_agent.messages import Message
from text_agent.protocol.types import Plan, ResultStatus, ToolResult

LONG = "some line\n" * SHORT_RESULT_CHARS
HEADER = "tool_result(read_file #1 ok):\n"
RECENT = [Message("user", "recent", "results")]


def message_of(*results: ToolResult, notes: tuple[str, ...] = ()) -> Message:
    conversation = Conversation()
    conversation.add_results(results, *notes)
    return conversation.messages[-1]


@pytest.mark.parametrize("name", ["read_file", "mcp__x__get-thing", "a b", "x #2 ok):", "two\nlines"])
@pytest.mark.parametrize("text", [LONG, HEADER + LONG, LONG + HEADER, f"{LONG}\n\n{HEADER}{LONG}"])
def test_a_long_result_of_any_text_is_cut_once(name: str, text: str) -> None:
    message = message_of(
        ToolResult(1, name, "ok", text), ToolResult(2, "x", "ok", "short"), notes=("A note.",)
    )
    (shorter, _) = shorten_results([message, *RECENT], 1)
    assert len(shorter.content) < 2 * SHORT_RESULT_CHARS
    assert shorter.content.startswith(message.content[: message.content.index(":\n")])
    assert shorter.content.endswith("tool_result(x #2 ok):\nshort\n\nA note.")
    spans = [shorter.content[slice(*each.span)] for each in shorter.results]
    assert spans[1] == "short"
    assert spans[0].startswith("some line\n") or spans[0].startswith("tool_result(")
    assert shorten_results([shorter, *RECENT], 1)[0] == shorter


@pytest.mark.parametrize("status", ["error", "denied", "not run"])
def test_what_went_wrong_stays_whole(status: ResultStatus) -> None:
    message = message_of(ToolResult(1, "x", status, LONG))
    assert shorten_results([message, *RECENT], 1)[0] == message


@pytest.mark.parametrize("kind", ["results", "note", "request"])
def test_a_text_with_a_header_that_is_no_result_stays_whole(kind: str) -> None:
    message = Message("user", HEADER + LONG, kind)  # type: ignore[arg-type]
    assert shorten_results([message, *RECENT], 1)[0] == message


def test_the_last_resort_cuts_every_result_and_keeps_the_notes() -> None:
    message = message_of(*(ToolResult(each, "x", "error", LONG) for each in (1, 2, 3)), notes=("A note.",))
    (cut,) = squeeze([message], lambda messages: len(messages[0].content) < 1_500)
    assert [cut.content[each.span[0] :][:9] for each in cut.results] == ["some line"] * 3
    assert cut.content.count("tool_result(x #") == 3
    assert cut.content.endswith("\n\nA note.")


def test_the_plan_is_that_of_the_last_result_that_has_one() -> None:
    plans = [Plan(("One",)), Plan(("One", "Two; next: 3. None"), frozenset({1}))]
    messages = [message_of(ToolResult(1, "p", "ok", "plan", plan=plan)) for plan in plans]
    assert "1. One (done)\n2. Two; next: 3. None" in last_plan([*messages, *RECENT])
    assert last_plan(RECENT) == ""
