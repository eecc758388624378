"""What the bodies of refusals say, in the many forms that servers give them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from text_agent.lazy_regex import late_pattern
from text_agent.providers.json_text import read_json

# The fields of an error that may say which part of a request it is about.
_NAMING_KEYS = frozenset(
    {
        *("error", "message", "detail", "details", "msg", "param", "code", "errors", "issues", "ctx"),
        *("expected", "instancePath"),
    }
)
# Those that say it as a list of steps, such as `["body", "messages", 0, "role"]`.
_PATH_KEYS = frozenset({"loc", "path"})
_MAX_DEPTH = 8
# Characters of a body in which its words are looked for; the search takes the square of them at worst.
_MAX_CHARS = 5_000
_TITLE = late_pattern(r"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)


def naming(body: str) -> str:
    """What the body says of the request's parts: its words, and the fields that name a part of it.

    Not all of the body: some servers repeat the whole request, which names everything.
    """
    try:
        return " ".join(_naming(read_json(body)))[:_MAX_CHARS]
    except ValueError:
        return body[:_MAX_CHARS]


def _naming(value: object, depth: int = 0) -> Iterator[str]:
    if isinstance(value, str):
        # Some gateways put the text of another server's error, JSON or not, into their own.
        yield value
    elif isinstance(value, list) and depth < _MAX_DEPTH:
        for item in value:
            yield from _naming(item, depth + 1)
    elif isinstance(value, Mapping) and depth < _MAX_DEPTH:
        for key, item in value.items():
            if key in _PATH_KEYS and isinstance(item, list):
                yield ".".join(str(step) for step in item if isinstance(step, str | int))
            elif key in _NAMING_KEYS | _PATH_KEYS:
                yield from _naming(item, depth + 1)


def words(body: str) -> str:
    """What the body says to a person."""
    if is_html(body):
        title = _TITLE.search(body[:_MAX_CHARS])
        name = " ".join(title[1].split()) if title else ""
        return f"an HTML page ({name[:80]!r})" if name else "an HTML page"
    try:
        return _message(read_json(body)) or body
    except ValueError:
        return body


def _message(value: object, depth: int = 0) -> str:
    """The first text in the places where servers put it."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping) and depth < _MAX_DEPTH:
        for key in ("error", "message", "detail", "msg", "type"):
            if found := _message(value.get(key), depth + 1):
                return found
    return json.dumps(value) if isinstance(value, list) else ""


def is_html(body: str) -> bool:
    """Whether the body is a page for a browser."""
    return body.lstrip("\ufeff \t\r\n").startswith("<")
