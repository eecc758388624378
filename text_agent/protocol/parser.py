"""Reads a model's reply: which tools it asks for, and what it says.

reply    = { line }
call     = "tool:" NAME arguments            at the start of a line, and behind another call
block    = fence lines fence                 directly after a call that lacks its last text
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from text_agent.messages import MalformedCall, ParsedReply, Quotation, ToolCall
from text_agent.protocol.arguments import ArgumentReader
from text_agent.protocol.binding import resolve_tool_name
from text_agent.protocol.description import ToolDescription, ToolDescriptions
from text_agent.protocol.quoting import INVENTED, is_invented
from text_agent.protocol.signatures import is_required, payload_parameter
from text_agent.protocol.source import Source
from text_agent.protocol.values import ReadError

_PREFIX = r"[ \t]*+(?:(?:[-*+•–]|\d{1,3}[.)]|#{1,6})[ \t]++){0,2}+"
TAUGHT = re.compile(
    _PREFIX + r"[*_`]{0,3}tool[*_`]{0,3}[ \t]*+:[*_`]{0,3}[ \t]*+[*_`]{0,3}(?P<name>[^\W\d][\w.-]*+)"
    r"[*`]{0,3}(?:<\|[^|<>\n]{1,40}\|>\w{0,20}+)?[ \t]*+(?=[({])",
    re.IGNORECASE,
)
_NEXT_ATTEMPT = re.compile(
    rf"^(?:{_PREFIX}[*_`]{{0,3}}tool[*_`]{{0,3}}[ \t]*+:|{INVENTED.pattern})", re.MULTILINE | re.IGNORECASE
)
FENCE = re.compile(r"(?P<indent>[ \t]*+)(?P<fence>`{3,}+|~{3,}+)(?P<info>[^`\n]*+)(?:\n|\Z)")
_BLANK_LINES = re.compile(r"[ \t\r`*]*+\n(?:[ \t\r]*+\n)*+")


def parse_reply(text: str, tools: ToolDescriptions) -> ParsedReply:
    """What `text` asks for and says; never raises.

    Args:
        text: the whole reply as the model wrote it.
        tools: the tools that exist, by name.
    """
    return _Pass(Source(text), tools).run()


class _Pass:
    """One pass over the lines of a reply."""

    def __init__(self, source: Source, tools: ToolDescriptions) -> None:
        self._source = source
        self._text = source.text
        self._tools = tools
        self._calls: list[ToolCall | MalformedCall] = []
        self._quotations: list[Quotation] = []
        self._removed: list[tuple[int, int]] = []
        self._invented_at: int | None = None

    def run(self) -> ParsedReply:
        position = 0
        while position < self._source.end and self._invented_at is None:
            position = self._line(position)
        return ParsedReply(self._calls, self._quotations, self._prose(), self._invented_at)

    def _line(self, position: int) -> int:
        if is_invented(self._source, position, after_call=bool(self._calls)):
            self._invented_at = position
            return position
        if match := TAUGHT.match(self._text, position):
            return self._taught(match)
        return self._source.next_line(position)

    def _taught(self, match: re.Match[str]) -> int:
        name, start = match.group("name"), match.end()
        known = resolve_tool_name(name, self._tools)
        tool = self._tools[known] if known else None
        following = _NEXT_ATTEMPT.search(self._text, start)
        bound = following.start() if following else self._source.end
        reader = ArgumentReader(self._source, name, tool, self._source.limit(start), bound)
        try:
            arguments = reader.read(start)
        except ReadError as error:
            return self._malformed(name, match.start(), error)
        call = ToolCall(name, arguments.values, (match.start(), arguments.end), arguments.repairs)
        return self._accept(call, tool)

    def _malformed(self, name: str, start: int, error: ReadError) -> int:
        where = (
            "the reply was cut" if error.cut else f"at {self._text[error.position : error.position + 20]!r}"
        )
        end = max(error.position, self._source.line_end(start))
        message = f"{error.message} ({where})"
        self._calls.append(MalformedCall(message, name, cut=error.cut, span=(start, end)))
        self._source.charge(end - start)
        self._removed.append((start, end))
        return end if error.cut else self._source.next_line(start)

    def _accept(self, call: ToolCall, tool: ToolDescription | None) -> int:
        start, end = call.span
        blank = _BLANK_LINES.match(self._text, end)
        fence = FENCE.match(self._text, blank.end()) if blank else None
        missing = _missing(call, tool)
        if fence and tool and not missing:
            self._invented_at = fence.start()
        if fence and tool and missing and payload_parameter(tool) in missing:
            return self._with_block(call, tool, fence)
        self._add(call, start, end)
        return end

    def _add(self, call: ToolCall | MalformedCall, start: int, end: int) -> None:
        self._calls.append(call)
        self._removed.append((start, end))

    def _with_block(self, call: ToolCall, tool: ToolDescription, fence: re.Match[str]) -> int:
        start = call.span[0]
        closer = self._source.fence_closer(fence.end(), fence.group("fence"))
        parameter = payload_parameter(tool)
        if closer is None or parameter is None:
            message = "the reply was cut inside the block of the call"
            cut = MalformedCall(message, call.name, cut=True, span=(start, self._source.end))
            self._add(cut, start, self._source.end)
            return self._source.end
        text = self._text[fence.end() : closer.start()]
        line_break = "\r\n" if fence.group().endswith("\r\n") else "\n"
        arguments = {**call.arguments, parameter: text.removesuffix(line_break)}
        self._add(replace(call, arguments=arguments, span=(start, closer.end())), start, closer.end())
        return closer.end()

    def _prose(self) -> str:
        end = self._source.end if self._invented_at is None else self._invented_at
        kept, position = [], 0
        for start, stop in sorted(self._removed):
            kept.append(self._text[position : min(start, end)])
            position = max(position, stop)
        kept.append(self._text[position:end])
        return re.sub(r"\n{3,}", "\n\n", "".join(kept)).strip()


def _missing(call: ToolCall, tool: ToolDescription | None) -> list[Any]:
    if tool is None:
        return []
    parameters = tool.signature.parameters.values()
    return [p.name for p in parameters if is_required(p) and p.name not in call.arguments]
