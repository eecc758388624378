"""Making messages shorter, always saying so: first old results, in the last resort everything."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from text_agent.config.limits import SHORT_RESULT_CHARS
from text_agent.messages import Message, ResultSpan
from text_agent.protocol.templates import fill_template
from text_agent.text.truncation import truncate

# The least that is left of a message, in characters.
_LEAST_CHARS = 200


def shorten_results(messages: Sequence[Message], whole: int) -> list[Message]:
    """Shortens the results of old steps; the `whole` newest, and errors, stay as they are."""
    results = [index for index, message in enumerate(messages) if message.kind == "results"]
    old = set(results[:-whole])
    return [
        _with_results(message, _shortened) if index in old else message
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
    if not message.results:
        return replace(message, content=truncate(message.content, limit))
    share = max(limit // len(message.results), _LEAST_CHARS)
    return _with_results(message, lambda _, text: truncate(text, share))


def _with_results(message: Message, change: Callable[[ResultSpan, str], str]) -> Message:
    """The message with another text for each of its results."""
    content, done = "", 0
    results: list[ResultSpan] = []
    for result in message.results:
        start, end = result.span
        content += message.content[done:start]
        text = change(result, message.content[start:end])
        results.append(replace(result, span=(len(content), len(content) + len(text))))
        content += text
        done = end
    return replace(message, content=content + message.content[done:], results=tuple(results))


def _shortened(result: ResultSpan, text: str) -> str:
    if result.status != "ok" or len(text) <= 2 * SHORT_RESULT_CHARS:
        return text
    kept = text[: text.rfind("\n", 0, SHORT_RESULT_CHARS) + 1]
    note = fill_template("shortened_result", count=f"{len(text) - len(kept):,}", name=result.name)
    return kept + note
