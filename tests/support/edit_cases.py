"""Replies with edits in the notations of other programs, and the files that they leave."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.surroundings import surroundings_of
from text_agent.agent.runner import ToolRunner
from text_agent.cli.headless import Unattended
from text_agent.files.workspace import Workspace
from text_agent.permissions.policy import PermissionPolicy
from text_agent.protocol.reading.parser import parse_reply
from text_agent.protocol.types import ToolResult
from text_agent.tools.registry import default_tools

_TABLE = Path(__file__).parent.parent / "corpus" / "edits.jsonl"


@dataclass(frozen=True)
class EditCase:
    """A row of the table.

    Attributes:
        id: tells rows apart.
        files: before, by path.
        reply: the model's.
        after: the files afterwards; those that are not named are as before, and None is gone.
        refused: a part of what the model is told, where nothing may change; empty for an edit.
        shown: the reply holds no call.
    """

    id: str
    files: Mapping[str, str]
    reply: str
    after: Mapping[str, str | None]
    refused: str = ""
    shown: bool = False


def load_edit_cases() -> list[EditCase]:
    """All rows of the table."""
    return [case_of(json.loads(line)) for line in _TABLE.read_text("utf-8").splitlines()]


def case_of(record: Mapping[str, Any]) -> EditCase:
    """The row of a record."""
    return EditCase(
        record["id"],
        record["files"],
        record["reply"],
        record.get("after", {}),
        record.get("refused", ""),
        record.get("shown", False),
    )


def play(folder: Path, files: Mapping[str, str], reply: str) -> tuple[dict[str, str], list[ToolResult]]:
    """Runs the calls of a reply in a folder with these files, all read before; the files afterwards."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text.encode())
    workspace = Workspace(folder)
    tools = default_tools(workspace)
    for name in files:
        tools["read_file"].function(name)
    runner = ToolRunner(tools, workspace, PermissionPolicy(surroundings_of(folder), "all"), Unattended())
    calls = parse_reply(reply, tools).calls
    results = [answer.result for answer in runner.answer(calls, reply, 1)]
    left = {
        path.relative_to(folder).as_posix(): path.read_bytes().decode()
        for path in folder.rglob("*")
        if path.is_file()
    }
    return left, results
