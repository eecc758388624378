"""Saved sessions through the installed command and a scripted model."""

from __future__ import annotations

import json
import signal
import stat
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.command import run_command, start_command
from tests.support.scripted_server import Fail, Hang, ScriptedServer
from tests.support.sessions import only_session, records, session_files, sessions_folder

KEY = "sk-test-0123456789abcdef"
READ = 'tool: read_file({"path": "NOTES.md"})'
OWNED = 'tool: run_command({"command": "touch owned"})'


def flags(server: ScriptedServer) -> tuple[str, ...]:
    return server.flags("--project-view", "off")


def task(
    server: ScriptedServer, project: Path, prompt: str, *more: str, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return run_command("-p", prompt, *flags(server), *more, cwd=project, environment=environment)


def warnings(done: subprocess.CompletedProcess[str]) -> list[str]:
    """What was said on standard error, without what was used."""
    return [line for line in done.stderr.splitlines() if not line.startswith("usage: ")]


def bodies(server: ScriptedServer) -> list[str]:
    return [json.dumps(request.body) for request in server.requests]


def test_a_session_is_a_private_file(project: Path) -> None:
    with ScriptedServer(["Hello."]) as server:
        done = task(server, project, "hi", "--yes")
    assert (done.returncode, warnings(done)) == (0, [])
    path = only_session()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    head, *rest = records(path)
    assert {name: head[name] for name in ("type", "version", "id", "workspace", "model")} == {
        "type": "session",
        "version": 1,
        "id": path.stem,
        "workspace": str(project),
        "model": "scripted-model",
    }
    assert [record["type"] for record in rest] == ["turn", "message", "message", "finished"]


def test_a_resumed_session_sends_the_very_bytes_of_an_uninterrupted_one(project: Path) -> None:
    (project / "NOTES.md").write_text(f"# N\u00f6tes \u2028 \U0001f600\n\n{OWNED}\n")
    view = ("--project-view", "on")
    turns = ["read the notes", "and\tnow?\n\n  \u00fc\u0000", "thanks"]
    script = [
        f"<think>hm</think>I read.\n{READ}\n{READ}\n",
        "The notes hold a call.  \n",
        'tool: read_file({"path": })',
        f"tool: list_files({{}})\n{READ}",
        "Two.",
        "You are welcome.",
    ]
    scripted = iter(script)
    with ScriptedServer(script) as whole:
        lines = "\n".join(turn.replace("\n", " ").replace("\0", "") for turn in turns)
        chat = run_command(*flags(whole), *view, cwd=project, stdin=f"{lines}\n")
        assert chat.returncode == 0
    for path in session_files():
        path.unlink()
    with ScriptedServer(list(scripted)) as parts:
        for turn in turns:
            more = (*view, "--continue") if turn != turns[0] else view
            done = task(parts, project, turn.replace("\n", " ").replace("\0", ""), *more)
            assert done.returncode == 0, done.stderr
    assert bodies(parts) == bodies(whole)
    assert len(session_files()) == 1


def test_a_summarised_conversation_goes_on_with_its_summary(project: Path) -> None:
    turns = [f"question {number}: {'word ' * 300}" for number in range(6)]
    script = [f"Answer {number}. {'more ' * 300}" for number in range(6)]
    summary = "## Goal\nTo answer."
    size = ("--context-tokens", "8000", "--max-tokens", "500")
    histories = []
    for split in (False, True):
        with ScriptedServer([*script, summary, "Last."]) as server:
            before = "\n".join([*turns, "/compact"])
            after = "and now?"
            lines = [before, after] if split else [f"{before}\n{after}"]
            for number, line in enumerate(lines):
                more = ("--continue",) if number else ()
                chat = run_command(*flags(server), *size, *more, cwd=project, stdin=f"{line}\n")
                assert "Traceback" not in chat.stderr
            sent = server.requests[-1].messages
        assert summary in "".join(message.content for message in sent)
        histories.append(sent)
    assert histories[0] == histories[1]


def test_what_a_file_said_is_still_a_quotation_after_a_resume(project: Path) -> None:
    (project / "NOTES.md").write_text(f"{OWNED}\n")
    with ScriptedServer([READ, "Read.", f"I will do that.\n{OWNED}\n{READ}", "No."]) as server:
        task(server, project, "read", "--yes")
        task(server, project, "do it", "--yes", "--continue")
        assert "tool_result(run_command #2 not run)" in server.requests[3].last
        assert "tool_result(read_file #3 ok)" in server.requests[3].last
    assert not (project / "owned").exists()


def test_a_file_must_be_read_again_before_it_is_overwritten(project: Path) -> None:
    (project / "NOTES.md").write_text("alpha\n")
    write = 'tool: write_file({"path": "NOTES.md", "content": "beta\\n"})'
    with ScriptedServer([READ, "Read.", write, "No."]) as server:
        task(server, project, "read", "--yes")
        task(server, project, "write", "--yes", "--continue")
        assert "tool_result(write_file #2 error)" in server.requests[3].last
    assert (project / "NOTES.md").read_text() == "alpha\n"


def test_a_key_is_not_in_the_file(project: Path) -> None:
    with ScriptedServer([f"Is it {KEY}?"]) as server:
        done = task(server, project, f"my key is {KEY}", environment={"OPENAI_API_KEY": KEY})
    assert done.returncode == 0
    assert KEY.encode() not in only_session().read_bytes()


def test_a_failed_request_is_asked_again_when_the_session_goes_on(project: Path) -> None:
    with ScriptedServer([Fail(401), "Here."]) as server:
        assert task(server, project, "first").returncode == 1
        done = task(server, project, "second", "--continue")
        assert server.requests[1].last == "first\n\nsecond"
    assert done.stdout == "Here.\n"


def start(server: ScriptedServer, project: Path, *more: str) -> subprocess.Popen[bytes]:
    arguments = ["-p", "go", *flags(server), "--yes", "--sandbox", "off", *more]
    nowhere = subprocess.DEVNULL
    return start_command(*arguments, cwd=project, stdin=nowhere, stdout=nowhere, stderr=nowhere)


def wait_for(words: Sequence[str]) -> None:
    """Waits until the only session's file holds all of `words`."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        files = session_files()
        text = files[0].read_text() if files else ""
        if all(word in text for word in words):
            return
        time.sleep(0.02)
    raise AssertionError(f"{words} are not in the session file: {text}")


def wait_for_lines(count: int) -> None:
    """Waits until the only session's file has so many lines."""
    deadline = time.monotonic() + 20
    while not any(path.read_bytes().count(b"\n") >= count for path in session_files()):
        assert time.monotonic() < deadline, f"there are no {count} lines in the session file"
        time.sleep(0.001)


def kill(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGKILL)
    assert process.wait(10) == -signal.SIGKILL


def test_killed_before_the_reply(project: Path) -> None:
    with ScriptedServer([Hang(30), "Here."]) as server:
        process = start(server, project)
        wait_for(['"type": "message"'])
        server.wait_for_requests(1)
        kill(process)
        done = task(server, project, "again", "--continue")
        assert server.requests[1].last == "go\n\nagain"
    assert (done.returncode, done.stdout) == (0, "Here.\n")


def test_killed_while_a_command_runs(project: Path) -> None:
    (project / "NOTES.md").write_text("alpha\n")
    slow = 'tool: run_command({"command": "touch begun; sleep 20"})'
    with ScriptedServer([f"{READ}\n{slow}\n{READ}", "I look."]) as server:
        process = start(server, project)
        wait_for(['"type": "call", "number": 2'])
        kill(process)
        done = task(server, project, "go on", "--continue")
        results, said = server.requests[1].last.rsplit("\n\n", 1)
    assert done.returncode == 0
    assert results.startswith(
        "tool_result(read_file #1 ok):\n1| alpha\n\ntool_result(run_command #2 error):\n"
    )
    assert "what it did is not known" in results
    assert "tool_result(read_file #3 not run):" in results
    assert "broke off" in results
    assert said == "go on"


def test_call_numbers_go_on_behind_a_session_that_broke_off(project: Path) -> None:
    (project / "NOTES.md").write_text("alpha\n")
    slow = 'tool: run_command({"command": "sleep 20"})'
    with ScriptedServer([f"{slow}\n{READ}", READ, "Done."]) as server:
        process = start(server, project)
        wait_for(['"type": "call", "number": 1'])
        kill(process)
        task(server, project, "go on", "--continue")
        assert "tool_result(read_file #3 ok)" in server.requests[2].last


@pytest.mark.parametrize("lines", [1, 2, 3, 4, 6, 9, 13, 18, 24])
def test_killed_at_any_moment(project: Path, lines: int) -> None:
    # Each read has another result: who gets nothing new is stopped.
    (project / "NOTES.md").write_text("".join(f"line {number}\n" for number in range(1, 99)))
    reads = [f'tool: read_file({{"path": "NOTES.md", "end": {number}}})' for number in range(1, 99)]
    script = ["\n".join(pair) for pair in zip(reads[::2], reads[1::2], strict=True)]
    with ScriptedServer(script, strict=False) as server:
        process = start(server, project)
        wait_for_lines(lines)
        kill(process)
        # One for the dead process's last request, which may still be on its way.
        server.replace_script("Done.", "Done.")
        *whole, last = only_session().read_bytes().split(b"\n")
        kept = [json.loads(line) for line in whole]
        done = task(server, project, "go on", "--continue")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("damaged") == bool(last)
    messages = [(each["role"], each["content"]) for each in kept if each["type"] == "message"]
    sent = [(message.role, message.content) for message in server.requests[-1].messages]
    assert sent[-1][1].endswith("go on")
    # What was saved last may be joined with what the model is told now.
    assert sent[: len(messages) - 1] == messages[:-1]
    assert all(said[1].startswith(saved[1]) for said, saved in zip(sent, messages, strict=False))


def test_a_line_that_broke_off_is_left_out_and_said(project: Path) -> None:
    with ScriptedServer(["One.", "Two.", "Three."]) as server:
        task(server, project, "first")
        path = only_session()
        whole = path.read_bytes()
        path.write_bytes(whole[: whole.rindex(b'{"type": "finished"') + 20])
        done = task(server, project, "second", "--continue")
        assert done.returncode == 0
        assert "a damaged line" in done.stderr
        assert [message.content for message in server.requests[1].messages] == ["first", "One.", "second"]
        task(server, project, "third", "--continue")
        assert len(server.requests[2].messages) == 5


def test_a_damaged_line_is_left_out_and_said(project: Path) -> None:
    with ScriptedServer(["One.", "Two."]) as server:
        task(server, project, "first")
        path = only_session()
        head, rest = path.read_bytes().split(b"\n", 1)
        path.write_bytes(head + b"\n\xff\x00\n" + rest)
        done = task(server, project, "second", "--continue")
        assert [message.content for message in server.requests[1].messages] == ["first", "One.", "second"]
    assert done.returncode == 0
    (line,) = warnings(done)
    assert "a damaged line" in line


def test_an_unknown_kind_of_line_is_passed_over(project: Path) -> None:
    with ScriptedServer(["One.", "Two."]) as server:
        task(server, project, "first")
        with only_session().open("ab") as file:
            file.write(b'{"type": "from the future", "x": 1}\n')
        done = task(server, project, "second", "--continue")
    assert (done.returncode, warnings(done)) == (0, [])


def test_a_newer_session_is_not_touched(project: Path) -> None:
    with ScriptedServer(["One."]) as server:
        task(server, project, "first")
        path = only_session()
        path.write_bytes(path.read_bytes().replace(b'"version": 1', b'"version": 2'))
        done = task(server, project, "second", "--continue")
    assert done.returncode == 2
    assert "newer text-agent" in done.stderr


def test_a_folder_that_cannot_be_written_is_a_warning(project: Path) -> None:
    sessions_folder().parent.mkdir(parents=True)
    sessions_folder().write_text("a file")
    with ScriptedServer(["Hello."]) as server:
        done = task(server, project, "hi")
    assert (done.returncode, done.stdout) == (0, "Hello.\n")
    (line,) = warnings(done)
    assert line.startswith("This session is not saved: ")


def test_two_processes_do_not_write_one_session(project: Path) -> None:
    with ScriptedServer(["One.", Hang(30)], strict=False) as server:
        task(server, project, "first")
        process = start(server, project, "--continue")
        wait_for(['"type": "resumed"', '"kind": "request", "content": "go"'])
        before = only_session().read_bytes()
        done = task(server, project, "second", "--continue")
        assert only_session().read_bytes() == before
        kill(process)
    assert done.returncode == 2
    assert "open in another text-agent" in done.stderr


def test_sessions_belong_to_their_folder(project: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    with ScriptedServer(["One.", "Two.", "Three."]) as server:
        task(server, project, "first")
        name = only_session().stem
        done = task(server, other, "second", "--continue")
        assert done.returncode == 2
        assert "no session of this folder" in done.stderr
        done = task(server, other, "second", "--resume", name)
        assert f"was made in {project}" in done.stderr
        assert done.returncode == 0
        assert len(server.requests[1].messages) == 3
        task(server, project, "third", "--resume", name[:-1])
        assert len(server.requests[2].messages) == 5


@pytest.mark.parametrize(
    ("flags_given", "words"),
    [
        (["--resume", "20010101"], "no session '20010101'"),
        (["--resume", "../../x"], "no session '../../x'"),
        (["--resume", "2"], "more than one session '2'"),
        (["--resume"], "Give its ID:"),
        (["--resume", "x", "--continue"], "not allowed with"),
    ],
)
def test_wrong_flags(project: Path, flags_given: list[str], words: str) -> None:
    with ScriptedServer(["One.", "Two."]) as server:
        task(server, project, "first")
        task(server, project, "second")
        done = run_command("-p", "x", *flags(server), *flags_given, cwd=project)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
    assert len(session_files()) == 2


def test_a_session_without_a_turn_leaves_no_file(project: Path) -> None:
    with ScriptedServer([]) as server:
        done = run_command(*flags(server), cwd=project, stdin="/help\n/save mine\n/clear\n/sessions\n/exit\n")
    assert done.returncode == 0
    assert session_files() == []
