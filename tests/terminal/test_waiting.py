"""What the screen shows, and which keys do something, while the user waits for anything at all."""

from __future__ import annotations

import termios
import time
from pathlib import Path
from typing import cast

import pytest

from tests.support.scripted_server import Hang, Say, ScriptedServer
from tests.support.terminal import Chat

ESCAPE = "\x1b"
WRITE = 'tool: write_file({"path": "a.txt", "content": "alpha\\n"})'
LONG = "a reply that is long enough to be worth a summary " * 40


def wait_until_keys_are_kept(chat: Chat) -> None:
    deadline = time.monotonic() + 20
    while not keeps_keys(chat):
        assert time.monotonic() < deadline, "the keys are not kept"
        time.sleep(0.005)


def keeps_keys(chat: Chat) -> bool:
    local_modes = cast(int, chat.terminal_modes()[3])
    return bool(local_modes & termios.ISIG) and not local_modes & termios.ECHO


def chat_of(server: ScriptedServer, project: Path, *arguments: str, **options: object) -> Chat:
    flags = server.flags("--project-view", "off")
    return Chat(*arguments, *flags, cwd=project, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("with_imports", [True, False])
@pytest.mark.parametrize("key", ["\x03", ESCAPE])
def test_a_key_right_behind_the_first_message_stops_the_turn_and_not_the_chat(
    project: Path, key: str, with_imports: bool
) -> None:
    server = ScriptedServer([Hang(60), "Here."], strict=False)
    with server, chat_of(server, project, with_imports=with_imports) as chat:
        chat.expect("you> ")
        chat.send("go")
        # What is needed for the first turn may still be imported then.
        wait_until_keys_are_kept(chat)
        chat.press(key)
        chat.expect("interrupted. you>")
        server.replace_script("Here.")
        chat.send("are you there?")
        chat.expect("Here. you>")


def test_a_command_of_the_users_own_says_for_how_long(project: Path) -> None:
    with ScriptedServer(["Fine."]) as server, chat_of(server, project) as chat:
        chat.send("!sleep 5; echo ready")
        chat.expect("running 1s (Ctrl-C stops)")
        chat.press("and now?")
        chat.expect("(Ctrl-C stops) next> and now?")
        chat.expect("exit code 0 ready you> and now?")
        assert "running" not in chat.text
        chat.send("")
        chat.expect("Fine. you>")


def test_escape_ends_a_command_of_the_users_own(project: Path) -> None:
    with ScriptedServer([]) as server, chat_of(server, project) as chat:
        chat.send("!sleep 300")
        chat.expect("running")
        chat.press(ESCAPE)
        chat.expect("interrupted. you>")


def test_a_summary_says_for_how_long_and_escape_stops_it(project: Path) -> None:
    slow = Say("summary " * 300, chunks=300, delay_seconds=0.05)
    with (
        ScriptedServer(
            [f"{LONG}\n\nThat was one.", f"{LONG}\n\nThat was two.", slow], strict=False
        ) as server,
        chat_of(server, project) as chat,
    ):
        for word in ("one", "two"):
            chat.send(word)
            chat.expect(f"That was {word}. you>")
        chat.send("/compact")
        chat.expect("/compact 1s (Ctrl-C stops)")
        chat.press("ahead")
        chat.expect("(Ctrl-C stops) next> ahead")
        chat.press(ESCAPE)
        chat.expect("Interrupted; the conversation is as it was. you> ahead")


def test_escape_stops_an_examination(project: Path) -> None:
    with ScriptedServer([Hang(60)], strict=False) as server, chat_of(server, project) as chat:
        chat.send("/doctor")
        chat.expect("/doctor 1s")
        chat.press(ESCAPE)
        chat.expect("interrupted. you>")


def test_the_time_is_told_behind_a_long_command_too(project: Path) -> None:
    call = f'tool: run_command({{"command": "sleep 1.5; echo {"x" * 90}"}})'
    with ScriptedServer([call, "Done."]) as server, chat_of(server, project, "--yes", "go") as chat:
        chat.expect("xx\u2026 1s (Ctrl-C stops)")
        chat.expect("Done. you>")


def test_escape_at_a_question_stops_the_turn(project: Path) -> None:
    with ScriptedServer([WRITE, "Fine."]) as server, chat_of(server, project, "go") as chat:
        chat.expect("[y]es")
        chat.press("y" + ESCAPE)
        chat.expect("#1: not run: the user interrupted. interrupted. you>")
        chat.send("go on")
        chat.expect("Fine. you>")
    assert list(project.iterdir()) == []


def test_what_does_not_fit_the_terminal_is_not_drawn_twice(project: Path) -> None:
    # A thumb of a certain colour is one sign of two columns for us, and two of them for this terminal.
    thumbs = "\U0001f44d\U0001f3fd" * 30
    reply = Say(f"Look at {thumbs} this.\n\nThe end.", chunks=20, delay_seconds=0.1)
    with ScriptedServer([reply]) as server, chat_of(server, project, "go") as chat:
        chat.expect("The end. you>")
        assert chat.history.count("Look at") == 1


def test_a_narrow_terminal_shows_nothing_twice(project: Path) -> None:
    reply = Say("Hello there, this is a narrow terminal.\n\nThe end.", chunks=20, delay_seconds=0.1)
    with ScriptedServer([reply]) as server, chat_of(server, project, "go", size=(24, 14)) as chat:
        chat.expect("end.")
        chat.expect("you>")
        assert chat.history.count("assistant>") == 1
