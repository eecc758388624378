"""The end of a task against its facts, replies that were cut or filtered, and help that changes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.support.command import run_here
from tests.support.scripted_server import Say, ScriptedServer

APIS = ("openai", "anthropic")
CLAIM = "I fixed the bug in calc.py."


def task(
    project: Path, server: ScriptedServer, prompt: str, *flags: str, api: str = "openai"
) -> tuple[int, str, str]:
    url = server.openai_url if api == "openai" else server.anthropic_url
    endpoint = ("--provider", api, "--base-url", url, "--model", "scripted-model")
    done = run_here("-p", prompt, *endpoint, "--yes", *flags, cwd=project)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("api", APIS)
def test_a_false_claim_is_told_once_and_then_shown(project: Path, api: str) -> None:
    with ScriptedServer([CLAIM, CLAIM]) as server:
        code, answer, told = task(project, server, "Fix calc.py", api=api)
        assert "no file was changed" in server.requests[1].last
    assert (code, answer) == (3, f"{CLAIM}\n")
    assert "(no file was changed)" in told


def test_a_false_claim_that_is_made_true(project: Path) -> None:
    write = 'tool: write_file({"path": "calc.py", "content": "x = 1"})'
    with ScriptedServer([CLAIM, write, CLAIM]) as server:
        code, answer, told = task(project, server, "Fix calc.py")
    assert (code, answer) == (0, f"{CLAIM}\n")
    assert "(no file was changed)" not in told


def command(line: str) -> str:
    return f"tool: run_command({json.dumps({'command': line})})"


@pytest.mark.parametrize(
    ("script", "prompt", "code", "remark", "commands"),
    [
        (["I ran the tests: 12 passed."] * 2, "Run the tests", 0, "no command was run", 0),
        (
            [command("exit 7"), *["All tests pass."] * 2],
            "Run the tests",
            0,
            "the last command failed with exit code 7",
            1,
        ),
        (["calc.py:\n```python\nx = 1\n```"] * 2, "Create calc.py", 3, "no file was changed", 0),
        (["There is no bug."], "Fix calc.py", 3, "no file was changed", 0),
        (["I will not do that."], "Delete calc.py", 0, "", 0),
        (["Which one?"], "Is there a bug?", 0, "", 0),
        ([command("echo 1 > calc.py"), CLAIM], "Fix calc.py", 0, "", 1),
        ([command("true"), CLAIM, CLAIM], "Fix calc.py", 3, "no file was changed", 1),
    ],
)
def test_what_is_told_beside_an_answer(
    project: Path, script: list[str], prompt: str, code: int, remark: str, commands: int
) -> None:
    with ScriptedServer(script) as server:
        exit_code, text, _ = task(project, server, prompt, "--output", "json")
    result = json.loads(text)
    assert (exit_code, result["exit_code"]) == (code, code)
    assert result["remarks"] == ([remark] if remark else [])
    assert result["commands_run"] == commands
    assert (result["last_exit_code"] is None) == (commands == 0)


@pytest.mark.parametrize(
    ("lines", "is_true"),
    [
        (["echo '1 failed, 2 passed'; exit 1", "ls"], False),
        (["echo 'FAILED (failures=1)'; exit 1", "git status", "true"], False),
        (["echo '1 failed, 2 passed'; exit 1", "echo '3 passed'"], True),
        (["grep nothing here", "echo '3 passed'"], True),
        (["echo '3 passed'", "grep -r nothing_like_this . ; true"], True),
    ],
)
def test_tests_that_failed_are_not_forgotten(project: Path, lines: list[str], is_true: bool) -> None:
    claim = "I looked around. All tests pass."
    with ScriptedServer([*map(command, lines), *[claim] * (1 if is_true else 2)]) as server:
        _, _, told = task(project, server, "Run the tests")
    assert ("(the last tests failed)" not in told) is is_true


def test_the_last_step_is_not_spent_on_telling(project: Path) -> None:
    with ScriptedServer([CLAIM]) as server:
        code, _, told = task(project, server, "Fix calc.py", "--max-steps", "1")
    assert (code, "(no file was changed)" in told) == (3, True)


def test_the_chat_is_told_too(project: Path) -> None:
    with ScriptedServer([CLAIM, CLAIM]) as server:
        done = run_here(*server.flags(), cwd=project, stdin="Fix calc.py\n")
    assert "(no file was changed)" in done.stdout + done.stderr


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("reason", ["model_length", "MAX_TOKENS", "error", "abort", "cancelled", "brand_new"])
def test_a_reply_that_breaks_off_is_cut_whatever_the_reason(project: Path, api: str, reason: str) -> None:
    with ScriptedServer([Say("The first step is to open the fi", stop_reason=reason)]) as server:
        code, answer, told = task(project, server, "tell", api=api)
    assert (code, answer) == (3, "")
    assert "the reply was cut" in told


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("reason", ["MAX_TOKENS", "abort", "brand_new"])
@pytest.mark.parametrize(
    "text",
    [
        *(
            "tool: write_f",
            'tool: write_file({"path": "a.txt", "con',
            'tool: write_file({"path": "a.txt"})\n```\none',
        ),
        *(
            '<tool_call>\n{"name": "write_file", "arguments": {"path": "a.txt"',
            "I now write the",
            "1. One\n2. Tw,",
        ),
    ],
)
def test_a_reply_that_is_cut_anywhere_is_cut(project: Path, api: str, reason: str, text: str) -> None:
    with ScriptedServer([Say(text, stop_reason=reason)] * 9, strict=False) as server:
        code, _, told = task(project, server, "tell", api=api)
    assert code == 3
    assert re.search(r"cut|length limit|ends inside", told)
    assert not (project / "a.txt").exists()


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("text", ["42", "yes", "src/app.py", "Fine.", "```\nx = 1\n```"])
def test_a_whole_reply_counts_whatever_the_reason(project: Path, api: str, text: str) -> None:
    with ScriptedServer([Say(text, stop_reason="brand_new")]) as server:
        assert task(project, server, "tell", api=api)[:2] == (0, f"{text}\n")


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("reason", ["content_filter", "SAFETY", "refusal"])
def test_a_filtered_reply_is_named(project: Path, api: str, reason: str) -> None:
    with ScriptedServer([Say("The answer", stop_reason=reason)]) as server:
        code, text, _ = task(project, server, "tell", "--output", "json", api=api)
    result = json.loads(text)
    assert (code, result["status"], result["stop_reason"]) == (3, "filtered", "refusal")
    assert "content filter" in result["message"]


def test_a_call_that_breaks_off_is_not_run(project: Path) -> None:
    cut = Say('tool: write_file({"path": "a.txt", "content": "one\\ntw', stop_reason="error")
    # It is asked for once more without a text that may have stopped it.
    with ScriptedServer([cut, cut, "No."]) as server:
        task(project, server, "tell")
        assert "Nothing of it was run" in server.requests[2].last
    assert not (project / "a.txt").exists()


def test_each_malformed_reply_in_a_row_gets_another_kind_of_help(project: Path) -> None:
    broken = 'tool: edit_file({"path": "calc.py", "old_str": , "new_str": "b"})'
    with ScriptedServer([broken] * 4) as server:
        code, _, _ = task(project, server, "go")
        first, second, third = (request.last for request in server.requests[1:])
    assert code == 3
    assert "Again this call" not in first
    assert '"path": "calc.py"' in second
    assert '"old_str": ...' in second
    assert "smaller steps" in third


def test_each_empty_reply_in_a_row_gets_another_kind_of_help(project: Path) -> None:
    with ScriptedServer([""] * 5, strict=False) as server:
        code, _, _ = task(project, server, "go")
        notes = [request.last for request in server.requests[-3:]]
    assert code == 3
    assert "Again your reply" in notes[1]
    assert "smaller steps" in notes[2]


@pytest.mark.parametrize(
    "line",
    [
        "echo 1 > out.csv",
        "python3 -c \"open('out.csv', 'w').write('1')\"",
        "mkdir -p build && cp a.csv build/",
    ],
)
def test_a_file_that_git_ignores_counts_as_changed(project: Path, line: str) -> None:
    (project / ".gitignore").write_text("*.csv\nbuild/\n")
    (project / "a.csv").write_text("0")
    with ScriptedServer([command(line), "I created the file."]) as server:
        code, _, told = task(project, server, "Create the file with the data")
    assert (code, "no file was changed" in told) == (0, False)


def test_a_claim_names_another_file_than_was_changed(project: Path) -> None:
    claim = "I changed b.py."
    with ScriptedServer(['tool: write_file({"path": "a.py", "content": "x = 1"})', claim, claim]) as server:
        _, _, told = task(project, server, "Fix b.py")
        assert "b.py was not changed" in server.requests[2].last
    assert "(b.py was not changed)" in told
