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

from text_agent.protocol.description import ToolDescriptions
from text_agent.protocol.parser import parse_reply, scan_calls

_LINE_MARK = "quoted| "
_MARKED_LINE = re.compile(r"^quoted\| ", re.MULTILINE)
_TOKEN_MARK = "~"

# What may follow the `<` or `[` of a token. None of it holds `<` or `[`, or begins with a mark: so marks
# do not change where tokens are.
_AFTER_ANGLE = r"""
    \| [^<>\[\s]{1,60} >                # <|im_start|>, <|eot_id|>, <|tool_call>
  | \uff5c [^<>\[\n]{1,60} >               # the same with wide bars
  | [a-z_]{1,30} \| >                   # <tool_call|>
  | /? (?: s | bos | eos | pad | unk | think | thinking | thought | reasoning | EOT | TOOLCALL | SYS>? ) >
  | /? (?: start | end ) _of_turn >
  | /? (?: [\w.-]{1,30} : )? (?: function= | (?: tool | function ) _ calls? \b | tool_calls_ | invoke \b )
  | /? (?: tools | tool_ (?: response | result | output | code ) s? | (?: start | end ) _function_call ) >
"""
_AFTER_SQUARE = r"""
    /? (?: INST | THINK | ARGS | CALL_ID | SYSTEM_PROMPT | AVAILABLE_TOOLS | TOOL_ [A-Z]{3,12} ) \]
"""
# A tag named like a tool: some models call `read_file` by <read_file>. After a letter it is a type.
_TOOL_TAG = r"/? [A-Za-z]{1,30} _ \w{1,60} \s? /? >"


def _token_start(mark: str) -> re.Pattern[str]:
    """Matches a token's beginning as its first group, then `mark`, before any further marks."""
    return re.compile(
        rf"""
        ( < ) {mark} (?= ~* (?: {_AFTER_ANGLE} ) )
        | ( (?<! \w ) < ) {mark} (?= ~* {_TOOL_TAG} )
        | ( \[ ) {mark} (?= ~* (?: {_AFTER_SQUARE} ) )
        | ( functools ) {mark} (?= ~* \[ )
        """,
        re.VERBOSE,
    )


_WHOLE_TOKEN = _token_start("")
_BROKEN_TOKEN = _token_start(_TOKEN_MARK)
_FIRST_WORD = re.compile(r"\W*\w+")
# The header of a result, whatever stands before it.
_HEADER = re.compile(r"\W*tool[_ ]?result", re.IGNORECASE)
# Marking one line may make another one readable; so often that is tried before all lines are marked.
_MAX_PASSES = 8


def neutralise(text: str, tools: ToolDescriptions) -> str:
    """Marks everything in a foreign text that could be taken for a call, a result or a control token."""
    lines = _WHOLE_TOKEN.sub(rf"\g<0>{_TOKEN_MARK}", text).split("\n")
    marked = {n for n, line in enumerate(lines) if line.startswith(_LINE_MARK) or _HEADER.match(line)}
    marked |= _lines_that_would_run("\n".join(lines), tools)
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


def _marked(lines: list[str], marked: Container[int]) -> str:
    return "\n".join(f"{_LINE_MARK}{line}" if n in marked else line for n, line in enumerate(lines))


def _lines_that_would_run(text: str, tools: ToolDescriptions) -> set[int]:
    """The first lines of calls that would run if they were quoted alone, inert or not where they stand."""
    starts = _line_starts(text)
    found = set()
    for call in scan_calls(text, tools):
        line = bisect_right(starts, call.span[0]) - 1
        if parse_reply(text[starts[line] : call.span[1]], tools).calls:
            found.add(line)
    return found


def _lines_that_count(text: str, tools: ToolDescriptions) -> set[int]:
    """The lines at which our parser finds a call, or a reply's end by an invented result."""
    reply = parse_reply(text, tools)
    starts = _line_starts(text)
    found = {bisect_right(starts, call.span[0]) - 1 for call in reply.calls}
    if reply.invented_at is not None:
        found |= _lines_alike(text.split("\n"), bisect_right(starts, reply.invented_at) - 1)
    return found


def _lines_alike(lines: list[str], number: int) -> set[int]:
    """All lines with the first word of this one: the parser tells of the first such line only."""
    word = _FIRST_WORD.match(lines[number])
    return {number} | {n for n, line in enumerate(lines) if word and line.startswith(word[0])}


def _line_starts(text: str) -> list[int]:
    return [0, *(match.end() for match in re.finditer("\n", text))]
