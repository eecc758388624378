"""Tells the answer of a turn from a reply that only lacks a call."""

from __future__ import annotations

import re

from text_agent.agent.conversation import EMPTY_REPLY
from text_agent.agent.turn import Turn
from text_agent.lazy_regex import late_pattern
from text_agent.messages import Message, Reply
from text_agent.protocol.reading.blocks import outside_blocks
from text_agent.protocol.templates import fill_template
from text_agent.protocol.types import ParsedReply

_WHO = (
    "(?:I(?:'|\u2019)ll|I will|I(?:'|\u2019)m going to|I am going to|I(?:'|\u2019)m about to|I need to"
    "|I have to|let me|let(?:'|\u2019)s)"
)
_BEFORE = r"(?:(?:now|next|first|then|so|okay|ok|alright|great|sure|finally)\b,?\s+)*"
_BETWEEN = r"(?:(?:now|first|then|also|next|just|quickly|go ahead and|start by|begin by|proceed to)\s+)*"
_WORK = (
    r"(?:add|adjust|analy[sz]|appl(?:y|ies)|build|chang|check|clean|continu|convert|correct|creat|delet|edit|"
    r"examin|execut|explor|find|fix|generat|implement|inspect|install|list|look|locat|mak|mov|modif(?:y|ies)|"
    r"open|proceed|read|refactor|remov|renam|replac|review|run|search|see|test|try|updat|us|verif|writ)"
    r"(?:e|es|s|y|ing|ning|ting)?"
)
_ANNOUNCEMENT = late_pattern(rf"{_BEFORE}{_WHO}\s+{_BETWEEN}{_WORK}\b", re.IGNORECASE)
_SENTENCE_END = late_pattern(r"(?<=[.!?])\s+|\n")
# Characters of an answer that no model writes by chance as it was told before.
_PARROTED_CHARS = 40


FILTERED = "stopped: a content filter of the endpoint ended the reply."


def why_no_answer(reply: Reply, parsed: ParsedReply, told: Message) -> str:
    """What the model must hear of its reply without a call; empty if it is an answer.

    `parsed`: what it says. `told`: what the model was told before it.
    """
    answer = parsed.prose.strip()
    if parsed.invented_at is not None:
        return fill_template("discarded", count=len(reply.text) - parsed.invented_at)
    example = any(quotation.reason == "example fence" for quotation in parsed.quotations)
    if example and not outside_blocks(answer).strip():
        return fill_template("example_fence")
    is_empty = answer in ("", EMPTY_REPLY)
    return fill_template("empty_reply") if is_empty or _is_parroted(answer, told) else ""


def describe_unfinished(turn: Turn, words: str) -> str:
    """What every model is told, once, if it announces work and stops, or leaves its plan unfinished.

    `turn`: what the turn has come to; what is told is noted there. `words`: those of the reply, which holds
    no call.
    """
    if turn.denied or turn.given:
        return ""
    announced = fill_template("nudge_announcement") if announces_work(words) else ""
    step = turn.plan.open_step if turn.plan else ""
    planned = fill_template("nudge_plan", step=step) if step else ""
    return turn.first_new({"announced": announced, "planned": planned})


def announces_work(answer: str) -> bool:
    """Whether an answer ends with what the model is about to do, such as `Let me look at the file:`."""
    last = _SENTENCE_END.split(answer.strip())[-1].strip(" *_>#-")
    return last.endswith(":") or (not last.endswith("?") and bool(_ANNOUNCEMENT.match(last)))


def describe_cut(reply: Reply, parsed: ParsedReply, limit: int, configured: int) -> str:
    """Why a reply that was cut at `limit` tokens is no answer, for the user; the flag says `configured`."""
    if reply.stop_reason == "other":
        return "stopped: the reply was cut: it breaks off, and the endpoint gave no reason that is known."
    is_thinking = reply.reasoning and not parsed.prose.strip()
    what = "the model was still thinking" if is_thinking else "the reply was cut"
    if limit < configured:
        return f"stopped: {what} at {limit} tokens: the model's context has no room for more."
    return f"stopped: {what} at {limit} tokens (--max-tokens)."


def _is_parroted(answer: str, told: Message) -> bool:
    """Whether a small model has only written again what it was told last, such as a nudge."""
    return told.kind == "note" and len(answer) >= _PARROTED_CHARS and answer in told.content
