"""Calls that are written as lines: the taught form, its relatives, and Python.

taught   = "tool:" NAME arguments
bare     = NAME arguments                  a known tool, and nothing else on the line
python   = NAME "(" items ")" | "[" python { "," python } "]" | "print(" python ")"
react    = "Action:" NAME, "Action Input:" object or text
"""

from __future__ import annotations

import re

from text_agent.messages import MalformedCall, ToolCall
from text_agent.protocol.arguments import ArgumentReader, Arguments
from text_agent.protocol.binding import binds
from text_agent.protocol.json_calls import BEGINS_CALL, arguments_of, only_text, read_objects
from text_agent.protocol.quoting import INVENTED
from text_agent.protocol.reading import Found, Reading, clean_name, taught_form
from text_agent.protocol.signatures import is_required
from text_agent.protocol.values import ReadError, ValueReader

_BULLET = r"[ \t]*+(?:(?:[-*+\u2022\u2013](?:[ \t]++\[[ xX]\])?|\d{1,3}[.)]|[a-z]\)|#{1,6})[ \t]++){0,2}+"
_MARKUP = r"[*_`]{0,3}"
_PREFIX = rf"{_BULLET}(?P<open>{_MARKUP})tool{_MARKUP}[ \t]*+:{_MARKUP}[ \t]*+"
_NAME = r"[\"'*`]{0,3}(?P<name>[^\W\d][\w.-]{0,99}+)[\"'*`]{0,3}(?:<\|[^|<>\n]{1,40}\|>\w{0,20}+)?"
TAUGHT = re.compile(rf"{_PREFIX}{_NAME}[ \t]*+(?::[ \t]*+(?=\{{))?(?=[({{])", re.IGNORECASE)
_LINE_FIRST = re.compile(rf"{_BULLET}{_MARKUP}(?:tool|action)", re.IGNORECASE)
_NAMELESS = re.compile(rf"{_PREFIX}(?=[({{])", re.IGNORECASE)
_NAME_ONLY = re.compile(rf"{_PREFIX}{_NAME}(?:\(\))?[ \t*_`]*+\r?(?:\n|\Z)", re.IGNORECASE)
_NO_BRACKET = re.compile(
    rf"{_PREFIX}{_NAME}[ \t]++(?=[\"']|[^\W\d]\w*+[ \t]*+=[ \t]*+[\"'\d\[{{])", re.IGNORECASE
)
_LABEL = r"(?:[*_`]{0,3}(?:arguments|args|parameters|params|input)[*_`]{0,3}[ \t]*+:[*_`]{0,3}[ \t]*+)?"
_OBJECT_BELOW = re.compile(
    rf"(?:[ \t\r]*+\n){{0,2}}+[ \t]*+{_LABEL}\s*+(?:```(?:json)?[ \t]*+\n\s*+)?(?=\{{)", re.IGNORECASE
)
_FENCE_END = re.compile(r"\s*+```[ \t\r]*+(?=\n|\Z)")
_YAML_BELOW = re.compile(r"[ \t]++[\w-]++:[ \t\n]|[ \t]*+[\w-]++:[ \t]")
_BARE = re.compile(
    rf"{_BULLET}(?P<open>`{{0,3}})(?:print\([ \t]*+)?(?:default_api\.|functions\.)?(?P<name>[^\W\d]\w*+)`?[ \t]*+(?=[({{])"
)
_BARE_BELOW = re.compile(rf"[ \t]*+(?P<name>[^\W\d]\w*+)[ \t]*+\r?\n[ \t]*+(?=\{{)")
_BARE_OBJECT = re.compile(rf"[ \t]*+(?=(?:\[\s*+)?{BEGINS_CALL.pattern})")
_BARE_LIST = re.compile(r"[ \t]*+(?=\[\s*+(?:print\()?[^\W\d][\w.]*+[ \t]*+\()")
_LINE_REST = re.compile(r"[ \t]*+[`*_]{0,3}[ \t]*+;?[ \t]*+(?:(?://|#)[^\n]*+)?\r?(?=\n|\Z)")
_CLOSE_MARKUP = re.compile(r"[ \t]*+[*_`]{1,3}")
_SENTENCE_REST = re.compile(r"[ \t]++[^\W\d_]")
_ACTION = re.compile(
    rf"[ \t]*+{_MARKUP}action(?:[ \t]\d{{1,3}})?{_MARKUP}[ \t]*+:{_MARKUP}[ \t]*+(?:tool:[ \t]*+)?{_NAME}(?:\(\))?{_MARKUP}[ \t\r]*+\n\s*+"
    rf"{_MARKUP}action[ _]input(?:[ \t]\d{{1,3}})?{_MARKUP}[ \t]*+:{_MARKUP}[ \t]*+(?P<gap>\s*+(?:```\w*+[ \t]*+\n\s*+|`(?=\{{))?)",
    re.IGNORECASE,
)
_ACTION_CALL = re.compile(
    rf"[ \t]*+{_MARKUP}action(?:[ \t]\d{{1,3}})?{_MARKUP}[ \t]*+:{_MARKUP}[ \t]*+{_NAME}(?=[({{])",
    re.IGNORECASE,
)
_NEXT_ATTEMPT = re.compile(
    rf"^(?:{_BULLET}{_MARKUP}tool{_MARKUP}[ \t]*+:|{INVENTED.pattern})", re.MULTILINE | re.IGNORECASE
)
PYTHON_NAME = re.compile(r"\s*+(?P<print>print\([ \t]*+)?(?P<name>[^\W\d][\w.]*+)[ \t]*+(?=\()")
_PYTHON_NEXT = re.compile(r"[ \t]*+[\n,;][\s,;]*+(?=(?:print\()?[^\W\d][\w.]*+[ \t]*+\()")
_ONE_LINE = re.compile(r"[^\n]*+")


def read_taught(reading: Reading, match: re.Match[str]) -> Found | None:
    """A call in the taught form; None if it is part of a sentence, or about something else."""
    name = clean_name(match.group("name"))
    try:
        arguments = _arguments(reading, name, match.end())
    except ReadError as error:
        return _failed_taught(reading, match, name, error)
    end = arguments.end
    if "`" in match.group("open"):
        closing = _CLOSE_MARKUP.match(reading.text, end)
        if closing and _SENTENCE_REST.match(reading.text, closing.end()):
            return None
    markup = _LINE_REST.match(reading.text, end)
    end = markup.end() if markup and "#" not in markup.group() and "//" not in markup.group() else end
    call = ToolCall(name, arguments.values, (match.start(), end), _repairs(match, arguments))
    return Found((call,), match.start(), end)


def _repairs(match: re.Match[str], arguments: Arguments) -> tuple[str, ...]:
    plain = re.fullmatch(r"[ \t]*tool: [\w.-]+", match.group())
    return arguments.repairs if plain else ("markup around the call", *arguments.repairs)


def _arguments(reading: Reading, name: str, position: int, *, words: bool = True) -> Arguments:
    source = reading.source
    limit = source.limit(position)

    def next_attempt() -> int:
        following = source.search(_NEXT_ATTEMPT, position)
        return min(following.start(), limit) if following else limit

    return ArgumentReader(source, name, reading.tool(name), limit, next_attempt, words).read(position)


def _failed_taught(reading: Reading, match: re.Match[str], name: str, error: ReadError) -> Found | None:
    opens_like_call = re.compile(r"[({]\s*+(?:[{\"'\[\u201c)]|\w++\s*+=|\Z)").match(reading.text, match.end())
    if reading.tool(name) is None and not opens_like_call:
        return None
    following = reading.source.search(_NEXT_ATTEMPT, match.end())
    if following and following.start() < error.position and not error.cut:
        error = ReadError("a string is not closed before the next call", following.start())
    line = _ONE_LINE.match(reading.text, match.end())
    suggestion = _suggestion(reading, name, line.group() if line else "", error)
    malformed = reading.malformed(name, match.start(), error, suggestion)
    return Found((malformed,), match.start(), max(malformed.span[1], match.end()))


def _suggestion(reading: Reading, name: str, rest: str, error: ReadError) -> str | None:
    """The call in the taught form, if only quotes or brackets are missing."""
    tool = reading.tool(name)
    if tool is None or error.cut:
        return None
    if error.partial:
        complete = not reading.missing(ToolCall(name, error.partial))
        return taught_form(name, error.partial) if complete else None
    text = rest.rstrip().removeprefix("(").removesuffix(")").strip()
    if not text or any(mark in text for mark in "\"'{}=`"):
        return None
    values = only_text(tool.signature.parameters, text, ValueReader(reading.source, 0))
    return taught_form(name, values) if values else None


def read_line_call(reading: Reading, position: int) -> Found | None:
    """The call that begins at `position`, at the start of a line or behind another call."""
    if not _LINE_FIRST.match(reading.text, position):
        return None
    if match := TAUGHT.match(reading.text, position):
        return read_taught(reading, match)
    if match := _NAMELESS.match(reading.text, position):
        return _read_nameless(reading, match)
    if (match := _NAME_ONLY.match(reading.text, position)) or (
        match := _NO_BRACKET.match(reading.text, position)
    ):
        return _read_name_only(reading, match)
    if match := _ACTION.match(reading.text, position):
        return _read_action(reading, match)
    if (match := _ACTION_CALL.match(reading.text, position)) and reading.tool(
        clean_name(match.group("name"))
    ):
        return read_taught_action(reading, match)
    return None


def read_taught_action(reading: Reading, match: re.Match[str]) -> Found | None:
    """`Action: NAME(...)`, of a known tool."""
    name = clean_name(match.group("name"))
    try:
        arguments = _arguments(reading, name, match.end())
    except ReadError as error:
        malformed = reading.malformed(name, match.start(), error)
        return Found((malformed,), match.start(), malformed.span[1])
    call = ToolCall(name, arguments.values, (match.start(), arguments.end), ("Action", *arguments.repairs))
    return Found((call,), match.start(), arguments.end)


def _read_nameless(reading: Reading, match: re.Match[str]) -> Found | None:
    position = match.end()
    if reading.text.startswith("{", position):
        found = read_objects(reading, position, weak=True)
        if found.items:
            return found._replace(start=match.start())
    inside = position + reading.text.startswith("(", position)
    reader = ValueReader(reading.source, reading.source.limit(inside))
    try:
        values, end = (
            reader.object_at(reader.skip(inside)) if reader.peek(reader.skip(inside)) == "{" else ({}, 0)
        )
    except ReadError:
        return None
    if not values:
        return None
    closer = re.compile(r"[ \t]*+\)").match(reading.text, end)
    end = closer.end() if closer else end
    fitting = [name for name in reading.tools if binds(name, values, reading.tools)]
    if not fitting and inside == position:
        return None
    suggestion = taught_form(fitting[0], values) if len(fitting) == 1 else None
    error = ReadError("the name of the tool is missing", match.start())
    return Found((reading.malformed(None, match.start(), error, suggestion),), match.start(), end)


def _read_name_only(reading: Reading, match: re.Match[str]) -> Found | None:
    """A name without arguments on its line: they may stand below, or be none."""
    name = clean_name(match.group("name"))
    tool = reading.tool(name)
    if tool is None:
        return None
    below = match.end() - match.group().endswith("\n")
    if match.re is _NAME_ONLY and (found := _read_object_below(reading, match, name, below)):
        return found
    if match.re is _NAME_ONLY and _listed(reading, match):
        return None
    start, end = match.start(), match.end() if match.re is _NO_BRACKET else below
    required = [p for p in tool.signature.parameters.values() if is_required(p)]
    call = ToolCall(name, {}, (start, end), ("no arguments",))
    fence_below = re.compile(r"\s*+(?:`{3}|~{3})").match(reading.text, below)
    only_block = bool(fence_below) and len(required) == 1 and reading.lacks_block(call) is not None
    if match.re is _NAME_ONLY and (not required or only_block):
        return Found((call,), start, end)
    error = ReadError(
        "the arguments are missing" if match.re is _NAME_ONLY else "the parentheses are missing", end
    )
    line = _ONE_LINE.match(reading.text, end)
    suggestion = _bracketless(reading, name, line.group() if line else "")
    return Found(
        (reading.malformed(name, start, error, suggestion),),
        start,
        max(end, reading.source.line_end(end - 1)),
    )


def _bracketless(reading: Reading, name: str, rest: str) -> str | None:
    """The corrected call for arguments that stand behind the name without parentheses."""
    inner = Reading(type(reading.source)(f"({rest.strip()})"), reading.tools)
    try:
        values = _arguments(inner, name, 0).values
    except ReadError:
        return None
    return taught_form(name, values) if rest.strip() and values else None


def _listed(reading: Reading, match: re.Match[str]) -> bool:
    """Whether the line is one of a list or of a mapping, such as YAML."""
    bulleted = not re.match(rf"[ \t]*+{_MARKUP}tool", match.group(), re.IGNORECASE)
    return bulleted or bool(_YAML_BELOW.match(reading.text, match.end()))


def _read_object_below(reading: Reading, match: re.Match[str], name: str, below: int) -> Found | None:
    opener = _OBJECT_BELOW.match(reading.text, below)
    if opener is None:
        return None
    reader = ValueReader(reading.source, reading.source.limit(below))
    try:
        written, end = reader.object_at(opener.end())
    except ReadError:
        return None
    arguments = arguments_of(reading, name, written, reader)
    if arguments is None or not binds(name, arguments, reading.tools):
        return None
    if "```" in opener.group() and (closer := _FENCE_END.match(reading.text, end)):
        end = closer.end()
    call = ToolCall(name, arguments, (match.start(), end), ("arguments below the name", *reader.repairs))
    return Found((call,), match.start(), end)


def _read_action(reading: Reading, match: re.Match[str]) -> Found | None:
    """`Action:` with an `Action Input:` that is an object, or the text of the only argument."""
    name, start, position = clean_name(match.group("name")), match.start(), match.end()
    reader = ValueReader(reading.source, reading.source.limit(position))
    fenced = "```" in match.group("gap")
    if reader.peek(position) != "{":
        return _read_action_text(reading, match, name)
    try:
        written, end = reader.object_at(position)
    except ReadError as error:
        malformed = reading.malformed(name, start, error)
        return Found((malformed,), start, malformed.span[1])
    if fenced and (closer := _FENCE_END.match(reading.text, end)):
        end = closer.end()
    arguments = arguments_of(reading, name, written, reader) or {}
    return Found((ToolCall(name, arguments, (start, end), ("Action", *reader.repairs)),), start, end)


def _read_action_text(reading: Reading, match: re.Match[str], name: str) -> Found | None:
    tool, start = reading.tool(name), match.start()
    line = _ONE_LINE.match(reading.text, match.end())
    end = line.end() if line else match.end()
    text = reading.text[match.end() : end].strip()
    reader = ValueReader(reading.source, reading.source.end)
    same_line = "\n" not in match.group("gap")
    if text[:1] in ('"', "'") and len(text) > 1 and text[-1] == text[0]:
        text = reader.unescape(text[1:-1], text[0])
    if tool and (not text or not same_line or text in ("None", "null", "{}")):
        if not [p for p in tool.signature.parameters.values() if is_required(p)]:
            return Found((ToolCall(name, {}, (start, end), ("Action",)),), start, end)
    elif tool and end < reading.source.end and (values := only_text(tool.signature.parameters, text, reader)):
        return Found((ToolCall(name, values, (start, end), ("Action", *reader.repairs)),), start, end)
    if tool is None:
        return None
    error = ReadError("the action's input is no object", match.end(), cut=end == reading.source.end)
    return Found((reading.malformed(name, start, error),), start, end)


def read_bare(reading: Reading, position: int, *, anywhere: bool = False) -> Found | None:
    """A call without any prefix: a known tool with fitting arguments, and nothing else on the line.

    With `anywhere` other text may follow on the line.
    """
    text = reading.text
    if match := _BARE.match(text, position) or _BARE_BELOW.match(text, position):
        return _read_bare_call(reading, match, anywhere=anywhere) if match["name"] in reading.tools else None
    begin = _BARE_OBJECT.match(text, position)
    if begin:
        found = read_objects(reading, begin.end(), weak=True)
        return found if found.items and _LINE_REST.match(text, found.end) else None
    begin = _BARE_LIST.match(text, position)
    if (
        begin
        and (python := PYTHON_NAME.match(text, begin.end() + 1))
        and clean_name(python.group("name")) in reading.tools
    ):
        return _known_only(reading, read_python_calls(reading, _at(text, begin.end())))
    return None


def _at(text: str, position: int) -> re.Match[str]:
    match = re.compile("").match(text, position)
    assert match is not None
    return match


def _known_only(reading: Reading, found: Found | None) -> Found | None:
    items = tuple(item for item in found.items if reading.is_known(item)) if found else ()
    return found._replace(items=items) if found and items else None


def _read_bare_call(reading: Reading, match: re.Match[str], *, anywhere: bool) -> Found | None:
    name = match.group("name")
    try:
        arguments = _arguments(reading, name, match.end(), words=False)
    except ReadError as error:
        return _failed_bare(reading, match, error)
    if not anywhere and not _LINE_REST.match(reading.text, arguments.end):
        return None
    call = ToolCall(name, arguments.values, (match.start(), arguments.end), ("no prefix", *arguments.repairs))
    parameter = reading.lacks_block(call)
    complete = {**arguments.values, parameter: ""} if parameter else arguments.values
    fence = re.compile(r"[ \t\r`]*+\n\s*+(?:`{3}|~{3})").match(reading.text, arguments.end)
    if not binds(name, complete, reading.tools) or (parameter and not fence):
        return None
    return Found((call,), match.start(), arguments.end)


def _failed_bare(reading: Reading, match: re.Match[str], error: ReadError) -> Found | None:
    """An attempt only if it begins with the arguments' object: anything else may be a sentence."""
    if not re.compile(r"\(?\s*+\{\s*+[\"']\w").match(reading.text, match.end()):
        return None
    malformed = reading.malformed(match.group("name"), match.start(), error)
    return Found((malformed,), match.start(), max(malformed.span[1], match.end()))


def read_python_calls(reading: Reading, match: re.Match[str]) -> Found | None:
    """Calls in Python's syntax from the start of `match`: in a list, or one after another."""
    start = position = match.start()
    bracket = reading.text.startswith("[", position)
    position += bracket
    items: list[ToolCall | MalformedCall] = []
    while head := PYTHON_NAME.match(reading.text, position):
        item, position = _read_python_call(reading, head)
        items.append(item)
        following = _PYTHON_NEXT.match(reading.text, position)
        if following is None:
            break
        position = following.end()
    closer = re.compile(r"[\s,]*+\]").match(reading.text, position) if bracket else None
    return Found(tuple(items), start, closer.end() if closer else position) if items else None


def _read_python_call(reading: Reading, head: re.Match[str]) -> tuple[ToolCall | MalformedCall, int]:
    name, start = clean_name(head.group("name")), head.start("name")
    try:
        arguments = _arguments(reading, name, head.end(), words=False)
    except ReadError as error:
        sibling = _SIBLING.search(
            reading.text, max(error.position, head.end()), reading.source.line_end(error.position)
        )
        malformed = reading.malformed(name, start, error)
        return malformed, sibling.start() if sibling and not error.cut else malformed.span[1]
    end = arguments.end
    if head.group("print"):
        closer = re.compile(r"[ \t]*+\)").match(reading.text, end)
        end = closer.end() if closer else end
    return ToolCall(name, arguments.values, (start, end), ("Python call", *arguments.repairs)), end


_SIBLING = re.compile(r"[,;][ \t]*+(?=[^\W\d][\w.]*+[ \t]*+\(\s*+[^\W\d]\w*+[ \t]*+=)")
