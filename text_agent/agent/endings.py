"""The end of a reply: whether its text breaks off, and its last call in the light of why it ended."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace

from text_agent.agent.words import words
from text_agent.lazy_regex import late_pattern
from text_agent.messages import Reply
from text_agent.protocol.types import MalformedCall, ParsedReply, Repetition, ToolCall

_FENCE_LINE = late_pattern(r"^[ \t]*(`{3,}|~{3,})", re.MULTILINE)
# What ends a sentence, in the scripts that have a sign of their own for it.
_TERMINALS = ".!?\u2026\u3002\uff01\uff1f\uff0e\uff61\u0964\u0965\u061f\u06d4\u0589\u1362\u17d4\u104b"
_SENTENCE_END = late_pattern(
    rf"[{_TERMINALS}][)\]}}\"'\u00bb\u201d\u2019\u300d\u300f*_`]*(?=\s|$)|[\u3002\uff01\uff1f]"
)
# What never ends a text: more was to come.
_OPENERS = ",;:([{<=+/\\\u2013\u2014\uff0c\u3001\uff1b\uff1a\uff08\u300c\u300e\u201c\u201e\u00ab\u060c\u061b"
# Marks around words, and those of a row of a table.
_MARKS = "*_~\"'\u201d\u2019\u00bb\u300d\u300f)]}\uff09>|"
_ITEM = late_pattern(r"(?:[-*+\u2022]|\d+[.)]|#{1,6}|\|)\s")
# The head of a call, up to its name, and the beginning of a tag of one.
_CALL_HEAD = late_pattern(
    r"[\s*_`>#-]*tool[*_`]*\s*:[\s*_`]*[\w.-]*|.*<[|\uff5c]?/?(?:tool|func|invo|param|arg)[\w:|\u2581-]*",
    re.IGNORECASE,
)
# Words from which on a line without an end is the beginning of a sentence, not a name or a number.
_SENTENCE_WORDS = 4
# The same in characters of scripts that write no blanks between words.
_SENTENCE_CHARS = 8
_UNSPACED = late_pattern("[\u3040-\u30ff\u3400-\u9fff]")


def has_open_fence(text: str) -> bool:
    """Whether a fenced block of `text` is not closed."""
    fence = ""
    for match in _FENCE_LINE.finditer(text):
        if not fence:
            fence = match[1]
        elif match[1].startswith(fence):
            fence = ""
    return bool(fence)


def breaks_off(text: str) -> bool:
    """Whether a text ends in the middle of a sentence, a block or a word.

    A number, a name, a path and a few words need no full stop; nor does an item of a list whose other items
    have none.
    """
    text = text.rstrip()
    *before, line = text.split("\n")
    line = line.strip()
    if has_open_fence(text):
        return True
    if not line or line.startswith(("```", "~~~")):
        return False
    if line.count("`") % 2 or _CALL_HEAD.fullmatch(line):
        return True
    bare = line.rstrip(_MARKS)
    if not bare or _is_end(bare[-1]):
        return False
    if bare[-1] in _OPENERS:
        return True
    if _ITEM.match(line) and any(_ITEM.match(each.strip()) and not _ends(each) for each in before):
        return False
    return _is_sentence(line.removesuffix("`"))


def _is_sentence(line: str) -> bool:
    """Whether a line that does not end is the beginning of a sentence."""
    tail = _SENTENCE_END.split(line)[-1].strip()
    if tail != line.strip() and any(letter.isalpha() for letter in tail):
        return True
    if len(_UNSPACED.findall(tail)) >= _SENTENCE_CHARS:
        return True
    told = tail.strip("-*+#|> ").split()
    spoken = [word for word in told if word.strip("'\u2019,;*_").replace("'", "").isalpha()]
    if len(told) < 2:
        return False
    return len(spoken) >= _SENTENCE_WORDS or any(words("small").fullmatch(told[end]) for end in (0, -1))


def _ends(line: str) -> bool:
    bare = line.rstrip().rstrip(_MARKS)
    return not bare or _is_end(bare[-1])


def _is_end(character: str) -> bool:
    """Whether a sentence may end with it: a full stop of any script, or a picture."""
    return character in f"{_TERMINALS}\ufe0f" or unicodedata.category(character) in ("So", "Sk", "Cf")


STOP = "\ntool_result("
"""The text at which a reply may end: results are not the model's to write. Nothing depends on it."""


def is_stopped_short(parsed: ParsedReply, reply: Reply) -> bool:
    """Whether the stop text may have taken something that counts.

    It may stand in an argument, in a block, or in thinking; and some servers, given one, say nothing at all.
    `parsed`: what the reply says, before `judge_end`.
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

    `words`: its own, without calls.
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
    `whole`: what the reply says. `kept`: what its part that counts says. `repetition`: what it repeats.
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
