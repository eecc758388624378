"""The texts of arguments in tags, and the values that they stand for."""

from __future__ import annotations

import re
from typing import Any

from text_agent.lazy_regex import late_pattern
from text_agent.protocol.reading.arguments import decode_value
from text_agent.protocol.reading.reading import Reading

# What says in the tag that a value is no text.
_DECODED = late_pattern(r"string=\"false\"|(?:type=\"|\A)(?:number|integer|boolean|null|object|array)\b")
_CDATA = late_pattern(r"\s*<!\[CDATA\[(?P<inside>(?:(?!\]\]>)[\s\S])*)\]\]>\s*")


def trim(text: str) -> str:
    """Takes off one line break at the beginning, and then one at the end; or the marks of a CDATA section."""
    if section := _CDATA.fullmatch(text):
        return section["inside"]
    line_break = "\r\n" if text.startswith("\r\n") else "\n"
    return text.removeprefix(line_break).removesuffix(line_break) if text.startswith(line_break) else text


def typed(reading: Reading, name: str, opener: re.Match[str], text: str) -> Any:
    """The value of an argument's text for the parameter that it is given to."""
    if _DECODED.search(opener.group("more") or ""):
        decoded = decode_value(text)
        return text if decoded is None else decoded
    tool, key = reading.tool(name), opener.group("key").strip()
    if tool is None or key not in tool.properties or tool.takes(key, "string"):
        return text
    decoded = decode_value(text.strip())
    return text if decoded is None and text.strip() not in ("null", "None") else decoded
