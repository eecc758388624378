"""What a user sees who starts a command that reads standard input, with nothing piped into it."""

from __future__ import annotations

from pathlib import Path

from tests.support.scripted_server import ScriptedServer
from tests.support.terminal import Chat


def test_parse_says_what_it_waits_for(project: Path) -> None:
    with Chat("parse", cwd=project) as chat:
        chat.expect("type the reply, then Ctrl-D on a line of its own.")
        chat.send('tool: read_file({"path": "a.py"})')
        chat.press("\x04")
        chat.expect('"kind": "call", "name": "read_file"')
        assert chat.end() == 0


def test_a_prompt_is_typed_where_none_is_piped(project: Path) -> None:
    with ScriptedServer(["Hello."]) as server:
        with Chat("-p", "-", *server.flags("--project-view", "off"), cwd=project) as chat:
            chat.expect("type the prompt, then Ctrl-D on a line of its own.")
            chat.send("say hello")
            chat.press("\x04")
            chat.expect("Hello.")
            assert chat.end() == 0
        assert server.requests[0].last == "say hello\n"


def test_an_answer_does_not_act_on_the_terminal(project: Path) -> None:
    with (
        ScriptedServer(["one\x1b[2J\x1b]0;owned\x07 two"]) as server,
        Chat("-p", "say it", *server.flags(), cwd=project) as chat,
    ):
        chat.expect("one<U+001B>[2J<U+001B>]0;owned<U+0007> two")
        assert chat.end() == 0
