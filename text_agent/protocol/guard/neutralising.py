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
from collections.abc import Callable, Container, Mapping
from typing import Any

from text_agent.lazy_regex import late_pattern
from text_agent.protocol.binding.aliases import resolve_tool_name
from text_agent.protocol.markers import MARKUP, bracket_tokens, signs, word_tokens
from text_agent.protocol.reading.line_syntax import BULLET
from text_agent.protocol.reading.parser import parse_reply
from text_agent.protocol.reading.quoting import INVENTED
from text_agent.protocol.reading.scanning import Scan, scan
from text_agent.protocol.tool import ToolDescriptions

_LINE_MARK = "quoted| "
_MARKED_LINE = late_pattern(r"^quoted\| ", re.MULTILINE)
_TOKEN_MARK = "~"

# What may follow the `<` or `[` of a token. None of it holds `<` or `[`, or begins with a mark: so marks
# do not change where tokens are.
_AFTER_ANGLE = (
    r"""
    \| [^<>\[\s]++ >                         # <|im_start|>, <|eot_id|>, <|tool_call>
  | (?: [\uff5c\u2016] | \| DSML \| ) [^<>\[\n]++ >  # the same with wide bars, which hold blanks too
  | [a-z_]{1,30} \| >                        # <tool_call|>
  | /? (?: s | bos | eos | pad | unk | think | thinking | thought | reasoning | EOT | SYS>? ) >
  | /? (?: start | end ) _ (?: of_turn | function_call ) >
  | /? (?: tools? | function | tool_ (?: name | response | result | output | code | use | sep ) s? ) >
  | \|? [\w.:|-]{0,40} (?i: tool | call ) [\w.:|-]{0,40}+ \|? > \s{0,9} \{  # a tag of nobody, before a call
  | /? function_ (?: results? | response ) >
  | /? [\w.:|-]{0,40} (?i: tool | function ) [_-]? (?i: calls? ) \b
  | /? (?: [\w.-]{1,30} [:|] )? (?: function (?: \s? = | [\s\u0120]{0,9} name \s? = ) | invoke \b )
  | / (?: [\w-]{1,20} [:|] )? (?: function (?: _invocation )? | parameters | arg_value ) >
"""
    + rf" | /? (?: {'|'.join(map(re.escape, bracket_tokens('<')))} )"
)
_AFTER_SQUARE = (
    r"/? (?: SYSTEM_PROMPT \] | [A-Z_]{0,20} (?: TOOL | CALL ) [A-Z_]{0,20} \]"
    rf" | {'|'.join(map(re.escape, bracket_tokens('[')))} )"
)
# Tokens that are words are broken behind their first part.
_WORDS = {word: re.match(r"\w+=?", word) for word in word_tokens() if " " not in word}
_AFTER_WORD = [(first[0], re.escape(word[first.end() :])) for word, first in _WORDS.items() if first]
_SIGN = f"[{signs()}]"
# Other tags: some models call a tool by a tag with its name. A comment ends in the middle of a line.
_TAG = r"/? (?P<name> [\w.:|-]{1,60} ) (?: \s [\w-]{1,30} = [^<>\n]{0,80} )? \s? /? > | !--"


def _begin_of_token(mark: str) -> str:
    """A pattern of how a token begins, up to where our mark stands in it, with that."""
    words = " | ".join(f"{first} {mark} (?= ~*+ {rest} )" for first, rest in _AFTER_WORD)
    return rf"""
        < {mark} (?= ~*+ (?: {_AFTER_ANGLE} ) ) | \[ {mark} (?= ~*+ {_AFTER_SQUARE} )
      | {words} | {_SIGN} {mark} (?= ~*+ /? \w )
    """


_TOKEN = late_pattern(
    rf"(?P<control> {_begin_of_token('')} ) | < (?= (?P<marks> ~*+ ) (?: {_TAG} ) )", re.VERBOSE
)
_BROKEN_TOKEN = late_pattern(
    rf"{_begin_of_token(_TOKEN_MARK)} | < {_TOKEN_MARK} (?= ~*+ (?: {_TAG} ) )", re.VERBOSE
)

# What may stand before a call at the beginning of a line.
_BEFORE_CALL = late_pattern(
    rf"{BULLET}{MARKUP}(?:print\([ \t]*+)?(?:default_api\.|functions\.)?(?:\[\s*+)?", re.IGNORECASE
)
# After so many passes a text is made to keep us busy, and all of its lines are marked.
_MAX_PASSES = 8


def neutralise(text: str, tools: ToolDescriptions, found: Scan | None = None) -> str:
    """Marks everything in a foreign text that could be taken for a call, a result or a control token.

    Args:
        text: the foreign text.
        tools: the tools that exist, by name.
        found: what `scan` finds in it; None lets it be scanned.

    Returns:
        The text with visible marks, which `restore` takes off again; never raises.

    >>> neutralise('tool: read_note({"name": "a"})', tools)
    'quoted| tool: read_note({"name": "a"})'
    """
    found = found or scan(text, tools)
    lines = _break_tokens(text, tools).split("\n")
    marked = {n for n, line in enumerate(lines) if line.startswith(_LINE_MARK) or INVENTED.match(line)}
    marked |= _lines_that_would_run(text, found)
    # Marking a line can make another one count, such as a call behind an invented result.
    for _ in range(_MAX_PASSES):
        neutral = _marked(lines, marked)
        counting = set() if found.is_plain else _lines_that_count(neutral, tools)
        if not counting:
            return neutral
        if counting <= marked:  # behind a tag, a call may begin in the middle of a line
            lines = _break_tokens(text, tools, all_tags=True).split("\n")
        marked |= counting
    return _marked(lines, range(len(lines)))


def restore(text: str) -> str:
    """Takes the marks of `neutralise` off again, of a whole text or of lines that a model copied from it.

    Args:
        text: a text that may hold such marks.

    Returns:
        The text without them; one without marks as it is. Never raises.

    >>> restore('quoted| tool: read_note({"name": "a"})')
    'tool: read_note({"name": "a"})'
    """
    return _BROKEN_TOKEN.sub(lambda match: match[0][: -len(_TOKEN_MARK)], _MARKED_LINE.sub("", text))


def restore_strings(value: Any) -> Any:
    """A call's arguments, or any other JSON value, with `restore` done to each of its strings."""
    return map_strings(value, restore)


def map_strings(value: Any, change: Callable[[str], str]) -> Any:
    """A JSON value with each of its strings changed; keys stay as they are."""
    match value:
        case str():
            return change(value)
        case list():
            return [map_strings(item, change) for item in value]
        case Mapping():
            return {key: map_strings(item, change) for key, item in value.items()}
        case _:
            return value


def _break_tokens(text: str, tools: ToolDescriptions, *, all_tags: bool = False) -> str:
    def mark(match: re.Match[str]) -> str:
        is_token = all_tags or match["control"] or match["marks"] or is_tool(match["name"])
        return f"{match[0]}{_TOKEN_MARK}" if is_token else match[0]

    def is_tool(name: str | None) -> bool:
        return name is not None and resolve_tool_name(name, tools) is not None

    return _TOKEN.sub(mark, text)


def _marked(lines: list[str], marked: Container[int]) -> str:
    return "\n".join(f"{_LINE_MARK}{line}" if n in marked else line for n, line in enumerate(lines))


def _lines_that_would_run(text: str, found: Scan) -> set[int]:
    """The first lines of calls that would run if they were quoted alone, inert or not where they stand."""
    starts = _line_starts(text)
    lines = ((bisect_right(starts, place) - 1, place) for place in found.places)
    return {line for line, place in lines if _BEFORE_CALL.fullmatch(text, starts[line], place)}


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
