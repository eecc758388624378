"""Saved sessions as the user of a chat meets them."""

from __future__ import annotations

import base64
import os
import sys
from pathlib import Path

import pytest

from tests.support.command import run_command
from tests.support.scripted_server import ScriptedServer
from tests.support.sessions import only_session, session_files
from tests.support.terminal import Chat


def flags(server: ScriptedServer) -> tuple[str, ...]:
    return server.flags("--project-view", "off")


def test_a_chat_goes_on_where_it_stopped(project: Path) -> None:
    with ScriptedServer(["Hello Ann.", "Your name is Ann."]) as server:
        with Chat(*flags(server), cwd=project) as chat:
            chat.send("I am Ann")
            chat.expect("Hello Ann.")
            chat.send("/exit")
            assert chat.end() == 0
        with Chat(*flags(server), "--continue", cwd=project) as chat:
            chat.expect("1 turn so far")
            chat.expect("I am Ann")
            chat.expect("Hello Ann.")
            chat.send("who am I?")
            chat.expect("Your name is Ann.")
        said = [message.content for message in server.requests[1].messages]
    assert said == ["I am Ann", "Hello Ann.", "who am I?"]
    assert len(session_files()) == 1


def test_a_session_is_named_listed_and_chosen(project: Path) -> None:
    with ScriptedServer(["One.", "Two.", "Three."]) as server, Chat(*flags(server), cwd=project) as chat:
        chat.send("/sessions")
        chat.expect("no saved session")
        chat.send("first question")
        chat.expect("One.")
        chat.send("/save $HOME's")
        chat.expect("""text-agent --resume '$HOME'"'"'s' goes on""")
        chat.send("/save the first")
        chat.expect("is named 'the first'")
        chat.send("/exit")
        assert chat.end() == 0
        with Chat(*flags(server), cwd=project) as other:
            other.send("second question")
            other.expect("Two.")
            other.send("/save the first")
            other.expect("Another session")
            other.send("/resume")
            other.expect("1 turn the first: first question")
            other.expect("Which one?")
            other.send("1")
            other.expect("Resumed the first: 1 turn so far.")
            other.send("third question")
            other.expect("Three.")
            other.send("/sessions")
            other.expect("2 turns the first: third question")
            other.send("/resume nonsense")
            other.expect("There is no session 'nonsense'")
        assert [message.content for message in server.requests[2].messages] == [
            "first question",
            "One.",
            "third question",
        ]
    assert len(session_files()) == 2


def test_a_session_is_chosen_at_the_start(project: Path) -> None:
    with ScriptedServer(["One.", "Two."]) as server:
        run_command("-p", "first question", *flags(server), cwd=project)
        with Chat(*flags(server), "--resume", cwd=project) as chat:
            chat.expect("Which one? [1-1]")
            chat.send("1")
            chat.expect("Resumed")
            chat.send("second")
            chat.expect("Two.")
        assert len(server.requests[1].messages) == 3


def test_a_session_is_exported_and_nothing_is_replaced_without_asking(project: Path) -> None:
    write = 'I write.\ntool: write_file({"path": "a.txt", "content": "alpha\\n"})'
    with (
        ScriptedServer([write, "It is **done**."]) as server,
        Chat(*flags(server), "--yes", cwd=project) as chat,
    ):
        chat.send("/export")
        chat.expect("nothing to export yet")
        chat.send("write a <file>")
        chat.expect("It is done.")
        chat.send("/export notes.md")
        chat.expect("The session is in notes.md.")
        text = (project / "notes.md").read_text()
        chat.send("/export notes.md")
        chat.expect("Replace it?")
        chat.send("n")
        chat.expect("nothing was written")
        chat.send("/export page.html")
        chat.expect("The session is in page.html.")
        page = (project / "page.html").read_text()
        chat.send("/export a.txt/x.md")
        chat.expect("a.txt/x.md cannot be written")
        os.mkfifo(project / "pipe")
        chat.send("/export pipe")
        chat.expect("pipe cannot be written: it is no file.")
    for part in ("write a <file>", "I write.", "write_file(", "+alpha", "It is **done**.", "<details>"):
        assert part in text
    for part in ("write a &lt;file&gt;", "write_file(", ">+alpha<", "It is <strong>done</strong>."):
        assert part in page


def test_a_cleared_session_goes_on_empty(project: Path) -> None:
    with ScriptedServer(["One.", "Two."]) as server:
        run_command(*flags(server), cwd=project, stdin="first\n/clear\n/exit\n")
        with Chat(*flags(server), "--continue", cwd=project) as chat:
            chat.expect("its conversation was cleared")
            chat.send("second")
            chat.expect("Two.")
        assert [message.content for message in server.requests[1].messages] == ["second"]


def test_control_sequences_of_a_saved_session_stay_inert(project: Path) -> None:
    with ScriptedServer(["\x1b[31mred\x1b[0m \x1b]0;title\x07 One."]) as server:
        run_command("-p", "a \x1b[2J\x1b]0;owned\x07 question", *flags(server), cwd=project)
        with Chat(*flags(server), "--resume", cwd=project) as chat:
            chat.expect("Which one?")
            chat.send("1")
            chat.expect("One.")
            assert "owned" not in chat.raw
            assert "title" not in chat.raw
            assert "\x1b[2J" not in chat.raw


def test_the_last_answer_goes_to_the_terminals_clipboard(project: Path) -> None:
    environment = {"SSH_TTY": "/dev/pts/1"}
    with (
        ScriptedServer(["F\u00fcnf."]) as server,
        Chat(*flags(server), cwd=project, environment=environment) as chat,
    ):
        chat.send("/copy")
        chat.expect("no answer to copy yet")
        chat.send("2 + 3?")
        chat.expect("F\u00fcnf.")
        chat.send("/copy")
        chat.expect("OSC 52")
        sent = base64.b64encode("F\u00fcnf.".encode()).decode()
        assert f"\x1b]52;c;{sent}\x07" in chat.raw


def test_the_last_answer_goes_to_the_clipboard_tool(project: Path, tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    tool = tools / "xclip"
    # Like the real one, it stays with its output open.
    tool.write_text(f"#!/bin/sh\ncat > {tmp_path}/copied\nsleep 3 &\n")
    tool.chmod(0o755)
    environment = {"DISPLAY": ":0", "PATH": f"{tools}:/usr/bin:/bin"}
    with ScriptedServer(["Five."]) as server:
        done = run_command(
            *flags(server), cwd=project, environment=environment, stdin="2 + 3?\n/copy\n/exit\n", timeout=30
        )
    assert "Copied the last answer." in done.stdout
    assert (tmp_path / "copied").read_text() == "Five."


@pytest.mark.skipif(sys.platform == "darwin", reason="a Mac always has a clipboard")
def test_without_a_clipboard_a_sentence_says_so(project: Path) -> None:
    nothing = {"DISPLAY": "", "WAYLAND_DISPLAY": ""}
    lines = "2 + 3?\n/copy\n/exit\n"
    with ScriptedServer(["Five."]) as server:
        done = run_command(*flags(server), cwd=project, environment=nothing, stdin=lines)
    assert "There is no clipboard here" in done.stdout
    assert only_session().exists()


def test_a_session_that_cannot_be_saved_gets_no_name(project: Path) -> None:
    (project / "a.txt").touch()
    elsewhere = {"XDG_DATA_HOME": str(project / "a.txt")}
    with (
        ScriptedServer(["Hi."]) as server,
        Chat(*flags(server), cwd=project, environment=elsewhere) as chat,
    ):
        chat.expect("you> ")
        chat.send("hello")
        chat.expect("Hi.")
        chat.send("/save one")
        chat.expect("/export FILE keeps it.")
        assert "--resume" not in chat.text
