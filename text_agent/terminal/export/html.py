"""A transcript as one HTML page, which loads nothing and runs nothing."""

from __future__ import annotations

import html
from importlib import resources

from text_agent.terminal.export.transcript import Call, Entry, Remark, Request, Transcript, Words
from text_agent.text.sanitize import reveal, sanitize

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_HEADER_LINES = 2
_CLASSES = {"+": "added", "-": "removed", "@": "place"}


def render_html(transcript: Transcript) -> str:
    """The transcript as one document."""
    title = _text(transcript.title)
    facts = "".join(
        f"<dt>{_text(name)}<dd>{_text(value)}" for name, value in transcript.facts.items() if value
    )
    style = (resources.files(__package__) / "style.css").read_text(encoding="utf-8")
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            '<meta name="viewport" content="width=device-width">',
            f"<title>{title}</title>\n<style>\n{style}</style>",
            f"<main>\n<h1>{title}</h1>\n<dl>{facts}</dl>",
            *map(_entry, transcript.entries),
            "</main>\n</html>\n",
        ]
    )


def _entry(entry: Entry) -> str:
    match entry:
        case Request(text=text, time=time):
            return f'<section class="request"><time>{_text(time)}</time><pre>{_text(text)}</pre></section>'
        case Words(text=text):
            return f'<section class="words">{_markdown(sanitize(text))}</section>'
        case Call():
            return _call(entry)
        case Remark(text=text):
            return f'<p class="remark">{_text(text)}</p>'


def _call(call: Call) -> str:
    kind = "call" if call.status == "ok" else "call failed"
    summary = f"<summary><code>{_text(call.line)}</code> {_text(call.status)}</summary>"
    folded = f'<details class="{kind}">{summary}<pre>{_text(call.text)}</pre></details>'
    diff = "\n".join(_diff_line(number, line) for number, line in enumerate(call.diff.split("\n")))
    return folded + (f'\n<pre class="diff">{diff}</pre>' if call.diff else "")


def _diff_line(number: int, line: str) -> str:
    # The two lines of the header begin like removed and added ones.
    kind = "place" if number < _HEADER_LINES else _CLASSES.get(line[:1])
    shown = html.escape(reveal(line.removesuffix("\r")))
    return f'<span class="{kind}">{shown}</span>' if kind else shown


def _markdown(text: str) -> str:
    from markdown_it import MarkdownIt

    # No HTML of the model's own, and no images: a page that loads one tells its server that it is read.
    reader = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable("image")
    return str(reader.render(text))


def _text(text: str) -> str:
    return html.escape(sanitize(text))
