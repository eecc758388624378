"""What is certainly an attempt, in a form that no reader knows.

A token or tag whose name says that a call follows, and a reply that is nothing but calls that could not be
run, in JSON or as a list in Python's syntax: the tool does not exist, or the arguments do not fit it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from text_agent.lazy_regex import late_pattern
from text_agent.protocol.binding.bind import misfit_of
from text_agent.protocol.markers import BAR, CALLED, PREFIX
from text_agent.protocol.reading.arguments import decode_object
from text_agent.protocol.reading.edits.foreign_tools import own_calls
from text_agent.protocol.reading.forms.json_calls import FIRST_KEYS, WRAPPER_KEYS, JsonCall, calls_in
from text_agent.protocol.reading.reading import Found, Reading, begins_line
from text_agent.protocol.reading.siblings import ARGUMENT_KEYS, NAME_KEYS
from text_agent.protocol.reading.source import ReadError
from text_agent.protocol.reading.values import ValueReader
from text_agent.protocol.types import MalformedCall, ToolCall

_WHOLE = late_pattern(r"\s*(?P<value>\{[\s\S]*\}|\[[\s\S]*\])\s*")
_ONLY_FENCE = late_pattern(
    r"(?:(?!```)[\s\S])*?```\w*[ \t]*\n\s*(?P<value>[\[{](?:(?!```)[\s\S])*[\]}])\s*\n```(?:(?!```)[\s\S])*"
)
_PYTHON = late_pattern(r"\[\s*(?P<name>[^\W\d][\w.]*)\(\s*[^\W\d]\w*\s*=[\s\S]*\)\s*\]")

_TOKEN_NAME = r"(?:[\w-]{1,20}[:|])?[\w▁ -]{0,40}?(?i:tool|call)[\w▁ -]{0,40}+(?:[:|][\w-]{1,20}+)?"
_ATTEMPT = late_pattern(
    rf"(?:<{BAR}?{_TOKEN_NAME}{BAR}?>|\[[A-Z_]{{0,20}}(?:TOOL|CALL)[A-Z_]{{0,20}}+\])\s{{0,9}}"
    rf"(?=\{{\s*+(?:[\"']|\Z)|\[\s*+[\[{{]|(?P<called>{CALLED})(?:\s{{0,9}}[({{<]|(?P<bare>\s|\Z))"
    r"|<(?:tool_)?(?:name|arguments|parameters|args|input)>"
    rf"|<{BAR}?(?!/|[\w:|▁ ]{{0,30}}end[\W_]){_TOKEN_NAME}{BAR}?>)"
)
# A tag with attributes, and one of its own around words.
_ATTRIBUTES = late_pattern(
    rf"<{PREFIX}(?:tool[_-]?(?:call|use)|invoke|function(?:_call)?)\s(?P<rest>[^<>\n]{{1,300}}+)>"
    r"|<(?P<tag>(?!(?:tool|function)_calls?>)[\w-]{0,20}(?:tool|function)[_-](?:calls?|uses?|requests?))>(?=[^<>]{1,400}+</(?P=tag)>)"
)
_QUOTED_NAME = late_pattern(rf"[\"']({CALLED})[\"']")


def attempt_token(reading: Reading, position: int) -> re.Match[str] | None:
    """The token or tag at `position`, if it says that a call follows, and one seems to."""
    token = _ATTEMPT.match(reading.text, position)
    if token and _is_attempt(reading, token):
        return token
    tag = _ATTRIBUTES.match(reading.text, position)
    if tag is None or not begins_line(reading.text, position):
        return None
    return tag if tag["tag"] or _names_tool(reading, tag["rest"]) else None


def _is_attempt(reading: Reading, token: re.Match[str]) -> bool:
    """Whether what stands behind a token can only be a call."""
    if token["called"] is None:
        return True
    alone = token["bare"] is None or begins_line(reading.text, token.start())
    return alone and reading.tool(token["called"]) is not None


def _names_tool(reading: Reading, attributes: str) -> bool:
    """Whether a tag's attributes name a tool."""
    return any(reading.tool(match[1]) is not None for match in _QUOTED_NAME.finditer(attributes))


def whole_attempt(reading: Reading, *, fenced: bool) -> Found | None:
    """The calls that could not be run and are the whole reply, or perhaps its only fence."""
    whole = _WHOLE.fullmatch(reading.text) or (_ONLY_FENCE.fullmatch(reading.text) if fenced else None)
    if whole is None:
        return None
    start, end = whole.span("value")
    items = [item for call in _calls(reading, start, end) for item in _items(reading, call, (start, end))]
    return Found(tuple(items), start, end) if items else None


def _items(reading: Reading, call: JsonCall, span: tuple[int, int]) -> list[ToolCall | MalformedCall]:
    """What a call that was not read means: an edit, or only an attempt; nothing if it could be run."""
    name = reading.called(call.name)
    arguments = call.arguments if isinstance(call.arguments, dict) else {}
    if tool := reading.tool(name):
        misfit = misfit_of(arguments, tool)
        return [reading.malformed(name, span[0], ReadError(misfit, span[0]))] if misfit else []
    written = ToolCall(name, arguments, span)
    own = own_calls(reading, written)
    # Without any mark of a call, only what an edit holds is not said of another program's tool.
    if own != [written] and all(isinstance(each, MalformedCall) or _edits(reading, each) for each in own):
        return own
    return [reading.malformed(call.name, span[0], ReadError(f"there is no tool {call.name!r}", span[0]))]


def _edits(reading: Reading, call: ToolCall) -> bool:
    tool = reading.tool(call.name)
    return tool is not None and tool.words.edits is not None


def _calls(reading: Reading, start: int, end: int) -> list[JsonCall]:
    """What a text calls, if it does nothing else."""
    if python := _PYTHON.fullmatch(reading.text, start, end):
        return [JsonCall(python["name"], None)]
    reader = ValueReader(reading.source, end)
    try:
        value, stop = reader.value(start)
    except ReadError:
        return []
    written = value if isinstance(value, list) else [value]
    if reader.skip(stop) != end or not all(_is_nothing_but_call(reading, each) for each in written):
        return []
    return list(calls_in(value))


def _is_nothing_but_call(reading: Reading, value: Any) -> bool:
    """Whether a value is an object of a name and arguments: the description of a tool holds more.

    What has the name of one of the tools may give its arguments in any form.
    """
    if not isinstance(value, Mapping) or not value.keys() <= FIRST_KEYS:
        return False
    if wrapped := next((value[key] for key in WRAPPER_KEYS if isinstance(value.get(key), dict | list)), None):
        inner = wrapped if isinstance(wrapped, list) else [wrapped]
        return all(_is_nothing_but_call(reading, each) for each in inner)
    names = [value[key] for key in NAME_KEYS if isinstance(value.get(key), str)]
    arguments = [value[key] for key in ARGUMENT_KEYS if key in value]
    if not names or len(arguments) != 1:
        return False
    given = arguments[0] if isinstance(arguments[0], dict) else decode_object(arguments[0])
    if given is not None:
        return "properties" not in given
    return reading.called(names[0]) in reading.tools
