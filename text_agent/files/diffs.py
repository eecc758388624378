"""A change shown to the user."""

from __future__ import annotations

import difflib

from text_agent.files.encoding import NotTextError, decode_text

_NO_BREAK = "\\ No newline at end of file"


def render_diff(path: str, before: bytes | None, after: bytes | None) -> str:
    """A unified diff without a final line break; one line where a side is no text. None: there is no file."""
    try:
        old, new = _lines(before or b""), _lines(after or b"")
    except NotTextError:
        return f"{path}: {len(before or b''):,} bytes become {len(after or b''):,} bytes, which are not text"
    source, target = ("new file" if before is None else path), ("deleted file" if after is None else path)
    differences = list(difflib.unified_diff(old, new, source, target))
    if not differences:
        return f"--- {source}\n+++ {target}"
    return "\n".join(line for difference in differences for line in _printed(difference))


def _lines(data: bytes) -> list[str]:
    text, _ = decode_text(data)
    # Not splitlines(): it also breaks at characters that are no line breaks for any tool.
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _printed(difference: str) -> list[str]:
    if difference.endswith("\n"):
        return [difference[:-1].removesuffix("\r")]
    return [difference, _NO_BREAK]
