"""Calls that are written as tags, one tag for each argument.

    <function=NAME><parameter=KEY>text</parameter></function>                     Qwen3-Coder, Seed-OSS
    <invoke name="NAME"><parameter name="KEY">text</parameter></invoke>           Anthropic, MiniMax, DSML
    <tool_name>NAME</tool_name><parameters><KEY>text</KEY></parameters>           older Anthropic
    NAME <arg_key>KEY</arg_key><arg_value>text</arg_value>                        GLM
    <|open|>call tool="NAME"<|sep|><|open|>argument key="KEY"<|sep|>text<|close|>argument<|sep|>  Kimi K3
    <NAME><KEY>text</KEY></NAME>                                                  Cline, for known tools

One line break is trimmed at each end of a text, nothing else; entities are not decoded. A text becomes
what the tool's signature takes (a number, a list) unless that is a string. A missing closing tag is
supplied behind a closed argument, at the end of the reply only if no required argument is missing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from text_agent.lazy_regex import late_pattern, past
from text_agent.protocol.binding.aliases import parameters_named, tools_related
from text_agent.protocol.markers import CALLED, GLUE, KEY, PREFIX
from text_agent.protocol.reading.arguments import decode_value, normalise
from text_agent.protocol.reading.forms.json_calls import read_object_call
from text_agent.protocol.reading.line_syntax import NEXT_ATTEMPT
from text_agent.protocol.reading.reading import Found, Reading, begins_line
from text_agent.protocol.reading.source import ReadError
from text_agent.protocol.reading.strings import behind_section, element_text
from text_agent.protocol.reading.values import ValueReader
from text_agent.protocol.tool import ToolDescription
from text_agent.protocol.types import ToolCall

_P = PREFIX
_NAME = r"[\"']?(?P<name>(?:[^\"'<>/\n]|/(?!\s*+>)){1,128}+)[\"']?\s*+(?P<closed>/?)"
FUNCTION = late_pattern(rf"<function\s?=\s?{_NAME}>")
INVOKE = late_pattern(rf"<{_P}(?:invoke|tool[_-]?call|tool_use|function){GLUE}name\s?=\s?{_NAME}>")
OPEN_CALL = late_pattern(r"<\|open\|>call\s++tool=\"(?P<name>[^\"\n]{1,80}+)\"[^<>\n]{0,80}+<\|sep\|>")
OUTER = r"(?:invoke|tool_use|tool_call|tool|function_call)"
ARGUMENTS = r"(?:parameters|arguments|tool_input|args|input)"
TOOL_NAME = late_pattern(
    rf"(?:<{OUTER}>\s*+)?<tool_name>\s*+(?P<name>[^<>\n]{{1,80}}+)</tool_name>"
    rf"|<{OUTER}>\s*+<name>\s*+(?P<inner>[^<>\n]{{1,80}}+)</name>"
)
NAME_TAG = late_pattern(r"<name>\s*+(?P<name>[^<>\n]{1,80}+)</name>(?P<inner>)")
GLM = late_pattern(
    rf"(?P<name>{CALLED})\s*+(?:<tool_sep>\s*+)?(?=<{_P}arg_(?:key|value)>|</{_P}tool_call>|[\w.-]{{1,80}}</{_P}arg_key>)"
)
CLINE = late_pattern(rf"<(?P<name>{CALLED})(?:(?P<closed>\s?/)>|>(?=\s*+<(?:(?P<first>{KEY})|/(?P=name))>))")

_PARAMETER = late_pattern(
    rf"<{_P}param(?:eter)?(?:\s?=\s?|{GLUE}name\s?=\s?)[\"']?(?P<key>[^\"'<>\s]{{1,80}}+)[\"']?(?P<more>[^<>]*+)>"
)
_PARAMETER_END = late_pattern(rf"</{_P}param(?:eter)?\s*+>")
_CHILD = late_pattern(rf"<(?P<key>{KEY})>(?P<more>)")
_ARG_KEY = late_pattern(
    rf"(?:<{_P}arg_key>)?(?P<key>[^<>\n]{{1,80}}+)</{_P}arg_key>\s*+"
    rf"(?:<{_P}arg_type>(?P<more>[^<>]{{0,40}}+)</{_P}arg_type>\s*+)?(?:<{_P}arg_value>)?"
)
_JSON_BODY = late_pattern(rf"\s*+<{ARGUMENTS}>\s*+(?=\{{)")
_JSON_BODY_END = late_pattern(r"\s*+</[\w:]++>")
_OUTER_BODY_END = late_pattern(rf"\s*+</{ARGUMENTS}>(?:\s*+</{OUTER}>)?+")
_ANY_END = late_pattern("</")
_OPENER_LINE = late_pattern(rf"(?:\A|\n|>)[ \t]*<{_P}tool_call>\s*\Z")
_SPACE = late_pattern(r"\s*+")
_END_OF_TOOL = rf"</{PREFIX}(?:tool[_-]?calls?|function_calls?|invoke|function)>"
_BORDER = late_pattern(
    rf"\n?</{_P}(?:function|invoke)>\s*+(?:\Z|</|<tool_call>|<function=|<{_P}invoke\s)"
    r"|</parameters>\s*+</invoke>|</arg_value>\s*+</tool_call>\s*+\Z"
    r"|(?:</tool_call>\s*+)?<tool_call>\s*+[\w.-]++\s*+<arg_key>"
)
_OUTER_END = late_pattern(_END_OF_TOOL)
# Where reading goes on behind a call that could not be read.
_GOES_ON = late_pattern(
    rf"{_END_OF_TOOL}|(?=<tool_call>|<function=|<{_P}invoke\s|{NEXT_ATTEMPT.pattern})", NEXT_ATTEMPT.flags
)
# What says in the tag that a value is no text.
_DECODED = late_pattern(r"string=\"false\"|(?:type=\"|\A)(?:number|integer|boolean|null|object|array)\b")


@dataclass(frozen=True, slots=True)
class _Shape:
    """How one family writes a call: what opens an argument, and what ends it (`{key}` is its name)."""

    argument: re.Pattern[str]
    argument_end: re.Pattern[str] | str
    call_end: re.Pattern[str]
    pass_before: re.Pattern[str] = _SPACE


_PARAMETERS = _Shape(
    _PARAMETER,
    _PARAMETER_END,
    late_pattern(
        rf"</{_P}(?:invoke|function|function_invocation)\s*+>(?:\s*+</function(?:_invocation)?>)?+|{_END_OF_TOOL}"
    ),
)
_CHILDREN = _Shape(
    _CHILD,
    "</{key}>",
    late_pattern(rf"</{ARGUMENTS}>(?:\s*+</{OUTER}>)?+|</{OUTER}>"),
    late_pattern(rf"\s*+(?:<{ARGUMENTS}>\s*+)?"),
)
_OPENED = _Shape(
    late_pattern(r"<\|open\|>argument\s++key=\"(?P<key>[^\"\n]{1,80}+)\"(?P<more>[^<>\n]{0,80}+)<\|sep\|>"),
    "<|close|>argument<|sep|>",
    late_pattern(r"<\|close\|>call<\|sep\|>"),
)
_KEYS_AND_VALUES = _Shape(_ARG_KEY, late_pattern(rf"</{_P}arg_value>"), late_pattern(rf"</{_P}tool_call>"))


def read_function(reading: Reading, match: re.Match[str]) -> Found | None:
    """`<function=NAME>` or `<invoke name="NAME">`, with parameters or an object; None for a mention."""
    if match["closed"]:
        return _without_arguments(reading, match)
    body = past(_SPACE, reading.text, match.end())
    if reading.text.startswith("{", body):
        return _read_json_body(reading, match, body)
    behind = reading.text[body : body + 1] not in ("<", "") or INVOKE.match(reading.text, body)
    if behind and reading.tool(reading.called(match["name"])) is None:
        return None
    return _read(reading, match, _PARAMETERS)


def _without_arguments(reading: Reading, match: re.Match[str]) -> Found:
    """A tag that closes itself."""
    call = ToolCall(reading.called(match["name"]), {}, match.span())
    return Found((call,), match.start(), match.end())


def read_named_tool(reading: Reading, match: re.Match[str]) -> Found:
    """`<tool_name>NAME</tool_name>` with one tag for each parameter, or an object, behind it."""
    body = _JSON_BODY.match(reading.text, match.end())
    if body:
        in_outer = not match.group().startswith(("<name>", "<tool_name>"))
        return _read_json_body(reading, match, body.end(), _OUTER_BODY_END if in_outer else _JSON_BODY_END)
    return _read(reading, match, _CHILDREN)


def read_open_call(reading: Reading, match: re.Match[str]) -> Found:
    """`<|open|>call tool="NAME"<|sep|>`, with an element of the same kind for each argument."""
    return _read(reading, match, _OPENED)


def read_glm(reading: Reading, match: re.Match[str]) -> Found | None:
    """A name, then pairs of `<arg_key>` and `<arg_value>`; None for a word between tags in a sentence."""
    bare = reading.text.startswith("</", past(_SPACE, reading.text, match.end()))
    before = reading.text[max(0, match.start() - 100) : match.start()]
    if bare and reading.tool(match.group("name")) is None and not _OPENER_LINE.search(before):
        return None
    return _read(reading, match, _KEYS_AND_VALUES)


def read_cline(reading: Reading, match: re.Match[str]) -> Found | None:
    """A known tool's name as a tag, its parameters as tags inside; None if this is other markup."""
    name = match.group("name")
    # Of the other names of tools some are elements of HTML, but none with an underscore.
    tool = reading.tool(name) or _relative(reading, name) if "_" in name else reading.tools.get(name)
    if tool is None or not (_begins_with_parameter(tool, match) or _stands_alone(reading, match)):
        return None
    if match["closed"]:
        return _without_arguments(reading, match)
    shape = _Shape(_CHILD, "</{key}>", re.compile(f"</{re.escape(name)}>"))
    return _read(reading, match, shape)


def _relative(reading: Reading, name: str) -> ToolDescription | None:
    """The tool that takes the edits which a tool of another program is given."""
    related = (reading.tools[known] for known in tools_related(name, reading.tools))
    return next((tool for tool in related if tool.words.edits), None)


def _begins_with_parameter(tool: ToolDescription, match: re.Match[str]) -> bool:
    return match["first"] in tool.properties or bool(parameters_named(match["first"] or "", tool))


def _stands_alone(reading: Reading, match: re.Match[str]) -> bool:
    """Whether an empty element is a line of its own, and the tool needs no more."""
    if match.group("first") or "_" not in match.group("name"):
        return False
    alone = reading.anywhere or begins_line(reading.text, match.start())
    return alone and not reading.missing(ToolCall(match["name"], {}))


def _called(reading: Reading, match: re.Match[str]) -> str:
    groups = match.groupdict()
    return reading.called(groups["name"] or groups.get("inner") or "")


def _read_json_body(
    reading: Reading, match: re.Match[str], position: int, closer: re.Pattern[str] = _JSON_BODY_END
) -> Found:
    reader = ValueReader(reading.source, reading.source.limit(position), terminator=_ANY_END)
    name = _called(reading, match)
    return read_object_call(reading, name, match.start(), position, reader, closer)


def _read(reading: Reading, match: re.Match[str], shape: _Shape) -> Found:
    name, start = _called(reading, match), match.start()
    try:
        written, end, repairs = _arguments(reading, name, match.end(), shape)
    except ReadError as error:
        return _failed(reading, name, start, error)
    reader = ValueReader(reading.source, end)
    arguments = normalise(name, written, reading.tool(name), reader)
    call = ToolCall(name, arguments, (start, end), (*repairs, *reader.repairs))
    return Found((call,), start, end)


def _failed(reading: Reading, name: str, start: int, error: ReadError) -> Found:
    if error.cut:
        return reading.failed(name, start, error)
    following = reading.source.search(_GOES_ON, error.position)
    reading.source.reached_end |= following is None
    return reading.failed(name, start, error, following.end() if following else error.position)


def _arguments(
    reading: Reading, name: str, position: int, shape: _Shape
) -> tuple[dict[str, Any], int, tuple[str, ...]]:
    text, values = reading.text, dict[str, Any]()
    position = past(shape.pass_before, text, position)
    while True:
        position = past(_SPACE, text, position)
        closer = shape.call_end.match(text, position)
        if closer:
            return values, closer.end(), ()
        opener = shape.argument.match(text, position)
        if opener is None:
            return _unclosed(reading, name, values, position)
        value, end = _argument_text(reading, opener, shape)
        key, value = opener["key"].strip(), _typed(reading, name, opener, value)
        if values.setdefault(key, value) != value:
            raise ReadError(f'the argument "{key}" is given twice', position)
        position = end


def _unclosed(
    reading: Reading, name: str, values: dict[str, Any], position: int
) -> tuple[dict[str, Any], int, tuple[str, ...]]:
    """The call if it may do without its closing tag."""
    repairs = ("missing closing tag",)
    if position < reading.source.end and not reading.anywhere:
        if values and _OUTER_END.match(reading.text, position):
            return values, position, repairs
        raise ReadError("a closing tag is missing", position)
    reading.source.reached_end = True
    if not values or reading.tool(name) is None or reading.missing(ToolCall(name, values)):
        raise ReadError("the text ends inside the call", position, cut=True)
    return values, position, repairs


def _argument_text(reading: Reading, opener: re.Match[str], shape: _Shape) -> tuple[str, int]:
    """An argument's text, and where the text behind its closing tag begins."""
    begin = behind_section(reading.source, opener.end())
    stop, after = _argument_end(reading, opener["key"], begin, shape)
    limit = min(stop, reading.source.limit(opener.start()))
    reading.source.reach(limit)
    borders = (reading.source.search(_BORDER, begin), _inner_opener(reading, opener, (begin, limit), shape))
    if inner := next((border for border in borders if border and border.start() < limit), None):
        raise ReadError("a closing tag is missing", inner.start())
    if stop == reading.source.end:
        raise ReadError("the text ends inside the call", stop, cut=True)
    if stop > limit:
        raise ReadError("the argument is too far from its end", opener.end())
    return element_text(reading.text[opener.end() : stop]), after


def _inner_opener(
    reading: Reading, opener: re.Match[str], span: tuple[int, int], shape: _Shape
) -> re.Match[str] | None:
    """What opens an argument inside the text of another: the closing tag behind it is not the outer one's."""
    if isinstance(shape.argument_end, str) and "{key}" in shape.argument_end:
        return re.compile(re.escape(opener.group())).search(reading.text, *span)
    return reading.source.search(shape.argument, span[0])


def _argument_end(reading: Reading, key: str, begin: int, shape: _Shape) -> tuple[int, int]:
    """Where an argument's closing tag stands behind `begin`, and ends; the text's end if there is none."""
    source = reading.source
    if isinstance(shape.argument_end, str):
        mark = shape.argument_end.format(key=key)
        at = source.find(mark, begin)
        return (source.end, source.end) if at < 0 else (at, at + len(mark))
    match = source.search(shape.argument_end, begin)
    source.reached_end |= match is None
    return match.span() if match else (source.end, source.end)


def _typed(reading: Reading, name: str, opener: re.Match[str], text: str) -> Any:
    """The value of an argument's text for the parameter that it is given to."""
    if _DECODED.search(opener.group("more") or ""):
        decoded = decode_value(text)
        return text if decoded is None else decoded
    tool, key = reading.tool(name), opener.group("key").strip()
    if tool is None or key not in tool.properties or tool.takes(key, "string"):
        return text
    decoded = decode_value(text.strip())
    return text if decoded is None and text.strip() not in ("null", "None") else decoded
