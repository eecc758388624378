"""Results leave room in a small context."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.commands import failure
from text_agent.agent.project_view import view_project
from text_agent.config.limits import LIST_MAX_ENTRIES, RESULT_MAX_CHARS
from text_agent.files.workspace import Workspace
from text_agent.tools.limits import list_entries, result_chars
from text_agent.tools.list_files import list_files
from text_agent.tools.read_file import read_file
from text_agent.tools.run_command import CommandHost
from text_agent.tools.search import search


def workspace_of(folder: Path, context_tokens: int | None) -> Workspace:
    workspace = Workspace(folder)
    workspace.context_tokens = context_tokens
    return workspace


@pytest.mark.parametrize(
    ("context", "chars", "entries"),
    [
        (None, RESULT_MAX_CHARS, LIST_MAX_ENTRIES),
        (200_000, RESULT_MAX_CHARS, LIST_MAX_ENTRIES),
        (16_384, RESULT_MAX_CHARS, LIST_MAX_ENTRIES),
        (8_192, 7_430, 185),
        (4_096, 2_515, 62),
        (500, 1_000, 25),
    ],
)
def test_a_small_context_has_short_results(
    project: Path, context: int | None, chars: int, entries: int
) -> None:
    workspace = workspace_of(project, context)
    assert (result_chars(workspace), list_entries(workspace)) == (chars, entries)


def test_every_tool_keeps_to_it(project: Path) -> None:
    for number in range(300):
        (project / f"file{number:03}.txt").write_text(f"some words of line {number}\n" * 40)
    (project / "long.txt").write_text("some words of a long file\n" * 2_000)
    workspace = workspace_of(project, 4_096)
    failed = failure(CommandHost(workspace), "cat *.txt; exit 3")
    results = [
        read_file(workspace, "long.txt"),
        search(workspace, "words"),
        list_files(workspace),
        list_files(workspace, pattern="*.txt"),
        view_project(workspace, "read file001.txt").text,
        failed,
    ]
    assert [len(result) <= 2_600 for result in results] == [True] * 6
    assert "go on with read_file" in results[0]
