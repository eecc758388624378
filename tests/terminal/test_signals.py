"""A chat that is told to end, or whose terminal is closed."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest

from tests.support.processes import Mark
from tests.support.scripted_server import Hang, ScriptedServer
from tests.support.terminal import Chat
from tests.terminal.test_chat import flags

SIGNALS = [(signal.SIGTERM, 143), (signal.SIGHUP, 129)]


@pytest.mark.parametrize(("number", "exit_code"), SIGNALS)
def test_a_command_ends_with_the_chat(project: Path, number: signal.Signals, exit_code: int) -> None:
    mark = Mark()
    with (
        ScriptedServer([]) as server,
        Chat(*flags(server), cwd=project, environment=mark.environment) as chat,
    ):
        chat.expect("you> ")
        chat.send("!touch begun; sleep 300; true")
        wait_for(project / "begun")
        assert [line for line in mark.running() if "sleep 300" in line]
        chat.kill(number)
        assert chat.end() == exit_code
    assert mark.wait_until_none_runs() == []


@pytest.mark.parametrize(("number", "exit_code"), SIGNALS)
def test_the_terminal_is_left_as_it_was(project: Path, number: signal.Signals, exit_code: int) -> None:
    with ScriptedServer([Hang(30)]) as server, Chat(*flags(server), cwd=project) as chat:
        before = chat.terminal_modes()
        chat.expect("you> ")
        chat.send("go")
        chat.expect("waiting")
        server.wait_for_requests(1)
        chat.kill(number)
        assert chat.end() == exit_code
        assert chat.terminal_modes() == before
        assert chat.raw.rfind("\x1b[?25h") >= chat.raw.rfind("\x1b[?25l")
        assert "Traceback" not in chat.text


@pytest.mark.parametrize(("number", "exit_code"), SIGNALS)
def test_the_prompt_ends_without_a_traceback(project: Path, number: signal.Signals, exit_code: int) -> None:
    with ScriptedServer([]) as server, Chat(*flags(server), cwd=project) as chat:
        before = chat.terminal_modes()
        chat.expect("you> ")
        chat.kill(number)
        assert chat.end() == exit_code
        assert chat.terminal_modes() == before
        assert "Traceback" not in chat.text


# It is imported in the background, and takes long, also behind the end of the chat.
_SLOW = """
import pathlib, threading, time
pathlib.Path("begun").touch()
threading.main_thread().join()
pathlib.Path("ended").touch()
time.sleep(300)
MarkdownIt = None
"""


@pytest.mark.parametrize(("number", "exit_code"), [(signal.SIGINT, 130), *SIGNALS])
def test_the_last_moment_can_be_cut_short_without_a_traceback(
    project: Path, tmp_path: Path, number: signal.Signals, exit_code: int
) -> None:
    (tmp_path / "markdown_it.py").write_text(_SLOW)
    slow = {"PYTHONPATH": str(tmp_path)}
    with ScriptedServer([]) as server, Chat(*flags(server), cwd=project, environment=slow) as chat:
        chat.expect("you> ")
        wait_for(project / "begun")
        chat.press("\x04")
        wait_for(project / "ended")
        chat.kill(number)
        assert chat.end() == exit_code
        assert "Traceback" not in chat.raw


@pytest.mark.parametrize(("number", "exit_code"), SIGNALS)
@pytest.mark.parametrize("ignored", ["USR1", "HUP TERM"])
def test_an_open_editor_ends_with_the_chat(
    project: Path, tmp_path: Path, number: signal.Signals, exit_code: int, ignored: str
) -> None:
    editor = tmp_path / "editor"
    editor.write_text(f"#!/bin/sh\ntrap '' {ignored}\ntouch begun\nexec sleep 300\n")
    editor.chmod(0o755)
    mark = Mark()
    environment = {**mark.environment, "VISUAL": str(editor)}
    with ScriptedServer([]) as server, Chat(*flags(server), cwd=project, environment=environment) as chat:
        before = chat.terminal_modes()
        chat.expect("you> ")
        chat.press("\x18\x05")
        wait_for(project / "begun")
        chat.kill(number)
        assert chat.end() == exit_code
        assert chat.terminal_modes() == before
        assert "Traceback" not in chat.raw
    assert mark.wait_until_none_runs() == []


def wait_for(path: Path) -> None:
    deadline = time.monotonic() + 20
    while not path.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert path.exists()
