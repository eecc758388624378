"""An editor of the user's own, and what keeps it from being of use."""

from __future__ import annotations

import asyncio
import resource
import tempfile
from pathlib import Path

import pytest

from text_agent.terminal.input.editor import EditorError, edit


def edited(text: str, editor: str) -> str:
    return asyncio.run(edit(text, {"VISUAL": editor, "PATH": "/usr/bin:/bin"}))


def test_what_the_editor_leaves_is_the_text() -> None:
    assert edited("before", "sed -i s/before/behind/") == "behind"


def test_a_full_disk_is_an_editor_that_failed() -> None:
    assert Path(tempfile.gettempdir()).is_dir()  # which is tried by writing there, once
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1, hard))
    try:
        with pytest.raises(EditorError, match=r"the editor failed \(true\): File too large\."):
            edited("before", "true")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize(
    ("editor", "reason"),
    [
        ("/nowhere/editor", r"\(/nowhere/editor\): it does not exist\."),
        ("rm", r"\(rm\): it does not exist\."),
        ("sh -c 'exit 3'", r"\(sh\): exit code 3\."),
    ],
)
def test_an_editor_that_fails_says_why(editor: str, reason: str) -> None:
    with pytest.raises(EditorError, match=reason):
        edited("before", editor)
