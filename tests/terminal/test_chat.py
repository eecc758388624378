"""The chat as its user sees it: the installed command in a pseudo-terminal."""

from __future__ import annotations

import time
from pathlib import Path

from tests.support.command import run_command
from tests.support.scripted_server import Fail, Say, ScriptedServer
from tests.support.terminal import Chat

WRITE = 'tool: write_file({"path": "a.txt", "content": "alpha\\n"})'


def flags(server: ScriptedServer) -> tuple[str, ...]:
    return server.flags("--project-view", "off")


def test_a_conversation(project: Path) -> None:
    with (
        ScriptedServer(["Hello Ann.", "Your name is Ann."]) as server,
        Chat(*flags(server), cwd=project) as chat,
    ):
        chat.expect("you> ")
        chat.send("I am Ann")
        chat.expect("assistant> Hello Ann.")
        chat.send("who am I?")
        chat.expect("assistant> Your name is Ann.")
        chat.send("/exit")
        assert chat.end() == 0
        assert [message.content for message in server.requests[1].messages] == [
            "I am Ann",
            "Hello Ann.",
            "who am I?",
        ]


def test_the_chat_begins_with_a_prompt_from_the_command_line(project: Path) -> None:
    with ScriptedServer(["Hi."]) as server, Chat("say hi", *flags(server), cwd=project) as chat:
        chat.expect("assistant> Hi.")
        chat.expect("you> ")
        assert server.requests[0].last == "say hi"


def test_a_write_shows_its_diff_and_waits_for_a_yes(project: Path) -> None:
    with ScriptedServer([WRITE, "Done."]) as server, Chat(*flags(server), cwd=project) as chat:
        chat.send("write")
        chat.expect("+alpha")
        chat.expect("[y]es")
        assert not (project / "a.txt").exists()
        chat.send("y")
        chat.expect("Done.")
        assert (project / "a.txt").read_text() == "alpha\n"
        assert chat.color_of("+alpha") == "green"


def test_a_no_takes_its_reason_to_the_model(project: Path) -> None:
    with ScriptedServer([WRITE, "Understood."]) as server, Chat(*flags(server), cwd=project) as chat:
        chat.send("write")
        chat.expect("[y]es")
        chat.send("perhaps")
        chat.expect("Please answer")
        chat.send("n")
        chat.expect("Why not?")
        chat.send("wrong folder")
        chat.expect("Understood.")
        assert "tool_result(write_file #1 denied):" in server.requests[1].last
        assert "wrong folder" in server.requests[1].last
    assert list(project.iterdir()) == []


def test_a_reason_on_the_same_line(project: Path) -> None:
    with ScriptedServer([WRITE, "Understood."]) as server, Chat(*flags(server), cwd=project) as chat:
        chat.send("write")
        chat.expect("[y]es")
        chat.send("n use b.txt")
        chat.expect("Understood.")
        assert "use b.txt" in server.requests[1].last


def test_all_is_for_the_session(project: Path) -> None:
    second = 'tool: write_file({"path": "b.txt", "content": "beta\\n"})'
    with ScriptedServer([WRITE, "One.", second, "Two."]) as server, Chat(*flags(server), cwd=project) as chat:
        chat.send("write")
        chat.expect("[y]es")
        chat.send("a")
        chat.expect("One.")
        chat.send("another")
        chat.expect("+beta")
        chat.expect("Two.")
        assert (project / "b.txt").read_text() == "beta\n"


def test_yes_approves_and_still_shows_the_diff(project: Path) -> None:
    with ScriptedServer([WRITE, "Done."]) as server, Chat("--yes", *flags(server), cwd=project) as chat:
        chat.send("write")
        chat.expect("+alpha")
        chat.expect("Done.")
        assert (project / "a.txt").exists()


def test_ctrl_c_stops_the_turn_and_the_chat_goes_on(project: Path) -> None:
    slow = Say("word " * 200, chunks=200, delay_seconds=0.05)
    with ScriptedServer([slow, "Still here."]) as server, Chat(*flags(server), cwd=project) as chat:
        chat.send("talk")
        chat.expect("word word")
        chat.interrupt()
        chat.expect("interrupted")
        chat.expect("you> ")
        assert server.left.wait(5)
        chat.send("there?")
        chat.expect("assistant> Still here.")
        roles = [message.role for message in server.requests[1].messages]
        assert roles == ["user", "assistant", "user"]
        assert server.requests[1].messages[1].content.startswith("word word")
        assert "interrupted" in server.requests[1].last


def test_ctrl_c_at_the_question_runs_nothing(project: Path) -> None:
    with ScriptedServer([WRITE, "Fine."]) as server, Chat(*flags(server), cwd=project) as chat:
        chat.send("write")
        chat.expect("[y]es")
        chat.interrupt()
        chat.expect("interrupted")
        chat.send("go on")
        chat.expect("Fine.")
        assert "tool_result(write_file #1 not run):" in server.requests[1].last
    assert list(project.iterdir()) == []


def test_ctrl_c_twice_at_the_prompt_leaves(project: Path) -> None:
    with ScriptedServer([]) as server, Chat(*flags(server), cwd=project) as chat:
        chat.expect("you> ")
        chat.interrupt()
        chat.expect("to leave. you>")
        chat.interrupt()
        assert chat.end() == 0


def test_ctrl_d_leaves(project: Path) -> None:
    with ScriptedServer([]) as server, Chat(*flags(server), cwd=project) as chat:
        chat.expect("you> ")
        chat.press("\x04")
        assert chat.end() == 0


def test_a_failing_endpoint_does_not_end_the_chat(project: Path) -> None:
    with (
        ScriptedServer([Fail(401, "bad key"), "Better."]) as server,
        Chat(*flags(server), cwd=project) as chat,
    ):
        chat.send("one")
        chat.expect("key")
        chat.send("two")
        chat.expect("Better.")
        assert [message.role for message in server.requests[1].messages] == ["user"]
        assert "Traceback" not in chat.raw


def test_a_paste_of_several_lines_is_one_message(project: Path) -> None:
    with ScriptedServer(["Got it."]) as server, Chat(*flags(server), cwd=project) as chat:
        chat.expect("you> ")
        chat.press("\x1b[200~first\nsecond\x1b[201~")
        chat.send("")
        chat.expect("Got it.")
        assert server.requests[0].last == "first\nsecond"


def test_escape_sequences_of_a_model_are_inert(project: Path) -> None:
    with (
        ScriptedServer(["\x1b[2J\x1b]0;owned\x07Hello."]) as server,
        Chat(*flags(server), cwd=project) as chat,
    ):
        chat.send("hi")
        chat.expect("assistant> Hello.")
        assert "\x1b[2J" not in chat.raw
        assert "owned" not in chat.raw


def test_help_and_an_unknown_command(project: Path) -> None:
    with ScriptedServer([]) as server, Chat(*flags(server), cwd=project) as chat:
        chat.send("/help")
        chat.expect("/clear")
        chat.send("/hepl")
        chat.expect("Did you mean /help?")
        chat.send("/tools")
        chat.expect("read_file(path: str")
        chat.send("/system")
        chat.expect("## Rules")


def test_what_the_replies_were_made_of_is_counted(project: Path) -> None:
    thought = "<think>tool: list_files({})</think>"
    repaired = "tool: list_files({'path': '.'})"
    invented = "tool: list_files({})\ntool_result(list_files #3 ok):\na.txt"
    script = [f'{thought}{repaired}\ntool: read_file({{"path": }})', invented, "Done."]
    with ScriptedServer(script) as server, Chat(*flags(server), cwd=project) as chat:
        chat.send("/protocol")
        chat.expect("replies: 0")
        chat.send("go")
        chat.expect("Done.")
        chat.send("/protocol")
        chat.expect(
            "replies: 3 calls: 2, repaired: 1 refused, malformed: 1 not run, thinking: 1 invented results"
        )
        chat.expect("cut: 1")


def test_the_help_fits_a_usual_screen(project: Path) -> None:
    with ScriptedServer([]) as server, Chat(*flags(server), cwd=project) as chat:
        chat.send("/help")
        chat.expect("/exit leaves you>")
        assert "Type what you want done." in chat.text


def test_clear_forgets(project: Path) -> None:
    with ScriptedServer(["One.", "Two."]) as server, Chat(*flags(server), cwd=project) as chat:
        chat.send("first")
        chat.expect("One.")
        chat.send("/clear")
        chat.expect("anew")
        chat.send("/etc/hosts is a path, no command")
        chat.expect("Two.")
        assert [message.content for message in server.requests[1].messages] == [
            "/etc/hosts is a path, no command"
        ]


def test_colours_tell_the_voices_apart(project: Path) -> None:
    (project / "f.txt").write_text("x\n")
    script = ['tool: read_file({"path": "f.txt"})', "Read."]
    with ScriptedServer(script) as server, Chat(*flags(server), cwd=project) as chat:
        chat.send("read")
        chat.expect("assistant> Read.")
        colors = {chat.color_of(text) for text in ("you>", "assistant>", "#1 read_file")}
        assert len(colors) == 3


def test_no_color(project: Path) -> None:
    script = [WRITE, "Done."]
    with (
        ScriptedServer(script) as server,
        Chat("--yes", *flags(server), cwd=project, environment={"NO_COLOR": "1"}) as chat,
    ):
        chat.send("write")
        chat.expect("Done.")
        colors = {chat.color_of(text) for text in ("you>", "assistant>", "+alpha")}
        assert colors == {"default"}


def test_a_dumb_terminal_gets_plain_lines(project: Path) -> None:
    with (
        ScriptedServer(["Hello."]) as server,
        Chat(*flags(server), cwd=project, environment={"TERM": "dumb"}) as chat,
    ):
        chat.expect("you> ")
        chat.send("hi")
        chat.expect("assistant> Hello.")
        assert "\x1b" not in chat.raw


def test_a_pipe_gets_plain_lines_and_no_colours(project: Path) -> None:
    with ScriptedServer(["Hello.", WRITE, "Not made."]) as server:
        done = run_command(*flags(server), cwd=project, stdin="hi\nwrite\n")
        assert "--yes" in server.requests[2].last
    assert done.returncode == 0
    assert "assistant> Hello." in done.stdout
    assert "\x1b" not in done.stdout
    assert list(project.iterdir()) == []


def test_a_call_in_pasted_text_is_a_quotation(project: Path) -> None:
    quoted = 'tool: write_file({"path": "owned", "content": "x"})'
    script = [quoted, "It only quotes it."]
    with ScriptedServer(script) as server, Chat("--yes", *flags(server), cwd=project) as chat:
        chat.expect("you> ")
        chat.press(f"\x1b[200~What is this?\r{quoted}\x1b[201~")
        chat.send("")
        chat.expect("+x")
        chat.expect("it may be a quotation")
        chat.expect("[n]o:")
        chat.send("n")
        chat.expect("Why not?")
        chat.send("")
        chat.expect("It only quotes it.")
    assert list(project.iterdir()) == []


def test_a_plan_is_a_checklist_and_can_be_looked_at_again(project: Path) -> None:
    plan = 'tool: update_plan({"steps": ["Look around", "Answer"], "done": [1]})'
    with ScriptedServer([plan, "Done."]) as server, Chat(*flags(server), cwd=project) as chat:
        chat.send("/plan")
        chat.expect("There is no plan")
        chat.send("work")
        chat.expect("\u2611 1. Look around \u2610 2. Answer")
        chat.expect("assistant> Done.")
        chat.send("/plan")
        chat.expect("you> /plan \u2611 1. Look around \u2610 2. Answer")
        assert chat.color_of("2. Answer") == "default"
        chat.send("/clear")
        chat.expect("anew")
        chat.send("/plan")
        chat.expect("There is no plan")


def test_a_checklist_in_ascii(project: Path) -> None:
    plan = 'tool: update_plan({"steps": ["Look around", "Answer"], "done": [1]})'
    with ScriptedServer([plan, "Done."]) as server:
        ascii_only = {"PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
        done = run_command(*flags(server), cwd=project, stdin="work\n", environment=ascii_only)
    assert "  [x] 1. Look around\n  [ ] 2. Answer\n" in done.stdout


def test_ctrl_c_ends_a_command_and_what_it_started(project: Path) -> None:
    command = (
        'tool: run_command({"command": "echo $$ > pid; (setsid sleep 300 & echo $! > child); sleep 300"})'
    )
    with (
        ScriptedServer([command, "Fine."]) as server,
        Chat("--sandbox", "off", "--yes", *flags(server), cwd=project) as chat,
    ):
        chat.send("run")
        chat.expect("#1 run_command")
        pids = [wait_for_number(project / name) for name in ("pid", "child")]
        chat.interrupt()
        chat.expect("interrupted.")
        assert not any(Path(f"/proc/{pid}").exists() for pid in pids)
        chat.send("go on")
        chat.expect("Fine.")
        assert "tool_result(run_command #1 error):\nthe user interrupted it" in server.requests[1].last


def wait_for_number(file: Path) -> int:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        if file.exists() and (text := file.read_text().strip()):
            return int(text)
        time.sleep(0.02)
    raise AssertionError(f"{file} holds no number")


def test_a_loss_that_nobody_asked_for_is_asked_about(project: Path) -> None:
    (project / "a.py").write_text("def f(): ...\n\ndef g(): ...\n")
    read, write = (
        'tool: read_file({"path": "a.py"})',
        'tool: write_file({"path": "a.py", "content": "def g(): ...\\n"})',
    )
    with ScriptedServer([read, write, "Done."]) as server, Chat("--yes", *flags(server), cwd=project) as chat:
        chat.send("tidy up")
        chat.expect("-def f(): ...")
        chat.expect("It would lose f, which you have not asked for.")
        chat.expect("Apply it all the same? [y]es, [n]o:")
        chat.send("y")
        chat.expect("Done.")
        assert (project / "a.py").read_text() == "def g(): ...\n"
