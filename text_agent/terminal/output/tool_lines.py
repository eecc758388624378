"""A call and its result, in a line each."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from text_agent.events import PlanUpdated, ToolFinished, ToolStarted
from text_agent.protocol.types import Quotation, QuotationReason, ToolResult
from text_agent.terminal.output.reply_view import without_tags
from text_agent.text.sanitize import sanitize

# Characters of a call's main argument, of another one, and of a result in one line.
_VALUE_MAX_CHARS = 100
_WORD_MAX_CHARS = 30
_SUMMARY_MAX_CHARS = 160
# Lines of a result that are shown, and quotations of a reply.
_SHOWN_LINES = 6
_SHOWN_QUOTATIONS = 3
_NO_OUTPUT = "(no output)"
_MARKS, _ASCII_MARKS = ("\u2611", "\u2610"), ("[x]", "[ ]")
_REASONS: Mapping[QuotationReason, str] = {
    "thinking": "in thinking",
    "comment": "in a comment",
    "example fence": "shown as an example",
    "sentence": "in a sentence",
    "after an invented result": "after an invented result",
    "payload": "part of a text",
    "echo": "copied",
}


def describe_call(event: ToolStarted) -> str:
    """The call's tool and what it is about, in one line: its first text, and the numbers and switches."""
    words = [event.call.name, *_described(event.call.arguments)]
    if event.kind == "changes":
        words = words[:2]
    return sanitize(" ".join(words)).replace("\n", " ")


def _described(arguments: Mapping[str, Any]) -> list[str]:
    described: list[str] = []
    for name, value in arguments.items():
        if isinstance(value, str) and not described:
            described.append(_one_line(value))
        elif isinstance(value, str) and value and len(value) <= _WORD_MAX_CHARS and len(value.split()) == 1:
            described.append(f"{name}={value}")
        elif isinstance(value, bool | int | float):
            described.append(f"{name}={json.dumps(value)}")
    return described


def _one_line(text: str) -> str:
    first, _, rest = text.strip().partition("\n")
    is_cut = bool(rest) or len(first) > _VALUE_MAX_CHARS
    return first[:_VALUE_MAX_CHARS] + (" \u2026" if is_cut else "")


def summarize(event: ToolFinished) -> str:
    """The result in a few words: its first line where that says it all, else how long it is."""
    result = event.result
    lines = _lines(result)
    first = lines[0][:_SUMMARY_MAX_CHARS]
    if result.status == "not run":  # the text says so itself
        return first
    if result.status != "ok":
        return f"{result.status}: {first}"
    if result.change:
        return first.partition(". ")[0]
    is_whole = len(lines) == 1 and len(first) == len(lines[0]) and event.kind != "looks"
    if is_whole or result.exit_code is not None:
        return first
    return f"{len(lines)} line{'s' * (len(lines) > 1)}"


def excerpt(event: ToolFinished) -> list[str]:
    """The first lines of a result that says more than its summary does; the last one tells how to see all."""
    lines, result = _lines(event.result), event.result
    is_silent = result.exit_code is not None and not result.output and len(lines) == 2
    if event.result.status == "ok" and (event.result.change or event.kind == "looks"):
        return []
    if summarize(event).endswith(lines[0]):
        lines = [] if is_silent else lines[1:]
    # A note that one line is left out would take the place of that line.
    if len(lines) <= _SHOWN_LINES + 1:
        return lines
    left = len(lines) - _SHOWN_LINES
    return [*lines[:_SHOWN_LINES], f"\u2026 {left} more lines: /show {event.result.number}"]


def _lines(result: ToolResult) -> list[str]:
    return sanitize(result.text).strip("\n").splitlines() or [_NO_OUTPUT]


def describe_quotations(quotations: Sequence[Quotation]) -> list[str]:
    """What looks like a call in a reply and was not run, and why, a line each."""
    lines = []
    for quotation in quotations[:_SHOWN_QUOTATIONS]:
        first = sanitize(without_tags(quotation.text)).strip().partition("\n")[0][:_VALUE_MAX_CHARS]
        lines.append(f"(not run, {_REASONS[quotation.reason]}: {first})")
    left = len(quotations) - len(lines)
    return [*lines, f"(and {left} more that were not run)"] if left else lines


def draw_plan(plan: PlanUpdated, encoding: str) -> list[str]:
    """The plan's lines, a mark before each step; in ASCII where `encoding` cannot show more."""
    try:
        "".join(_MARKS).encode(encoding)
        done, open_ = _MARKS
    except (UnicodeEncodeError, LookupError):
        done, open_ = _ASCII_MARKS
    return [
        f"  {done if number in plan.done else open_} {number}. {step}"
        for number, step in enumerate(plan.steps, 1)
    ]
