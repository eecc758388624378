"""Thinking in a reply: from an opener to its closer, or to the end; all before a closer without an opener."""

from __future__ import annotations

import re

from text_agent.lazy_regex import late_pattern
from text_agent.protocol.reading.source import Source

_TAGS = (
    r"(?i:(?:[\w-]{1,20}:)?(?:think(?:ing)?(?:_process)?|thoughts?|reasoning|reflection|analysis|scratchpad"
    r"|inner_thoughts?|(?:inner|internal)_monologue|chain_of_thought))"
)
# What opens thinking, and what closes it.
_FORMS = {
    "tag": (rf"<\|?{_TAGS}(?:\s[^<>\n]{{0,60}})?\|?>", rf"<\|?/{_TAGS}\s?\|?>"),
    "mistral": (r"\[THINK(?:ING)?\]", r"\[/THINK(?:ING)?\]"),
    "gemma": (r"<\|channel>\s*+thought", r"<channel\|>"),
    "command": (r"<\|START_THINKING\|>", r"<\|END_THINKING\|>"),
    "kimi": ("◁think▷", "◁/think▷"),
    "openthinker": (r"<\|begin_of_thought\|>", r"<\|end_of_thought\|>"),
}
# The channel of gpt-oss ends where any other begins; none of these marks means thinking by itself.
_ANALYSIS = (
    r"(?:<\|start\|>assistant)?<\|channel\|>analysis",
    r"<\|end\|>|(?=<\|start\|>)|(?=<\|channel\|>(?!analysis))|<\|return\|>|<\|call\|>",
)
_ENDS = {name: late_pattern(closer) for name, (_, closer) in {**_FORMS, "analysis": _ANALYSIS}.items()}

THINK_OPENER = late_pattern(
    "|".join(f"(?P<{name}>{opener})" for name, (opener, _) in {**_FORMS, "analysis": _ANALYSIS}.items())
)
THINK_CLOSER = late_pattern("|".join(closer for _, closer in _FORMS.values()))

# A server that drops the tokens leaves the names of the channels glued to the words.
_STRIPPED_ANALYSIS = late_pattern(
    r"\s*+analysis(?:We|The|This|User|I|It|Let|Need|Okay|OK|So|First|Now|Maybe|Hmm)\b"
)
_STRIPPED_CHANNEL = late_pattern(r"assistant(?:final|(?=commentary))")


def thinking_end(source: Source, opener: re.Match[str]) -> int:
    """Where the thinking that begins with `opener` ends: behind its closer, or at the end of the text."""
    closer = source.search(_ENDS[opener.lastgroup or "tag"], opener.end())
    if closer is None:
        source.reached_end = True
    return closer.end() if closer else source.end


def stripped_thinking_end(source: Source) -> int:
    """Where thinking ends whose tokens a server dropped, `analysisI look. assistantfinal...`; 0 without."""
    if not _STRIPPED_ANALYSIS.match(source.text):
        return 0
    channel = _STRIPPED_CHANNEL.search(source.text)
    source.reached_end = source.reached_end or channel is None
    return channel.end() if channel else source.end
