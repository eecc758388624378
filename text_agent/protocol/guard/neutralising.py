"""Making foreign text harmless on its way to the model, and exact again on its way back.

Two visible marks. `quoted| ` stands before a line that our own parser would take as a call or as the
header of a result. A `~` breaks up a token of a chat template or a dialect's tag, which a local server
or our parser could take for the real thing: `<~|im_start|>`, `<~tool_call>`.

What looks marked already gets one mark more, and `restore` takes exactly one off. So `restore` gives
every text back, and every part of one that a model copies into an argument.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Container, Mapping
from typing import Any

from text_agent.lazy_regex import late_pattern
from text_agent.protocol.binding.bind import resolve_tool_name
from text_agent.protocol.reading.parser import parse_reply
from text_agent.protocol.reading.quoting import INVENTED
from text_agent.protocol.reading.scanning import scan_calls
from text_agent.protocol.tool import ToolDescriptions

_LINE_MARK = "quoted| "
_MARKED_LINE = late_pattern(r"^quoted\| ", re.MULTILINE)
_TOKEN_MARK = "~"

# What may follow the `<` or `[` of a token. None of it holds `<` or `[`, or begins with a mark: so marks
# do not change where tokens are.
_AFTER_ANGLE = r"""
    \| [^<>\[\s]++ >                         # <|im_start|>, <|eot_id|>, <|tool_call>
  | (?: [\uff5c\u2016] | \| DSML \| ) [^<>\[\n]++ >  # the same with wide bars, which hold blanks too
  | [a-z_]{1,30} \| >                        # <tool_call|>
  | /? (?: s | bos | eos | pad | unk | think | thinking | thought | reasoning | EOT | SYS>? ) >
  | /? (?: start | end ) _ (?: of_turn | function_call ) >
  | /? (?: tools? | function | tool_ (?: name | response | result | output | code | use | sep ) s? ) >
  | \|? [\w.:-]{0,40} (?i: tool | call ) [\w.:-]{0,40}+ \|? > \s{0,9} \{  # a tag of nobody, before a call
  | /? function_ (?: results? | response ) >
  | /? [\w.:-]{0,40} (?i: tool | function ) _? (?i: calls? ) \b
  | /? (?: [\w.-]{1,30} : )? (?: function \s? = | invoke \b )
"""
_AFTER_SQUARE = r"/? (?: INST | THINK | CALL_ID | SYSTEM_PROMPT | AVAILABLE_TOOLS | TOOL_[A-Z]{3,12} ) \]"
# Some models call a tool by a tag with its name.
_TAG = r"/? (?P<name> [\w-]{1,60} ) \s? /? >"

_TOKEN = late_pattern(
    rf"""
    (?P<control>
        < (?= ~*+ (?: {_AFTER_ANGLE} ) ) | \[ (?= ~*+ {_AFTER_SQUARE} )
      | functools (?= ~*+ \[ ) | to= (?= ~*+ functions\. ) | \u273f (?= ~*+ [A-Z]++ \u273f )
    )
    | < (?= (?P<marks> ~*+ ) {_TAG} )
    """,
    re.VERBOSE,
)
_BROKEN_TOKEN = late_pattern(
    rf"""
    < ~ (?= ~*+ (?: {_AFTER_ANGLE} | {_TAG} ) ) | \[ ~ (?= ~*+ {_AFTER_SQUARE} )
    | functools ~ (?= ~*+ \[ ) | to= ~ (?= ~*+ functions\. ) | \u273f ~ (?= ~*+ [A-Z]++ \u273f )
    """,
    re.VERBOSE,
)

# After so many passes a text is made to keep us busy, and all of its lines are marked.
_MAX_PASSES = 8


def neutralise(text: str, tools: ToolDescriptions) -> str:
    """Marks everything in a foreign text that could be taken for a call, a result or a control token."""
    lines = _break_tokens(text, tools).split("\n")
    marked = {n for n, line in enumerate(lines) if line.startswith(_LINE_MARK) or INVENTED.match(line)}
    marked |= _lines_that_would_run("\n".join(lines), tools)
    # Marking a line can make another one count, such as a call behind an invented result.
    for _ in range(_MAX_PASSES):
        neutral = _marked(lines, marked)
        found = _lines_that_count(neutral, tools)
        if not found:
            return neutral
        marked |= found
    return _marked(lines, range(len(lines)))


def restore(text: str) -> str:
    """Takes the marks of `neutralise` off again; text without them stays as it is."""
    return _BROKEN_TOKEN.sub(lambda match: match[0][: -len(_TOKEN_MARK)], _MARKED_LINE.sub("", text))


def restore_strings(value: Any) -> Any:
    """A call's arguments, or any other JSON value, with `restore` done to each of its strings."""
    match value:
        case str():
            return restore(value)
        case list():
            return [restore_strings(item) for item in value]
        case Mapping():
            return {key: restore_strings(item) for key, item in value.items()}
        case _:
            return value


def _break_tokens(text: str, tools: ToolDescriptions) -> str:
    def mark(match: re.Match[str]) -> str:
        broken = match["control"] or match["marks"] or resolve_tool_name(match["name"], tools)
        return f"{match[0]}{_TOKEN_MARK}" if broken else match[0]

    return _TOKEN.sub(mark, text)


def _marked(lines: list[str], marked: Container[int]) -> str:
    return "\n".join(f"{_LINE_MARK}{line}" if n in marked else line for n, line in enumerate(lines))


def _lines_that_would_run(text: str, tools: ToolDescriptions) -> set[int]:
    """The first lines of calls that would run if they were quoted alone, inert or not where they stand."""
    starts = _line_starts(text)
    ends: dict[int, int] = {}
    for call in scan_calls(text, tools):
        line = bisect_right(starts, call.span[0]) - 1
        ends[line] = max(call.span[1], ends.get(line, 0))
    return {line for line, end in ends.items() if parse_reply(text[starts[line] : end], tools).calls}


def _lines_that_count(text: str, tools: ToolDescriptions) -> set[int]:
    """The lines at which our parser finds a call, or the reply's end by an invented result."""
    reply = parse_reply(text, tools)
    positions = [call.span[0] for call in reply.calls]
    if reply.invented_at is not None:
        positions.append(reply.invented_at)
    starts = _line_starts(text)
    return {bisect_right(starts, position) - 1 for position in positions}


def _line_starts(text: str) -> list[int]:
    return [0, *(match.end() for match in re.finditer("\n", text))]
