"""Thinking in a reply: from an opener to its closer, or to the end; all before a closer without an opener."""

from __future__ import annotations

import re

from text_agent.lazy_regex import late_pattern
from text_agent.protocol.markers import MARKERS, closers
from text_agent.protocol.reading.source import Source

_FORMS = {
    f"form{number}": marker for number, marker in enumerate(MARKERS) if marker.kind in ("thinking", "channel")
}
_ENDS = {name: late_pattern(marker.closer) for name, marker in _FORMS.items()}

THINK_OPENER = late_pattern("|".join(f"(?P<{name}>{marker.opener})" for name, marker in _FORMS.items()))
# The marks that end a channel mean nothing by themselves.
THINK_CLOSER = late_pattern(closers("thinking"))

# A server that drops the tokens leaves the names of the channels glued to the words.
_STRIPPED_ANALYSIS = late_pattern(
    r"\s*+analysis(?:We|The|This|User|I|It|Let|Need|Okay|OK|So|First|Now|Maybe|Hmm)\b"
)
_STRIPPED_CHANNEL = late_pattern(r"assistant(?:final|(?=commentary))")


def thinking_end(source: Source, opener: re.Match[str]) -> int:
    """Where the thinking that begins with `opener` ends: behind its closer, or at the end of the text."""
    closer = source.search(_ENDS[opener.lastgroup or ""], opener.end())
    source.reached_end |= closer is None
    return closer.end() if closer else source.end


def stripped_thinking_end(source: Source) -> int:
    """Where thinking ends whose tokens a server dropped, `analysisI look. assistantfinal...`; 0 without."""
    if not _STRIPPED_ANALYSIS.match(source.text):
        return 0
    channel = _STRIPPED_CHANNEL.search(source.text)
    source.reached_end |= channel is None
    return channel.end() if channel else source.end
