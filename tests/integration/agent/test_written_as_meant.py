"""What is written through the command is what was meant, or nothing."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.support.command import run_here
from tests.support.scripted_server import ScriptedServer

KEY = "sk-0123456789abcdef"
GO = 'package main\n\nfunc main() {\n\tprintln("a")\n}\n'


def task(project: Path, *replies: str) -> tuple[subprocess.CompletedProcess[str], list[str]]:
    """Runs one task whose model replies so; returns it with what each request of it ended with."""
    with ScriptedServer([*replies, "I could not.", "I could not."], strict=False) as server:
        flags = server.flags("--small-model", "off", "--sandbox", "off", "--project-view", "on")
        run = run_here("-p", "Change it.", *flags, "--yes", "--log", "log.txt", cwd=project)
        return run, [request.last for request in server.requests]


def call(name: str, **arguments: str) -> str:
    return f"tool: {name}({json.dumps(arguments)})"


READ = call("read_file", path="main.go")


@pytest.mark.parametrize(
    "block",
    [
        '<<<<<<< SEARCH\n\tprintln("a")\n=======\n\tprintln("b")\n>>>>>>> REPLACE',
        'package main\n\nfunc main() {\n-\tprintln("a")\n+\tprintln("b")\n}',
        '*** Begin Patch\n*** Update File: main.go\n@@\n-\tprintln("a")\n+\tprintln("b")\n*** End Patch',
    ],
)
def test_an_edit_in_another_notation(project: Path, block: str) -> None:
    (project / "main.go").write_text(GO)
    write = f'tool: write_file({{"path": "main.go"}})\n```go\n{block}\n```'
    edit = call("edit_file", path="main.go", old_str='\tprintln("a")', new_str=block)
    _, told = task(project, READ, write, edit)
    assert "would stand in main.go as text; main.go is unchanged" in told[2]
    assert "would stand in main.go as text; main.go is unchanged" in told[3]
    assert (project / "main.go").read_text() == GO


@pytest.mark.parametrize(
    "path", ["### src/n.py", "**src/n.py**", "src/n.py (new file)", "@src/n.py", "file:///src/n.py"]
)
def test_a_decorated_path(project: Path, path: str) -> None:
    _, told = task(project, call("write_file", path=path, content="x = 1\n"))
    assert f"[the path {path!r} was read as src/n.py]" in told[1]
    assert (project / "src" / "n.py").read_text() == "x = 1\n"
    assert sorted(each.name for each in project.iterdir()) == ["log.txt", "src"]


def test_a_notebook_that_lost_a_comma(project: Path) -> None:
    notebook = '{\n "cells": [],\n "nbformat": 4\n}\n'
    (project / "a.ipynb").write_text(notebook)
    edit = call("edit_file", path="a.ipynb", old_str="[],", new_str="[]")
    _, told = task(project, call("read_file", path="a.ipynb"), edit)
    assert "a.ipynb would be no valid JSON (line 3: Expecting ',' delimiter)" in told[2]
    assert (project / "a.ipynb").read_text() == notebook


def test_a_masked_key_is_edited_around(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    (project / "a.py").write_text(f"KEY = '{KEY}'\n")
    edit = call("edit_file", path="a.py", old_str="KEY = '[key]'", new_str="API_KEY = '[key]'")
    copy = call("write_file", path="b.py", content="KEY = '[key]'\n")
    run, told = task(project, call("read_file", path="a.py"), edit, copy)
    assert (project / "a.py").read_text() == f"API_KEY = '{KEY}'\n"
    assert (project / "b.py").read_text() == "KEY = '[key]'\n"
    assert KEY not in run.stdout + run.stderr + "".join(told) + (project / "log.txt").read_text()


def test_a_reply_in_other_line_breaks(project: Path) -> None:
    write = 'tool: write_file({"path": "a.py"})\n```python\nx = 1\ny = 2\n```\n'
    task(project, write.replace("\n", "\r\n"))
    assert (project / "a.py").read_bytes() == b"x = 1\ny = 2\n"


def test_odd_entries_blind_nothing(project: Path) -> None:
    (project / "loop").symlink_to("loop")
    os.mkfifo(project / "pipe")
    (project / os.fsdecode(b"caf\xe9")).write_text("x\n")
    (project / "a.txt").write_text("word\n")
    command = call("run_command", command="echo x > b.txt")
    run, told = task(project, call("list_files"), call("search", pattern="word"), command)
    assert "a.txt" in told[0], "the project's view"
    assert "[2 cannot be used: loop (its links lead in a circle), pipe (a named pipe)]" in told[1]
    assert "a.txt:1: word" in told[2]
    assert "undone" not in run.stderr
