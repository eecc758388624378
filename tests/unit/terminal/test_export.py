from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from tests.support.described_tools import SEVEN_TOOLS
from text_agent.sessions.records import Record
from text_agent.terminal.export.html import render_html
from text_agent.terminal.export.markdown import render_markdown
from text_agent.terminal.export.transcript import Call, Remark, Request, Transcript, Words, read_transcript

HOSTILE = [
    "<script>alert(1)</script>",
    "</details></main><script>",
    "```\n</pre><script>x</script>\n````\n<script>",
    "~~~\n<script>\n~~~\n<script>",
    "``` a ` b\n<script>\n```",
    "`<script>`` <script> `",
    "> ```\n<script>",
    "    ```\n<script>",
    "<!-- <script> -->",
    "![x](http://evil.example/x.png)",
    "[x](javascript:alert(1))",
    "<img src=x onerror=alert(1)>",
    "\x1b[31m<script>\x1b]0;t\x07\u202e\x00",
    "&lt;script&gt;",
    "&#60;script>",
    "a\r\n```\r\n<script>\r\n```\r\n<script>",
    "- item\n  ```\n  <script>\n  ```\n  <script>",
]
RECORDS: list[Record | None] = [
    {"type": "session", "version": 1, "id": "x", "workspace": "/work", "model": "m", "created": "2030"},
    {"type": "turn", "text": "fix it", "time": "2030-01-02"},
    {"type": "message", "role": "user", "content": "fix it"},
    None,
    {"type": "message", "role": "assistant", "content": 'I look.\ntool: read_file({"path": "a"})'},
    {"type": "call", "number": 1, "name": "read_file", "arguments": {"path": "a"}},
    {"type": "result", "number": 1, "name": "read_file", "status": "ok", "text": "1| a"},
    {"type": "message", "role": "user", "content": "tool_result(read_file #1 ok):\n1| a"},
    {"type": "result", "number": 2, "name": "read_file", "status": "error", "text": "bad"},
    {"type": "replaced", "messages": []},
    {"type": "replaced", "messages": [{"role": "user", "content": "short"}]},
    {"type": "resumed", "time": "2031", "model": "n"},
    {"type": "model", "provider": "openai", "model": "o"},
    {"type": "named", "name": "the fix"},
    {"type": "finished", "status": "step limit", "answer": "", "message": "stopped."},
    {"type": "from the future"},
    {"type": "turn", "text": 3},
]


def everywhere(text: str) -> Transcript:
    entries = (
        Request(text, text),
        Words(text),
        Call(text, "ok", text, text),
        Call(text, text, text),
        Remark(text),
        Words("And on."),
    )
    return Transcript(text, {"folder": text}, entries)


class Page(HTMLParser):
    """The elements of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.attributes: set[str] = set()
        self.open: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag in ("details", "section", "main", "pre"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in ("details", "section", "main", "pre"):
            assert self.open.pop() == tag


def test_records_become_what_a_person_reads() -> None:
    transcript = read_transcript("x", RECORDS, SEVEN_TOOLS)
    assert transcript == Transcript(
        "the fix",
        {"session": "x", "folder": "/work", "model": "m", "begun": "2030"},
        (
            Request("fix it", "2030-01-02"),
            Words("I look."),
            Call('#1 read_file({"path": "a"})', "ok", "1| a"),
            Call("#2 read_file(...)", "error", "bad"),
            Remark("The conversation was cleared here."),
            Remark("The conversation was made shorter here."),
            Remark("The session went on at 2031 with n."),
            Remark("The model is o from here on."),
            Remark("stopped."),
        ),
    )


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_in_a_page_is_obeyed(text: str) -> None:
    page = render_html(everywhere(text))
    parsed = Page(page)
    assert parsed.open == []
    assert not parsed.elements & {"script", "img", "iframe", "link", "object"}
    assert not {name for name in parsed.attributes if name.startswith("on")} | parsed.attributes & {"src"}
    assert "javascript:" not in re.findall(r'href="([^"]*)"', page)
    assert "\x1b" not in page
    assert "\u202e" not in page


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_in_markdown_is_obeyed_or_ends_what_it_stands_in(text: str) -> None:
    document = render_markdown(everywhere(text))
    assert "\x1b" not in document
    shown = MarkdownIt("commonmark").render(document)
    parsed = Page(shown)
    assert parsed.open == []
    assert "script" not in parsed.elements
    assert "onerror" not in parsed.attributes
    assert shown.count("<details>") == shown.count("</details>") == 2
    assert "<p>And on.</p>" in shown


def test_a_diff_has_its_colours_and_a_failure_its_own() -> None:
    page = render_html(
        Transcript("x", {}, (Call("a", "error", "b", "--- a\n+++ a\n@@ -1 +1 @@\n-old\n+new\n same"),))
    )
    assert '<details class="call failed">' in page
    assert '<span class="removed">-old</span>\n<span class="added">+new</span>\n same' in page


def test_markdown_of_the_model_is_shown_as_it_is() -> None:
    words = "# Title\n\n- a `<b>` and x &lt; y\n\n```html\n<b>\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |"
    document = render_markdown(Transcript("x", {}, (Words(words),)))
    assert words in document
    page = render_html(Transcript("x", {}, (Words(words),)))
    assert "<h1>Title</h1>" in page
    assert "<table>" in page
    assert "<code>&lt;b&gt;</code>" in page


def test_what_could_not_be_saved_can_be_exported(project: Path) -> None:
    from tests.support.command import run_command
    from tests.support.scripted_server import ScriptedServer
    from tests.support.sessions import sessions_folder

    sessions_folder().parent.mkdir(parents=True)
    sessions_folder().write_text("a file")
    with ScriptedServer(["tool: list_files({})", "Five."]) as server:
        done = run_command(*server.flags(), cwd=project, stdin="2 + 3?\n/export out.md\n/exit\n")
    assert "The session is in" in done.stdout
    text = (project / "out.md").read_text()
    assert "2 + 3?" in text
    assert "Five." in text
