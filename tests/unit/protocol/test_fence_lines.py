"""Which line closes a block: for the text of a call, for a shown file, and in a grammar."""

from __future__ import annotations

import pytest

from tests.support.described_tools import SEVEN_TOOLS
from tests.support.reply_cases import calls_of, malformed_of
from text_agent.protocol.reading.blocks import find_blocks, unwritten_files
from text_agent.protocol.reading.parser import parse_reply
from text_agent.protocol.writing import render_block

NESTED = {
    "a block with a language": "# T\n\n```sh\nmake\n```\n\nMIT",
    "two of them": "```sh\nmake\n```\n\n```py\nx\n```\n",
    "at the end": "# T\n\n```sh\nmake\n```",
    "in a list, indented": "1. a\n   ```\n   make\n   ```\n2. b",
    "deep in a docstring": 'def f():\n    """\n    ```\n    f(2)\n    ```\n    """',
    "with words behind the language": '```python title="x"\nx\n```\n\nmore',
    "of other marks": "~~~\nx\n~~~\n\nmore",
    "in a comment": "/// ```\n/// f()\n/// ```\nfn f() {}",
    "a pair in a pair": "```text\n```py\nx\n```\n```\nmore",
    "an instruction of ours": '```text\ntool: write_file({"path": "x"})\n```\n\nmore',
}
AMBIGUOUS = {
    "a bare pair": "# T\n\n```\nmake\n```\n\nend",
    "a bare pair behind another one": "```sh\nx\n```\n\n```\ny\n```\n\nend",
    "a bare pair between words": 'T = """\n```\nx\n```\n"""',
}
CALL = 'tool: write_file({{"path": "{path}"}})\n'
LISTED = 'tool: list_files({"path": "src"})'


@pytest.mark.parametrize("path", ["README.md", "a.py", "notes", "x.txt"])
@pytest.mark.parametrize("info", ["", "markdown", "text"])
@pytest.mark.parametrize(
    "behind", ["", "\n\nDone.", f"\n\n{LISTED}\n", "\n\nRun it:\n\n```bash\nmake\n```\n"]
)
@pytest.mark.parametrize("text", NESTED.values(), ids=NESTED)
def test_fences_inside_a_text_belong_to_it(path: str, info: str, behind: str, text: str) -> None:
    reply = parse_reply(f"{CALL.format(path=path)}```{info}\n{text}\n```{behind}", SEVEN_TOOLS)
    written = ("write_file", {"path": path, "content": text})
    assert calls_of(reply) == [written, *([("list_files", {"path": "src"})] if LISTED in behind else [])]
    assert not malformed_of(reply)


@pytest.mark.parametrize("path", ["README.md", "a.txt"])
@pytest.mark.parametrize("text", AMBIGUOUS.values(), ids=AMBIGUOUS)
@pytest.mark.parametrize("behind", ["", f"\n\n{LISTED}\n"])
def test_a_text_that_may_end_at_two_lines_is_refused_with_the_form_that_works(
    path: str, text: str, behind: str
) -> None:
    reply = parse_reply(f"{CALL.format(path=path)}```\n{text}\n```{behind}", SEVEN_TOOLS)
    (malformed,) = malformed_of(reply)
    first, last = text.split("\n").index("```") if "sh" not in text else 4, len(text.split("\n"))
    assert "````" in malformed.error
    assert f" {last}:" in malformed.error
    assert str(first) in malformed.error
    assert not malformed.cut
    written = parse_reply(CALL.format(path=path) + render_block(text), SEVEN_TOOLS)
    assert calls_of(written) == [("write_file", {"path": path, "content": text})]


@pytest.mark.parametrize(
    "text",
    [
        'tool: write_file({"path": "a.md"})\n```md\n# T\n```\n'
        'tool: write_file({"path": "b.md"})\n```md\nU\n```',
        'tool: write_file({"path": "a.md"})\n```\n# T\n```\n\nThen:\n\n'
        'tool: write_file({"path": "b.md"})\n\n```\nU\n```',
        '<tool_call>{"name": "write_file", "arguments": {"path": "a.md"}}</tool_call>\n```\n# T\n```\n'
        '<tool_call>{"name": "write_file", "arguments": {"path": "b.md"}}</tool_call>\n```\nU\n```',
    ],
)
def test_a_block_below_a_later_call_is_that_calls(text: str) -> None:
    assert calls_of(parse_reply(text, SEVEN_TOOLS)) == [
        ("write_file", {"path": "a.md", "content": "# T"}),
        ("write_file", {"path": "b.md", "content": "U"}),
    ]


def test_a_text_whose_inner_fence_is_all_that_closes_is_cut() -> None:
    reply = parse_reply(CALL.format(path="a.md") + "```md\n# T\n\n```sh\nmake\n```\n", SEVEN_TOOLS)
    assert calls_of(reply) == []
    assert malformed_of(reply)[0].cut


def test_a_fenced_call_has_its_own_closer_left_over() -> None:
    text = f"```\n{CALL.format(path='a.md')}```md\n# T\n\n```sh\nmake\n```\nend\n```\n```\n"
    assert calls_of(parse_reply(text, SEVEN_TOOLS)) == [
        ("write_file", {"path": "a.md", "content": "# T\n\n```sh\nmake\n```\nend"})
    ]


def test_a_call_in_a_shown_document_is_no_request() -> None:
    text = "The README:\n\n```markdown\n# U\n\n```sh\nmake\n```\n\nThen\n\n" + LISTED + "\n\n```\n"
    assert parse_reply(text, SEVEN_TOOLS).calls == []


@pytest.mark.parametrize("text", NESTED.values(), ids=NESTED)
def test_a_shown_file_ends_where_a_written_one_does(text: str) -> None:
    (block,) = find_blocks(f"**README.md**\n```markdown\n{text}\n```\n")
    assert (block.text, block.sure) == (text, True)


@pytest.mark.parametrize("text", list(AMBIGUOUS.values())[:2])
def test_a_shown_file_with_two_ends_is_not_taken_for_one(text: str) -> None:
    assert not find_blocks(f"README.md:\n```markdown\n{text}\n```\n")[0].sure
    assert unwritten_files(f"README.md:\n```markdown\n{text}\n```\n", "") == {}


def test_fences_of_ever_more_marks_are_read() -> None:
    text = "".join("`" * count + "a\n" for count in range(3, 2000))
    assert parse_reply(CALL.format(path="a.md") + text, SEVEN_TOOLS).calls
