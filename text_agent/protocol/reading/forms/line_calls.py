"""Calls that begin a line: which of the forms it is."""

from __future__ import annotations

import re

from text_agent.lazy_regex import late_pattern
from text_agent.protocol.markers import MARKUP
from text_agent.protocol.reading.forms.named_lines import NAME_ONLY, NO_BRACKET, read_name_only
from text_agent.protocol.reading.forms.react import ACTION, ACTION_CALL, read_action, read_action_call
from text_agent.protocol.reading.forms.taught import NAMELESS, read_nameless, read_taught
from text_agent.protocol.reading.line_syntax import BULLET, SPACED, TAUGHT
from text_agent.protocol.reading.reading import Found, Reading

_LINE_FIRST = late_pattern(rf"{BULLET}{MARKUP}(?:tool|action)", re.IGNORECASE)


def read_line_call(reading: Reading, position: int) -> Found | None:
    """The call that begins at `position`, at the start of a line or behind another call."""
    if not _LINE_FIRST.match(reading.text, position):
        return None
    if match := TAUGHT.match(reading.text, position):
        return read_taught(reading, match)
    if (match := SPACED.match(reading.text, position)) and reading.tool(match["name"]):
        return read_taught(reading, match)
    if match := NAMELESS.match(reading.text, position):
        return read_nameless(reading, match)
    if (match := NAME_ONLY.match(reading.text, position)) or (
        match := NO_BRACKET.match(reading.text, position)
    ):
        return read_name_only(reading, match)
    if match := ACTION.match(reading.text, position):
        return read_action(reading, match)
    match = ACTION_CALL.match(reading.text, position)
    return read_action_call(reading, match) if match and reading.tool(reading.called(match["name"])) else None
