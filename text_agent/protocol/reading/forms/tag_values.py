"""The texts of arguments in tags, and the values that they stand for."""

from __future__ import annotations

import re
from typing import Any

from text_agent.lazy_regex import late_pattern
from text_agent.protocol.reading.arguments import decode_value
from text_agent.protocol.reading.reading import Reading

_CDATA = late_pattern(r"\s*<!\[CDATA\[(?P<inside>(?:(?!\]\]>)[\s\S])*)\]\]>\s*")


def trim(text: str) -> str:
    """Takes off one line break at the beginning, and then one at the end; or the marks of a CDATA section."""
    if section := _CDATA.fullmatch(text):
        return section["inside"]
    line_break = "\r\n" if text.startswith("\r\n") else "\n"
    return text.removeprefix(line_break).removesuffix(line_break) if text.startswith(line_break) else text


def typed(reading: Reading, name: str, opener: re.Match[str], text: str) -> Any:
    """The value of an argument's text for the parameter that it is given to."""
    if 'string="false"' in (opener.group("more") or ""):
        decoded = decode_value(text)
        return text if decoded is None else decoded
    tool = reading.tool(name)
    parameter = tool.signature.parameters.get(opener.group("key").strip()) if tool else None
    if parameter is None or parameter.annotation is parameter.empty or takes_text(parameter.annotation):
        return text
    decoded = decode_value(text.strip())
    return text if decoded is None and text.strip() not in ("null", "None") else decoded


def takes_text(annotation: Any) -> bool:
    """Whether a parameter may be given a string."""
    return annotation is str or any(takes_text(part) for part in _alternatives(annotation))


def _alternatives(annotation: Any) -> tuple[Any, ...]:
    """The members of a union; nothing for other types."""
    origin = getattr(annotation, "__origin__", None)
    is_union = type(annotation).__name__ == "UnionType" or str(origin) == "typing.Union"
    return tuple(annotation.__args__) if is_union else ()
