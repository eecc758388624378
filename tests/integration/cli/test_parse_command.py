from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.support.command import run_command

REPLY = """\
I look first.

<think>
tool: list_files({})
</think>
tool: read_file("a.py")
tool: write_file({"path": })
You could type `tool: list_files({})` too.
"""


def parse(project: Path, *arguments: str, stdin: str = "") -> list[dict[str, Any]]:
    done = run_command("parse", *arguments, cwd=project, stdin=stdin)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_what_a_reply_holds_in_its_order(project: Path) -> None:
    entries = parse(project, stdin=REPLY)
    assert [(entry["kind"], entry["line"]) for entry in entries] == [
        ("quotation", 4),
        ("call", 6),
        ("malformed", 7),
        ("quotation", 8),
    ]
    thinking, call, malformed, sentence = entries
    assert thinking["reason"] == "thinking"
    assert (call["name"], call["arguments"]) == ("read_file", {"path": "a.py"})
    assert call["repairs"]
    assert malformed["name"] == "write_file"
    assert malformed["error"]
    assert sentence["reason"] == "sentence"
    assert "list_files" in sentence["text"]


def test_a_file(project: Path) -> None:
    (project / "reply.txt").write_text('tool: list_files({"path": "a"})')
    assert parse(project, "reply.txt") == [
        {"kind": "call", "name": "list_files", "arguments": {"path": "a"}, "line": 1}
    ]


def test_a_text_without_calls(project: Path) -> None:
    assert parse(project, stdin="Nothing here.") == []


def test_a_file_that_is_not_there(project: Path) -> None:
    done = run_command("parse", "missing.txt", cwd=project)
    assert (done.returncode, done.stdout) == (2, "")
    assert "missing.txt" in done.stderr


def test_a_tool_that_does_not_exist_is_marked(project: Path) -> None:
    (entry,) = parse(project, stdin="tool: make_coffee({})")
    assert entry["unknown_tool"] is True
