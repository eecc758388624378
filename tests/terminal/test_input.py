"""What a user can do at the prompt, as the screen shows it."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from tests.support.command import run_command
from tests.support.scripted_server import Say, ScriptedServer
from tests.support.terminal import Chat

ALT_ENTER = "\x1b\r"
CTRL_R, CTRL_X_CTRL_E = "\x12", "\x18\x05"
UP, DOWN, TAB, ESCAPE = "\x1b[A", "\x1b[B", "\t", "\x1b"
WRITE = 'tool: write_file({"path": "a.txt", "content": "alpha\\n"})'


def flags(server: ScriptedServer) -> tuple[str, ...]:
    return server.flags("--project-view", "off")


def history_file(home: Path) -> Path:
    return home / ".local" / "share" / "text-agent" / "history"


def last_requests(server: ScriptedServer) -> list[str]:
    return [request.last for request in server.requests]


def test_lines_of_an_earlier_session_come_back(project: Path, own_environment: Path) -> None:
    with ScriptedServer(["One.", "Two.", "Three."]) as server:
        with Chat(*flags(server), cwd=project) as chat:
            chat.send("the first question")
            chat.expect("One.")
            chat.send("another matter")
            chat.expect("Two.")
            chat.send("/exit")
            assert chat.end() == 0
        assert stat.S_IMODE(history_file(own_environment).stat().st_mode) == 0o600
        with Chat(*flags(server), cwd=project) as chat:
            chat.expect("you> ")
            chat.press(UP + UP)
            chat.expect("you> another matter")
            chat.press(CTRL_R + "first q")
            chat.expect("you> the first question")
            chat.press("\r\r")
            chat.expect("Three.")
        assert last_requests(server)[-1] == "the first question"


def test_answers_to_questions_are_no_history(project: Path, own_environment: Path) -> None:
    with ScriptedServer([WRITE, "Done."]) as server, Chat(*flags(server), cwd=project) as chat:
        chat.send("write it")
        chat.expect("[y]es")
        chat.send("y")
        chat.expect("Done.")
    assert [line for line in history_file(own_environment).read_text().split("\n") if line] == ["+write it"]


def test_keys_are_masked_in_the_history(project: Path, own_environment: Path) -> None:
    key = "sk-0123456789abcdef"
    environment = {"OPENAI_API_KEY": key}
    with (
        ScriptedServer(["One."]) as server,
        Chat(*flags(server), cwd=project, environment=environment) as chat,
    ):
        chat.send(f"my key is {key}")
        chat.expect("One.")
    assert history_file(own_environment).read_text() == "\n+my key is [key]\n"


def test_a_history_that_cannot_be_kept_stops_nobody(project: Path, own_environment: Path) -> None:
    (own_environment / ".local").write_text("no folder")
    with ScriptedServer(["One."]) as server, Chat(*flags(server), cwd=project) as chat:
        chat.send("first")
        chat.expect("One. you>")
        chat.press(UP)
        chat.expect("One. you> first")
        assert "Traceback" not in chat.raw


@pytest.mark.parametrize("line_break", [ALT_ENTER, "\\\r"])
def test_a_message_of_several_lines(project: Path, line_break: str) -> None:
    with ScriptedServer(["Got it."]) as server, Chat(*flags(server), cwd=project) as chat:
        chat.expect("you> ")
        chat.press(f"first{line_break}second")
        chat.expect("you> first ... second")
        chat.send("")
        chat.expect("Got it.")
        assert last_requests(server) == ["first\nsecond"]


def test_two_backslashes_end_a_line(project: Path) -> None:
    with ScriptedServer(["Got it."]) as server, Chat(*flags(server), cwd=project) as chat:
        chat.send("C:\\\\")
        chat.expect("Got it.")
        assert last_requests(server) == ["C:\\\\"]


def test_several_lines_from_a_pipe(project: Path) -> None:
    with ScriptedServer(["Got it."]) as server:
        done = run_command(*flags(server), cwd=project, stdin="first\\\nsecond\n")
        assert last_requests(server) == ["first\nsecond"]
    assert "Got it." in done.stdout


def test_a_backslash_at_the_end_of_a_pipe(project: Path) -> None:
    with ScriptedServer(["Got it."]) as server:
        run_command(*flags(server), cwd=project, stdin="first\\\n")
        assert last_requests(server) == ["first\\"]


@pytest.mark.parametrize(("mode", "keys"), [("emacs", [CTRL_X_CTRL_E]), ("vi", [ESCAPE, "v"])])
def test_an_editor_of_the_users_own(project: Path, tmp_path: Path, mode: str, keys: list[str]) -> None:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nprintf " in the editor\\nand more" >> "$1"\n')
    editor.chmod(0o755)
    environment = {"VISUAL": str(editor)}
    with (
        ScriptedServer(["Got it."]) as server,
        Chat("--editing-mode", mode, *flags(server), cwd=project, environment=environment) as chat,
    ):
        chat.expect("you> ")
        chat.press("written")
        for key in keys:
            chat.press(key)
            chat.settle(0.8)  # or else an Escape and a letter are one key
        chat.expect("Got it.")
        assert last_requests(server) == ["written in the editor\nand more"]


def test_commands_are_completed(project: Path) -> None:
    with ScriptedServer([]) as server, Chat(*flags(server), cwd=project) as chat:
        chat.expect("you> ")
        chat.press("/pl")
        chat.expect("/plan shows the model's plan")
        chat.press(TAB)
        chat.expect("you> /plan")
        chat.press("\r\r")
        chat.expect("There is no plan")


def test_files_and_folders_are_completed(project: Path) -> None:
    (project / "src").mkdir()
    for name in ("src/parser.py", "src/two words.py", "parse_notes.md", "ignored_parse.txt", "parse.pem"):
        (project / name).write_text("x")
    (project / ".gitignore").write_text("ignored*\n")
    with ScriptedServer([]) as server, Chat(*flags(server), cwd=project) as chat:
        chat.expect("you> ")
        chat.press("look at @pars")
        chat.expect("parse_notes.md src/parser.py")
        assert "ignored_parse" not in chat.text
        assert "parse.pem" not in chat.text
        chat.press(TAB + TAB)
        chat.expect("you> look at @src/parser.py")
        chat.press("\r @words")
        chat.expect("src/two words.py")
        chat.press(TAB)
        chat.expect('@src/parser.py @"src/two words.py"')


def test_keys_of_vi(project: Path) -> None:
    with (
        ScriptedServer(["Got it."]) as server,
        Chat("--editing-mode", "vi", *flags(server), cwd=project) as chat,
    ):
        chat.expect("you> ")
        chat.press("wrong words")
        chat.expect("wrong words")
        chat.press(ESCAPE)
        chat.press("0cwright ")
        chat.expect("right words")
        chat.send("")
        chat.expect("Got it.")
        assert last_requests(server) == ["right words"]


def test_keys_of_emacs(project: Path) -> None:
    with ScriptedServer(["Got it."]) as server, Chat(*flags(server), cwd=project) as chat:
        chat.expect("you> ")
        chat.press("words\x01right \x0b\x19")
        chat.send("")
        chat.expect("Got it.")
        assert last_requests(server) == ["right words"]


def test_wide_characters(project: Path) -> None:
    with ScriptedServer(["Got it."]) as server, Chat(*flags(server), cwd=project) as chat:
        chat.expect("you> ")
        chat.press("\u6f22\u5b57\u3068\U0001f600x\x7f\x7f")
        chat.expect("you> \u6f22")
        chat.send("!")
        chat.expect("Got it.")
        assert last_requests(server) == ["\u6f22\u5b57\u3068!"]


def test_what_is_typed_meanwhile_waits_for_its_turn(project: Path) -> None:
    slow = Say("word " * 40, chunks=40, delay_seconds=0.05)
    with ScriptedServer([slow, "Second.", "Third."]) as server, Chat(*flags(server), cwd=project) as chat:
        chat.send("talk")
        chat.expect("word word")
        chat.press("next\x7fst task")
        chat.expect("next> nexst task")
        chat.press("\rand \x1b[200~this\rtoo\x1b[201~\rhalf a li")
        chat.expect("Queued: nexst task Queued: and this too")
        chat.expect("you> nexst task")
        chat.expect("Second.")
        chat.expect("you> and this ... too")
        chat.expect("Third.")
        chat.expect("you> half a li")
        assert last_requests(server) == ["talk", "nexst task", "and this\ntoo"]


def test_what_was_typed_before_is_no_answer_to_a_question(project: Path) -> None:
    slow = Say("Wait. " * 20 + "\n" + WRITE, chunks=40, delay_seconds=0.05)
    with ScriptedServer([slow, "Fine.", "Yes."]) as server, Chat(*flags(server), cwd=project) as chat:
        chat.send("write")
        chat.expect("Wait. Wait.")
        chat.press("y\r")
        chat.expect("[y]es")
        chat.send("n no")
        chat.expect("Fine.")
        chat.expect("you> y")
        chat.expect("Yes.")
        assert last_requests(server)[-1] == "y"
    assert not (project / "a.txt").exists()


@pytest.mark.parametrize("term", ["xterm", "dumb"])
def test_what_is_typed_between_two_questions_is_for_the_second(project: Path, term: str) -> None:
    with (
        ScriptedServer([WRITE, "Fine."]) as server,
        Chat(*flags(server), cwd=project, environment={"TERM": term}) as chat,
    ):
        chat.expect("you> ")
        chat.send("write")
        chat.expect("[y]es, [n]o")
        chat.press("perhaps\rn\rtoo early\r")
        chat.expect("Fine.")
        assert "too early" in last_requests(server)[-1]
    assert not (project / "a.txt").exists()


def test_in_a_dumb_terminal_neither(project: Path) -> None:
    slow = Say("Wait. " * 20 + "\n" + WRITE, chunks=40, delay_seconds=0.05)
    dumb = {"TERM": "dumb"}
    with (
        ScriptedServer([slow, "Fine.", "Yes."]) as server,
        Chat(*flags(server), cwd=project, environment=dumb) as chat,
    ):
        chat.expect("you> ")
        chat.send("write")
        chat.expect("Wait. Wait.")
        chat.press("y\r")
        chat.expect("[y]es")
        chat.send("n no")
        chat.expect("Fine.")
        chat.expect("Yes.")
        assert last_requests(server)[-1] == "y"
        assert "\x1b" not in chat.raw
    assert not (project / "a.txt").exists()


@pytest.mark.parametrize("mode", ["emacs", "vi"])
def test_escape_stops_the_turn(project: Path, mode: str) -> None:
    slow = Say("word " * 200, chunks=200, delay_seconds=0.05)
    with (
        ScriptedServer([slow, "Still here."]) as server,
        Chat("--editing-mode", mode, *flags(server), cwd=project) as chat,
    ):
        chat.send("talk")
        chat.expect("word word")
        chat.press(ESCAPE)
        chat.expect("interrupted")
        chat.expect("you> ")
        assert server.left.wait(5)
        chat.send("there?")
        chat.expect("Still here.")
        assert "interrupted" in last_requests(server)[-1]


def test_other_keys_with_an_escape_in_them_do_not(project: Path) -> None:
    slow = Say("word " * 20, chunks=20, delay_seconds=0.05)
    with ScriptedServer([slow]) as server, Chat(*flags(server), cwd=project) as chat:
        chat.send("talk")
        chat.expect("word word")
        chat.press("b\x1b[Da")
        chat.expect("you> ab")
        assert "interrupted" not in chat.text


def test_the_terminal_is_left_as_it_was(project: Path, tmp_path: Path) -> None:
    slow = Say("word " * 200, chunks=200, delay_seconds=0.05)
    with ScriptedServer([slow]) as server, Chat(*flags(server), cwd=project) as chat:
        before = chat.terminal_modes()
        chat.send("talk")
        chat.expect("word word")
        assert chat.terminal_modes() != before
        chat.press(ESCAPE)
        chat.expect("interrupted")
        chat.send("/exit")
        assert chat.end() == 0
        assert chat.terminal_modes() == before


def test_the_help_tells_commands_and_keys(project: Path) -> None:
    with ScriptedServer([]) as server, Chat(*flags(server), cwd=project) as chat:
        chat.send("/help keys")
        chat.expect("@PATH attaches a file")
        chat.expect("opens your editor (vi: Esc v); what it saves is sent")
        chat.expect("Esc, Ctrl-C stops a turn, a !COMMAND, /compact or /doctor")
        chat.expect("Ctrl-D leaves")


def test_in_the_c_locale_the_message_is_whole_and_the_screen_is_ascii(project: Path) -> None:
    locale = {"LC_ALL": "C", "PYTHONUTF8": ""}
    with (
        ScriptedServer(["Got it."]) as server,
        Chat(*flags(server), cwd=project, environment=locale) as chat,
    ):
        chat.expect("you> ")
        chat.send("caf\u00e9 \u6f22")
        chat.expect("Got it.")
        assert last_requests(server) == ["caf\u00e9 \u6f22"]
        assert chat.raw.isascii()


def test_a_long_paste_is_there_at_once(project: Path) -> None:
    lines = [f"line {number} of a paste" for number in range(5000)]
    with ScriptedServer(["Got it."]) as server, Chat(*flags(server), cwd=project) as chat:
        chat.expect("you> ")
        chat.press(f"\x1b[200~{chr(13).join(lines)}\x1b[201~\r")
        chat.expect("Got it.")
        assert last_requests(server) == ["\n".join(lines)]
