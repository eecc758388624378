"""What the user is asked in the chat, and what an answer means later."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.scripted_server import ScriptedServer
from tests.support.terminal import Chat

WRITE = 'tool: write_file({"path": "a.txt", "content": "alpha\\n"})'


def run(command: str) -> str:
    return f"tool: run_command({json.dumps({'command': command})})"


def read(path: str) -> str:
    return f"tool: read_file({json.dumps({'path': path})})"


def flags(server: ScriptedServer, *more: str) -> tuple[str, ...]:
    return server.flags("--sandbox", "off", *more)


def test_what_only_reads_is_not_asked_about(project: Path) -> None:
    (project / "a.txt").write_text("alpha\n")
    with ScriptedServer([run("cat a.txt"), "Read."]) as server, Chat(*flags(server), cwd=project) as chat:
        chat.send("look")
        chat.expect("Read.")
        assert "Run it?" not in chat.text
        assert "alpha" in server.requests[1].last


def test_a_command_is_shown_and_asked_about(project: Path) -> None:
    script = [run("touch made && echo done"), "Fine.", run("touch made && echo done"), "Understood."]
    with ScriptedServer(script) as server, Chat(*flags(server), cwd=project) as chat:
        chat.send("make it")
        chat.expect("$ touch made && echo done")
        chat.expect("Run it? [y]es, [n]o, [a]lways this command, [r]emember it for this project:")
        assert not (project / "made").exists()
        chat.send("y")
        chat.expect("Fine.")
        assert (project / "made").exists()
        chat.send("again")
        chat.expect("#2 run_command $ touch made && echo done Run it?")
        chat.send("n use write_file")
        chat.expect("Understood.")
        assert (
            "tool_result(run_command #2 denied):\nThe user said no: use write_file" in server.requests[3].last
        )


def test_always_is_for_this_command_only(project: Path) -> None:
    script = [run("touch a"), run("touch a"), run("touch b"), "Done."]
    with ScriptedServer(script) as server, Chat(*flags(server), cwd=project, size=(40, 100)) as chat:
        chat.send("go")
        chat.expect("$ touch a Run it?")
        chat.send("a")
        chat.expect("$ touch b Run it?")
        chat.send("n")
        chat.expect("Why not?")
        chat.send("")
        chat.expect("Done.")
        assert "#2 run_command touch a: exit code 0" in chat.text
        chat.send("/permissions")
        chat.expect("allowed, this session: touch a")


def test_a_prefix_is_for_plain_commands_that_begin_with_it(project: Path) -> None:
    script = [run("python3 -m x -q"), run("python3 -m x"), run("python3 -m x; touch d"), "Done."]
    with ScriptedServer(script) as server, Chat(*flags(server), cwd=project, size=(40, 100)) as chat:
        chat.send("go")
        chat.expect('[p] always "python3 -m x ..."')
        chat.send("p")
        chat.expect("$ python3 -m x; touch d Run it?")
        chat.send("n no")
        chat.expect("Done.")
        assert len(server.requests) == 4
    assert not (project / "d").exists()


def test_remembered_for_the_project_in_a_later_session(project: Path, own_environment: Path) -> None:
    with ScriptedServer([run("touch a"), "One."]) as server, Chat(*flags(server), cwd=project) as chat:
        chat.send("go")
        chat.expect("[r]emember it for this project")
        chat.send("r")
        chat.expect("One.")
        chat.send("/exit")
        assert chat.end() == 0
    (project / "a").unlink()
    kept = own_environment / ".config/text-agent/allowed-commands.json"
    assert json.loads(kept.read_text()) == {str(project): {"commands": ["touch a"], "prefixes": []}}
    assert list(project.iterdir()) == []
    with ScriptedServer([run("touch a"), "Two."]) as server, Chat(*flags(server), cwd=project) as chat:
        chat.send("go")
        chat.expect("Two.")
        assert (project / "a").exists()
        chat.send("/permissions forget")
        chat.expect("Mode ask")
    assert json.loads(kept.read_text()) == {str(project): {"commands": [], "prefixes": []}}


def test_the_hard_list_asks_even_if_everything_is_allowed(project: Path) -> None:
    (project.parent / "keep").mkdir()
    script = [run("cd .. && rm -rf keep"), "Understood."]
    with ScriptedServer(script) as server, Chat(*flags(server, "--yes"), cwd=project) as chat:
        chat.send("clean up")
        chat.expect("Careful: it deletes outside the workspace")
        chat.expect("Run it all the same? [y]es, [n]o:")
        chat.send("a")
        chat.expect("Please answer y or n.")
        chat.send("n")
        chat.expect("Why not?")
        chat.send("too much")
        chat.expect("Understood.")
        assert "too much" in server.requests[1].last
    assert (project.parent / "keep").exists()


def test_a_change_that_grants_power_asks_in_every_mode(project: Path) -> None:
    call = 'tool: write_file({"path": ".git/hooks/pre-commit", "content": "#!/bin/sh\\necho x\\n"})'
    with ScriptedServer([call, "Fine."]) as server, Chat(*flags(server, "--yes"), cwd=project) as chat:
        chat.send("add a hook")
        chat.expect("+echo x")
        chat.expect("may grant power later")
        chat.expect("Apply it all the same? [y]es, [n]o:")
        chat.send("n")
        chat.expect("Why not?")
        chat.send("")
        chat.expect("Fine.")
    assert not (project / ".git").exists()


def test_a_secret_file_is_asked_about_in_every_mode(project: Path) -> None:
    (project / ".env").write_text("PASSWORD=hunter2\n")
    script = [read(".env"), "No.", read(".env"), read(".env"), "Yes."]
    with ScriptedServer(script) as server, Chat(*flags(server, "--yes"), cwd=project, size=(40, 100)) as chat:
        chat.send("look")
        chat.expect("Careful: .env may hold secrets.")
        chat.expect("Let the model read it? [y]es, [n]o, [a]lways in this session:")
        chat.send("n")
        chat.expect("Why not?")
        chat.send("")
        chat.expect("No.")
        assert "hunter2" not in json.dumps(server.requests[1].body)
        chat.send("look again")
        again = '#2 read_file tool: read_file({"path": ".env"}) Careful: .env may hold secrets.'
        chat.expect(f"{again} Let the model read it? [y]es, [n]o, [a]lways in this session:")
        chat.send("a")
        chat.expect("Yes.")
        assert server.requests[-1].last.count("hunter2") == 1


def test_an_edit_of_a_secret_file_tells_nothing_before_the_yes(project: Path) -> None:
    (project / ".env.local").write_text("PASSWORD=hunter2\n")
    call = 'tool: edit_file({"path": ".env.local", "old_str": "PASSWORD=x", "new_str": "A=1"})'
    with ScriptedServer([call, "No."]) as server, Chat(*flags(server, "--yes"), cwd=project) as chat:
        chat.send("edit")
        chat.expect("Let the model read it?")
        chat.send("n")
        chat.expect("Why not?")
        chat.send("")
        chat.expect("No.")
        assert "hunter2" not in json.dumps(server.requests[1].body)
        assert "hunter2" not in chat.raw


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("echo \u202etxt.x", "$ echo <U+202E>txt.x"),
        ("echo a\u200bb", "$ echo a<U+200B>b"),
        ("echo a\x1b[2Kb", "$ echo a<U+001B>[2Kb"),
        ("echo a\rb", "$ echo a<U+000D>b"),
        ("echo a\u00a0b", "$ echo a<U+00A0>b"),
        ("echo a\necho b", "$ echo a $ echo b"),
    ],
)
def test_nothing_of_a_command_is_hidden(project: Path, command: str, shown: str) -> None:
    with ScriptedServer([run(command), "Fine."]) as server, Chat(*flags(server), cwd=project) as chat:
        chat.send("go")
        chat.expect(shown)
        chat.expect("Run it?")
        chat.send("n no")
        chat.expect("Fine.")


def test_nothing_of_a_change_is_hidden(project: Path) -> None:
    call = 'tool: write_file({"path": "a.txt", "content": "a = 1 \\u202e# x\\u2028y\\u001b[8mz\\n"})'
    with ScriptedServer([call, "Fine."]) as server, Chat(*flags(server), cwd=project) as chat:
        chat.send("go")
        chat.expect("+a = 1 <U+202E># x<U+2028>y<U+001B>[8mz")
        chat.expect("[y]es, [n]o")
        chat.send("n no")
        chat.expect("Fine.")


def test_the_mode_can_be_changed(project: Path) -> None:
    second = WRITE.replace("a.txt", "b.txt")
    with ScriptedServer([WRITE, "One.", second, "Two."]) as server, Chat(*flags(server), cwd=project) as chat:
        chat.send("/permissions")
        chat.expect("Mode ask:")
        chat.send("/permissions nothing")
        chat.expect("Choose read-only, ask, edits, all or forget.")
        chat.send("/permissions edits")
        chat.expect("Mode edits:")
        chat.send("write")
        chat.expect("One.")
        assert (project / "a.txt").exists()
        chat.send("/permissions read-only")
        chat.expect("Mode read-only:")
        chat.send("write")
        chat.expect("Two.")
        assert "denied" in server.requests[3].last
        assert "only read" in server.requests[3].last
    assert not (project / "b.txt").exists()


def test_a_typed_key_does_not_leave(project: Path) -> None:
    key = "sk-0123456789abcdef"
    environment = {"OPENAI_API_KEY": key}
    (project / "notes.txt").write_text(f"the key is {key}\n")
    with (
        ScriptedServer([read("notes.txt"), f"You said {key}."], key=key) as server,
        Chat(*flags(server), cwd=project, environment=environment) as chat,
    ):
        chat.expect("you>")
        chat.send(f"my key is {key}")
        chat.expect("You said [key].")
        assert key not in json.dumps([request.body for request in server.requests])
        assert f"You said {key}" not in chat.raw
        assert server.requests[0].last.endswith("\n\nmy key is [key]")
        assert "1| the key is [key]" in server.requests[1].last


def test_no_key_is_shown_by_the_chats_own_commands(project: Path) -> None:
    key = "sk-0123456789abcdef"
    (project / "notes.txt").write_text(f"the key is {key}\n")
    script = [run("cp notes.txt $(cut -d ' ' -f 4 notes.txt).txt"), "Copied."]
    with (
        ScriptedServer(script, key=key) as server,
        Chat(*flags(server, "--yes"), cwd=project, environment={"OPENAI_API_KEY": key}) as chat,
    ):
        chat.send("copy it")
        chat.expect("Copied.")
        chat.send("/diff")
        chat.expect("+the key is [key]")
        chat.expect("+++ [key].txt")
        (project / f"{key}.txt").write_text("mine\n")
        chat.send("/undo")
        chat.expect("Changed since, and not by the agent: [key].txt.")
        chat.send("n")
        chat.expect("Nothing was undone. Changed by somebody else since: [key].txt. you>")
        chat.send("/undo")
        chat.expect("since: [key].txt. you> /undo Changed since, and not by the agent")
        chat.send("y")
        chat.expect("Removed: [key].txt.")
        assert key not in chat.raw
