"""An edit changes its span and nothing else, and an edit back gives the same bytes."""

from __future__ import annotations

import re
import tempfile
import textwrap
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from text_agent.errors import EditMismatchError, ToolError
from text_agent.files.lines import split_lines
from text_agent.files.workspace import Workspace
from text_agent.tools.edit_file import edit_file
from text_agent.tools.editing.matching import find_match

CHARACTERS = st.one_of(
    st.sampled_from("ab \t'\"-.1|\u00a0\u2019\u2026e\u0301é{}"),
    st.characters(exclude_categories=["Cs"], exclude_characters="\0\r\n\ufeff"),
)
BREAKS = st.sampled_from(["\n", "\r\n"])
LINES = st.lists(st.tuples(st.text(CHARACTERS, max_size=8), BREAKS), max_size=6)
TEXTS = st.builds(
    lambda lines, last: "".join(a + b for a, b in lines) + last, LINES, st.text(CHARACTERS, max_size=8)
)


@contextmanager
def a_file(content: bytes) -> Iterator[tuple[Workspace, Path]]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "a.txt")
        file.write_bytes(content)
        yield Workspace(Path(folder)), file


def edited(workspace: Workspace, file: Path, old: str, new: str) -> bytes:
    workspace.apply(edit_file(workspace, file.name, old, new))
    return file.read_bytes()


@given(TEXTS, st.data())
def test_editing_a_span_and_back_gives_the_same_bytes(text: str, data: st.DataObject) -> None:
    """The span is taken as a model sees it: every line break is a line feed."""
    view = split_lines(text).view
    start = data.draw(st.integers(0, len(view)))
    end = data.draw(st.integers(start, len(view)))
    span, new = view[start:end], "\ue000" + data.draw(st.text("xyz\n", max_size=5)) + "\ue001"
    assume(span and len(re.findall(f"(?={re.escape(span)})", view)) == 1)
    with a_file(text.encode()) as (workspace, file):
        after = edited(workspace, file, span, new).decode()
        assert split_lines(after).view == view[:start] + new + view[end:]
        head, tail = after.split("\ue000")[0], after.split("\ue001")[1]
        assert text.startswith(head)
        assert text.endswith(tail)
        assert edited(workspace, file, new, span) == text.encode()


MANGLINGS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "no blanks at line ends": lambda block: "\n".join(line.rstrip(" \t") for line in block.split("\n")),
    "blanks for tabs": lambda block: block.replace("\t", "    "),
    "more indentation": lambda block: "\n".join("  " + line for line in block.split("\n")),
    "less indentation": textwrap.dedent,
    "composed": lambda block: unicodedata.normalize("NFC", block),
    "plain signs": lambda block: block.replace("\u2019", "'").replace("\u00a0", " ").replace("\u2026", "..."),
    "numbered": lambda block: "\n".join(f"{n}| {line}" for n, line in enumerate(block.split("\n"), 7)),
}


@given(TEXTS, st.data(), st.sampled_from(sorted(MANGLINGS)))
def test_a_tolerant_edit_changes_no_other_line(text: str, data: st.DataObject, mangling: str) -> None:
    """Whatever place is found for a block that was copied badly, the lines around it stay byte for byte."""
    lines = split_lines(text)
    start = data.draw(st.integers(0, len(lines.texts) - 1))
    end = data.draw(st.integers(start + 1, len(lines.texts)))
    old = MANGLINGS[mangling]("\n".join(lines.texts[start:end]))
    assume(old)
    with a_file(text.encode()) as (workspace, file):
        try:
            after = edited(workspace, file, old, "\ue000")
        except EditMismatchError:
            return
        head, tail = after.decode().split("\ue000")
        match = find_match(text, old, "\ue000")
        assert match is not None
        span = match.places[0].span
        assert text.startswith(head)
        assert text.endswith(tail)
        assert head.count("\n") == sum("\n" in ending for ending in lines.breaks[: span.first_line])
        assert tail.count("\n") == sum("\n" in ending for ending in lines.breaks[span.last_line :])


@given(TEXTS, st.data(), st.sampled_from(sorted(MANGLINGS)))
def test_lines_that_an_edit_repeats_stay_as_the_file_has_them(
    text: str, data: st.DataObject, mangling: str
) -> None:
    """A line is put below a block that was copied badly; nothing of the block changes."""
    lines = split_lines(text)
    start = data.draw(st.integers(0, len(lines.texts) - 1))
    end = data.draw(st.integers(start + 1, len(lines.texts)))
    old = MANGLINGS[mangling]("\n".join(lines.texts[start:end]))
    assume(old)
    with a_file(text.encode()) as (workspace, file):
        try:
            after = edited(workspace, file, old, old + "\n\ue000").decode()
        except EditMismatchError:
            return
    assert re.sub("\r?\n[ \t]*\ue000", "", after) == text


@given(TEXTS, st.text(CHARACTERS | st.just("\n"), max_size=12), st.text(CHARACTERS, max_size=5))
def test_a_refused_edit_changes_no_byte(text: str, old: str, new: str) -> None:
    with a_file(text.encode()) as (workspace, file):
        try:
            edit_file(workspace, "a.txt", old, new)
        except ToolError as error:
            refusal = str(error)
        else:
            refusal = "a.txt is unchanged, being only proposed"
        assert re.search("unchanged|No change", refusal)
        assert file.read_bytes() == text.encode()
        assert [path.name for path in file.parent.iterdir()] == ["a.txt"]


@given(st.binary(max_size=200))
@example(b"caf\xe9\nx = 1\n")
@example(b"\xff\xfea\0")
@example(b"\xef\xbb\xbf")
def test_bytes_of_any_kind_are_kept_or_refused(content: bytes) -> None:
    """A line is put before whatever the file holds; what was there is still there."""
    content = b"first\n" + content
    with a_file(content) as (workspace, file):
        try:
            after = edited(workspace, file, "first\n", "second\n")
        except ToolError:
            assert file.read_bytes() == content
        else:
            assert after == b"second" + content[5:]


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_breaks_of_each_kind_split_and_join(ending: str) -> None:
    text = ending.join(["a", "", "b", ""])
    assert split_lines(text).texts == ("a", "", "b", "")
    assert split_lines(text).text == text
