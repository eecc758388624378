"""A transcript as Markdown: results are folded, and nothing in them can end what they stand in."""

from __future__ import annotations

import html
import re

from text_agent.lazy_regex import late_pattern
from text_agent.protocol.writing import render_block
from text_agent.terminal.export.transcript import Call, Entry, Remark, Request, Transcript, Words
from text_agent.text.sanitize import reveal, sanitize

_OPENING = late_pattern(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_CODE_OR_TAG = late_pattern(r"(`+)(?!`).+?(?<!`)\1(?!`)|<")


def render_markdown(transcript: Transcript) -> str:
    """The transcript as one document."""
    facts = "\n".join(f"- {name}: {_code(value)}" for name, value in transcript.facts.items() if value)
    parts = [f"# {_plain(transcript.title)}", facts, *map(_entry, transcript.entries)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _entry(entry: Entry) -> str:
    match entry:
        case Request(text=text, time=time):
            heading = "## You" + (f" ({_plain(time)})" if time else "")
            return f"{heading}\n\n{render_block(sanitize(text), 'text')}\n\n### Agent"
        case Words(text=text):
            return _without_tags(sanitize(text))
        case Call():
            return _call(entry)
        case Remark(text=text):
            return f"*{_plain(text)}*"


def _call(call: Call) -> str:
    summary = f"<code>{html.escape(_one_line(call.line))}</code> {html.escape(_one_line(call.status))}"
    result = render_block(sanitize(call.text), "text")
    folded = f"<details><summary>{summary}</summary>\n\n{result}\n\n</details>"
    return f"{folded}\n\n{render_block(_revealed(call.diff), 'diff')}" if call.diff else folded


def _revealed(diff: str) -> str:
    return "\n".join(reveal(line.removesuffix("\r")) for line in diff.split("\n"))


def _code(text: str) -> str:
    return f"`{_one_line(text).replace('`', '')}`"


def _plain(text: str) -> str:
    """Text on one line in which nothing is Markdown."""
    return re.sub(r"([\\`*_\[\]<>#|~])", r"\\\1", _one_line(text))


def _one_line(text: str) -> str:
    return " ".join(sanitize(text).split())


def _without_tags(text: str) -> str:
    """Markdown in which HTML is shown, not obeyed, and every fence is closed."""
    lines, fence = [], ""
    for line in text.split("\n"):
        mark = _OPENING.match(line)
        lines.append(line if fence else _CODE_OR_TAG.sub(_escaped, line))
        if not fence:
            fence = mark[1] if mark else ""
        elif mark and mark[1].startswith(fence) and not line.strip(" `~"):
            fence = ""
    return "\n".join([*lines, fence] if fence else lines)


def _escaped(match: re.Match[str]) -> str:
    return "&lt;" if match[0] == "<" else match[0]
