"""The last call of a reply, in the light of why the reply ended."""

from __future__ import annotations

from dataclasses import replace

from text_agent.agent.cut_text import breaks_off, has_open_fence
from text_agent.messages import Reply
from text_agent.protocol.types import MalformedCall, ParsedReply, Repetition, ToolCall

STOP = "\ntool_result("
"""The text at which a reply may end: results are not the model's to write. Nothing depends on it."""


def is_stopped_short(parsed: ParsedReply, reply: Reply) -> bool:
    """Whether the stop text may have taken something that counts.

    It may stand in an argument, in a block, or in thinking; and some servers, given one, say nothing at all.

    Args:
        parsed: what the reply says, before `judge_end`.
        reply: as it came.
    """
    if not reply.may_have_stopped or reply.stop_reason in ("max_tokens", "refusal"):
        return False
    if parsed.calls:
        last = parsed.calls[-1]
        return isinstance(last, MalformedCall) and last.cut
    told = reply.stop_reason == "stop_sequence"
    return told or not parsed.prose.strip() or has_open_fence(reply.text)


def was_cut(reply: Reply, words: str) -> bool:
    """Whether more was to come, by the server's reason, or by the reply itself where the reason says nothing.

    Args:
        reply: as it came.
        words: its own, without calls.
    """
    return reply.stop_reason == "max_tokens" or (reply.stop_reason == "other" and breaks_off(words))


def judge_end(parsed: ParsedReply, reply: Reply) -> ParsedReply:
    """Reads the last call again.

    By its text alone a call may be complete but for a closer; but if the reply was cut, or nobody knows, more
    may have been to come: an argument, or the rest of a line that only looks as if it closed a block. And a
    call that stops short in a reply that was not cut is broken, not too long.
    """
    last = parsed.calls[-1] if parsed.calls else None
    if isinstance(last, ToolCall) and _may_go_on(last, reply):
        judged = MalformedCall("the reply was cut inside the call", last.name, cut=True, span=last.span)
    elif reply.stop_reason == "end_turn" and isinstance(last, MalformedCall) and last.cut:
        judged = replace(last, cut=False)
    else:
        return parsed
    return replace(parsed, calls=[*parsed.calls[:-1], judged])


def judge_repetition(whole: ParsedReply, kept: ParsedReply, repetition: Repetition) -> ParsedReply:
    """Reads a reply that was stopped because it repeated itself.

    A call runs if it is the same whether the repetition is read or not, so that it was complete before.

    Args:
        whole: what the reply says.
        kept: what its part that counts says.
        repetition: what it repeats.
    """
    if whole.invented_at is not None and whole.invented_at <= repetition.at:
        return whole
    complete = [
        (call, call.span) for call in whole.calls if isinstance(call, ToolCall) and not call.lacks_closer
    ]
    calls = [call if (call, call.span) in complete else _stopped(call) for call in kept.calls]
    return replace(whole, calls=calls, prose=kept.prose, invented_at=None, repetition=repetition)


def _stopped(call: ToolCall | MalformedCall) -> MalformedCall:
    if isinstance(call, MalformedCall) and not call.cut:
        return call
    error = "the reply was stopped inside it, because it said the same over and over"
    return MalformedCall(error, call.name, runs_away=True, span=call.span)


def _may_go_on(call: ToolCall, reply: Reply) -> bool:
    if reply.stop_reason in ("end_turn", "stop_sequence"):
        return False
    # A server that never says why must not lose every block that ends a reply.
    in_fence = reply.stop_reason != "other" and reply.text.endswith(("```", "~~~"))
    return call.lacks_closer or (in_fence and call.span[1] == len(reply.text))
