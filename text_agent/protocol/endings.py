"""The last call of a reply, in the light of why the reply ended."""

from __future__ import annotations

from dataclasses import replace

from text_agent.messages import MalformedCall, ParsedReply, Reply, ToolCall


def judge_end(parsed: ParsedReply, reply: Reply) -> ParsedReply:
    """Reads the last call again.

    By its text alone a call may be complete but for a closer; but if the limit cut the reply, it may have
    taken an argument, or the rest of a line that only looks as if it closed a block. And a call that stops
    short in a reply that was not cut is broken, not too long.
    """
    last = parsed.calls[-1] if parsed.calls else None
    if reply.stop_reason == "max_tokens" and isinstance(last, ToolCall) and _may_go_on(last, reply.text):
        judged = MalformedCall("the reply was cut inside the call", last.name, cut=True, span=last.span)
    elif reply.stop_reason == "end_turn" and isinstance(last, MalformedCall) and last.cut:
        judged = replace(last, cut=False)
    else:
        return parsed
    return replace(parsed, calls=[*parsed.calls[:-1], judged])


def _may_go_on(call: ToolCall, text: str) -> bool:
    return call.lacks_closer or (call.span[1] == len(text) and text.endswith(("```", "~~~")))
