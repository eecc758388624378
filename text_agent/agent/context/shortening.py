"""Making messages shorter, always saying so: first old results, in the last resort everything."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from text_agent.config.limits import SHORT_RESULT_CHARS
from text_agent.lazy_regex import late_pattern
from text_agent.messages import Message
from text_agent.protocol.templates import load_template
from text_agent.text.truncation import truncate

# The header of a result. Foreign text holds no such line: it is made harmless before it comes here.
_HEADER = late_pattern(
    r"^tool_result\((?P<name>.*) #\d+ (?P<status>ok|error|denied|not run)\):\n", re.MULTILINE
)
# The least that is left of a message, in characters.
_LEAST_CHARS = 200


def shorten_results(messages: Sequence[Message], whole: int) -> list[Message]:
    """Shortens the results of old steps; the `whole` newest, and errors, stay as they are."""
    results = [index for index, message in enumerate(messages) if message.kind == "results"]
    old = set(results[:-whole])
    return [
        replace(message, content=_map_results(message.content, _shortened)) if index in old else message
        for index, message in enumerate(messages)
    ]


def squeeze(messages: Sequence[Message], fits: Callable[[Sequence[Message]], bool]) -> list[Message]:
    """Cuts the middle of the longest texts until `fits` says that it is enough, or nothing is left to cut."""
    squeezed = list(messages)
    limit = max((len(message.content) for message in messages), default=0)
    while not fits(squeezed) and limit > _LEAST_CHARS:
        limit = max(limit * 3 // 4, _LEAST_CHARS)
        squeezed = [_cut(message, limit) for message in messages]
    return squeezed


def _cut(message: Message, limit: int) -> Message:
    if len(message.content) <= limit:
        return message
    parts = max(len(_HEADER.findall(message.content)), 1)
    share = max(limit // parts, _LEAST_CHARS)
    return replace(message, content=_map_results(message.content, lambda _, text: truncate(text, share)))


def _map_results(content: str, change: Callable[[re.Match[str] | None, str], str]) -> str:
    """Changes the text below each header; without a header, the whole."""
    headers = list(_HEADER.finditer(content))
    if not headers:
        return change(None, content)
    ends = [*(header.start() for header in headers[1:]), len(content)]
    parts = [content[: headers[0].start()]]
    for header, end in zip(headers, ends, strict=True):
        text = content[header.end() : end]
        kept = text.rstrip("\n")
        parts += [header[0], change(header, kept), text[len(kept) :]]
    return "".join(parts)


def _shortened(header: re.Match[str] | None, text: str) -> str:
    if header is None or header["status"] != "ok" or len(text) <= 2 * SHORT_RESULT_CHARS:
        return text
    kept = text[: text.rfind("\n", 0, SHORT_RESULT_CHARS) + 1]
    note = load_template("shortened_result").substitute(
        count=f"{len(text) - len(kept):,}", name=header["name"]
    )
    return kept + note
