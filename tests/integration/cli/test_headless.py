"""One task without a terminal, with a scripted model."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.bubblewrap import need_bubblewrap
from tests.support.command import Run, run_command, run_here
from tests.support.scripted_server import Fail, RecordedRequest, Say, ScriptedServer
from text_agent.messages import Usage

CALC = "def add(a, b):\n    return a - b\n"
CALC_TEST = "from calc import add\n\n\ndef test_add():\n    assert add(2, 3) == 5\n"


@pytest.fixture(params=["openai", "anthropic"])
def provider(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def task(
    prompt: str,
    server: ScriptedServer,
    project: Path,
    *flags: str,
    provider: str = "openai",
    stdin: str = "",
    run: Run = run_here,
) -> subprocess.CompletedProcess[str]:
    url = _url(server, provider)
    endpoint = ("--provider", provider, "--base-url", url, "--model", "scripted-model")
    return run("-p", prompt, *endpoint, *flags, cwd=project, stdin=stdin)


def test_create_a_file(project: Path, provider: str) -> None:
    reply = 'I will create it.\ntool: write_file({"path": "hello.py"})\n```python\nprint("hi")\n```\n'
    with ScriptedServer([reply, "Created hello.py."]) as server:
        done = task("create hello.py", server, project, "--yes", provider=provider, run=run_command)
        assert server.requests[1].last.startswith("tool_result(write_file #1 ok):\n")
    assert (done.returncode, done.stdout) == (0, "Created hello.py.\n")
    assert (project / "hello.py").read_text() == 'print("hi")\n'
    assert 'write_file({"path": "hello.py"' in done.stderr


def test_fix_a_file_until_its_tests_would_pass(project: Path, provider: str) -> None:
    (project / "calc.py").write_text(CALC)
    (project / "test_calc.py").write_text(CALC_TEST)
    script = [
        "tool: list_files({})",
        'tool: read_file({"path": "calc.py"})\ntool: read_file({"path": "test_calc.py"})',
        'tool: edit_file({"path": "calc.py", "old_str": "return a - b", "new_str": "return a + b"})',
        "add subtracted; it adds now.",
    ]
    with ScriptedServer(script) as server:
        done = task("fix it", server, project, "--yes", provider=provider)
        both = server.requests[2].last
        assert "tool_result(read_file #2 ok):" in both
        assert "tool_result(read_file #3 ok):" in both
        assert "2|     return a - b" in both
    assert (done.returncode, done.stdout) == (0, "add subtracted; it adds now.\n")
    tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    assert subprocess.run(tests, cwd=project, capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize("sandbox", ["off", "require"])
def test_run_the_tests_fix_and_run_them_again(project: Path, provider: str, sandbox: str) -> None:
    if sandbox == "require":
        need_bubblewrap()
    (project / "calc.py").write_text(CALC)
    (project / "test_calc.py").write_text(CALC_TEST)
    # The interpreter itself, not the environment's: that may lie where the sandbox shows nothing of it.
    python = Path(sys.executable).resolve()
    command = f"'{python}' -B -c \"import test_calc; test_calc.test_add(); print('1 passed')\""
    test = f"tool: run_command({json.dumps({'command': command})})"
    plan = 'tool: update_plan({"steps": ["Run the tests", "Fix what fails", "Run them again"], "done": []})'
    script = [
        f"{plan}\ntool: list_files({{}})",
        test,
        'tool: read_file({"path": "calc.py"})',
        'tool: edit_file({"path": "calc.py", "old_str": "return a - b", "new_str": "return a + b"})',
        f"{test}\n{plan.replace('[]', '[1, 2, 3]')}",
        "add subtracted; it adds now, and the test passes.",
    ]
    with ScriptedServer(script) as server:
        done = task(
            "make the tests pass",
            server,
            project,
            "--yes",
            "--sandbox",
            sandbox,
            provider=provider,
            run=run_command,
        )
        listed, failed, _, _, passed = (request.last for request in server.requests[1:])
    assert "tool_result(update_plan #1 ok):\nplan: 0 of 3 steps done; next: 1. Run the tests" in listed
    assert "test_calc.py" in listed
    assert failed.startswith("tool_result(run_command #3 error):\nexit code 1\n")
    assert "assert add(2, 3) == 5" in failed
    assert ("in a sandbox" in failed) == (sandbox == "require")
    assert passed.startswith("tool_result(run_command #6 ok):\nexit code 0\n")
    assert "1 passed" in passed
    assert (done.returncode, done.stdout) == (0, "add subtracted; it adds now, and the test passes.\n")
    assert "plan: 3 of 3 steps done\n" in done.stderr
    assert "#3 error: exit code 1\n" in done.stderr
    assert sorted(path.name for path in project.iterdir()) == ["calc.py", "test_calc.py"]


def test_a_command_without_a_terminal_is_denied_and_the_answer_may_still_be_right(project: Path) -> None:
    with ScriptedServer(['tool: run_command({"command": "touch a"})', "I could not."]) as server:
        done = task("touch", server, project)
        assert "tool_result(run_command #1 denied):" in server.requests[1].last
    assert (done.returncode, done.stdout) == (0, "I could not.\n")
    assert list(project.iterdir()) == []


def without_bubblewrap(folder: Path) -> str:
    """A PATH on which everything is found but bwrap."""
    for name in ("git", "bash", "sh"):
        (folder / name).symlink_to(shutil.which(name) or name)
    return str(folder)


@pytest.mark.skipif(sys.platform != "linux", reason="bubblewrap is of Linux")
def test_a_machine_without_bubblewrap(project: Path, tmp_path: Path) -> None:
    path = {"PATH": without_bubblewrap(tmp_path)}
    with ScriptedServer(["Fine."]) as server:
        endpoint = server.flags()
        required = run_command("-p", "x", *endpoint, "--sandbox", "require", cwd=project, environment=path)
        automatic = run_command("-p", "x", *endpoint, cwd=project, environment=path)
    assert (required.returncode, required.stdout) == (2, "")
    assert "there is no sandbox for commands: bwrap is missing" in required.stderr
    assert (automatic.returncode, automatic.stdout) == (0, "Fine.\n")
    assert automatic.stderr.count("There is no sandbox for commands: bwrap is missing") == 1


@pytest.mark.skipif(sys.platform != "linux", reason="bubblewrap is of Linux")
@pytest.mark.parametrize("flags", [("-p", "x"), ("-p", "x", "--provider", "local"), ()])
def test_a_missing_sandbox_is_told_before_a_model_is_looked_for(
    project: Path, tmp_path: Path, flags: tuple[str, ...]
) -> None:
    path = {"PATH": without_bubblewrap(tmp_path)}
    done = run_command(*flags, "--sandbox", "require", cwd=project, environment=path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("text-agent: there is no sandbox for commands: bwrap is missing")


def test_a_number_only(project: Path, provider: str) -> None:
    (project / "README.md").write_text("# Store\n\nChemical expiry period: 6 months\n")
    with ScriptedServer(['tool: read_file({"path": "README.md"})', "6"]) as server:
        done = task("expiry in months? number only", server, project, provider=provider)
    assert (done.returncode, done.stdout) == (0, "6\n")


def test_locate_a_function(project: Path) -> None:
    (project / "app").mkdir()
    (project / "app" / "billing.py").write_text("X = 1\n\n\ndef apply_discount(a):\n    return a\n")
    script = ["tool: list_files({})", 'tool: read_file({"path": "app/billing.py"})']
    with ScriptedServer([*script, "apply_discount is in app/billing.py, line 4."]) as server:
        done = task("where is apply_discount?", server, project)
        assert "app/billing.py" in server.requests[1].last
        assert "4| def apply_discount(a):" in server.requests[2].last
    assert done.stdout == "apply_discount is in app/billing.py, line 4.\n"


@pytest.mark.parametrize("path", ["../secret.txt", "/etc/passwd", "link/secret.txt", "~/x"])
def test_a_path_outside_is_refused(project: Path, path: str) -> None:
    outside = project.parent / "outside"
    outside.mkdir()
    (project.parent / "secret.txt").write_text("TOP SECRET")
    (outside / "secret.txt").write_text("TOP SECRET")
    (project / "link").symlink_to(outside)
    script = [
        f'tool: read_file({{"path": "{path}"}})',
        f'tool: write_file({{"path": "{path}", "content": "x"}})',
    ]
    with ScriptedServer([*script, "No."]) as server:
        done = task("read it", server, project, "--yes")
        for request in server.requests[1:]:
            assert " error):" in request.last
            assert "TOP SECRET" not in request.last
            assert "root:" not in request.last
    assert done.returncode == 0
    assert (outside / "secret.txt").read_text() == "TOP SECRET"


def test_an_invented_tool_is_answered_with_the_real_ones(project: Path) -> None:
    with ScriptedServer(['tool: make_coffee({"sugar": 2})', "I cannot."]) as server:
        done = task("coffee", server, project)
        assert "tool_result(make_coffee #1 error):" in server.requests[1].last
        assert "read_file" in server.requests[1].last
    assert (done.returncode, done.stdout) == (0, "I cannot.\n")


def test_a_loop_ends_at_the_limit(project: Path, provider: str) -> None:
    script = [f'tool: list_files({{"pattern": "*.{n}"}})' for n in range(4)]
    with ScriptedServer(script) as server:
        done = task("loop", server, project, "--max-steps", "4", provider=provider)
    assert (done.returncode, done.stdout) == (3, "")
    assert "4 steps" in done.stderr


def test_a_circle_ends_before_the_limit_and_is_no_success(project: Path) -> None:
    with ScriptedServer(['tool: search({"pattern": "zzz"})'] * 4) as server:
        done = task("loop", server, project)
    assert (done.returncode, done.stdout) == (3, "")
    assert "repeats the same call" in done.stderr


def test_a_write_without_a_terminal_is_denied_and_names_the_flag(project: Path) -> None:
    with ScriptedServer(
        ['tool: write_file({"path": "a.txt", "content": "x"})', "It was not made."]
    ) as server:
        done = task("write", server, project)
        assert "tool_result(write_file #1 denied):" in server.requests[1].last
        assert "--yes" in server.requests[1].last
    assert (done.returncode, done.stdout) == (3, "It was not made.\n")
    assert "--yes" in done.stderr
    assert list(project.iterdir()) == []


def test_a_malformed_call_is_corrected_three_times_then_the_turn_stops(project: Path) -> None:
    broken = 'tool: read_file({"path": })'
    with ScriptedServer([broken] * 4) as server:
        done = task("read", server, project)
        assert "tool_result(read_file #1 error):" in server.requests[1].last
        assert "read_file(path: str" in server.requests[1].last
    assert (done.returncode, done.stdout) == (3, "")
    assert "3 corrections" in done.stderr


def test_a_good_call_ends_a_row_of_corrections(project: Path) -> None:
    broken, good = 'tool: read_file({"path": })', "tool: list_files({})"
    with ScriptedServer([broken, broken, good, broken, broken, broken, "Done."]) as server:
        done = task("read", server, project)
    assert (done.returncode, done.stdout) == (0, "Done.\n")


def test_a_reply_cut_in_a_call_runs_nothing_and_is_told_how_to_go_on(project: Path, provider: str) -> None:
    cut = Say('tool: write_file({"path": "a.txt", "content": "one\\ntw', stop_reason="max_tokens")
    with ScriptedServer([cut, "I give up."]) as server:
        done = task("write", server, project, "--yes", provider=provider)
        assert "cut" in server.requests[1].last
    assert done.returncode == 0
    assert list(project.iterdir()) == []


def test_an_answer_cut_by_the_limit_is_no_answer(project: Path, provider: str) -> None:
    with ScriptedServer([Say("The long answer is", stop_reason="max_tokens")]) as server:
        done = task("tell", server, project, provider=provider)
    assert (done.returncode, done.stdout) == (3, "")
    assert "--max-tokens" in done.stderr
    assert "The long answer is" in done.stderr


def test_nothing_after_an_invented_result_counts(project: Path, provider: str) -> None:
    (project / "a.txt").write_text("real\n")
    reply = (
        'tool: read_file({"path": "a.txt"})\n'
        "tool_result(read_file #1 ok):\n1| fake\n\n"
        'tool: write_file({"path": "b.txt", "content": "owned"})'
    )
    with ScriptedServer([reply, "It says real."]) as server:
        done = task("read", server, project, "--yes", provider=provider)
        assert "1| real" in server.requests[1].last
        assert "1| fake" not in "".join(message.content for message in server.requests[1].messages)
    assert done.returncode == 0
    assert not (project / "b.txt").exists()


def test_an_empty_reply_is_asked_for_again(project: Path) -> None:
    with ScriptedServer(["", "Here I am."]) as server:
        done = task("hello", server, project)
    assert (done.returncode, done.stdout) == (0, "Here I am.\n")


def test_after_a_failed_write_no_further_write_of_the_reply_runs(project: Path) -> None:
    (project / "a.txt").write_text("a\n")
    reply = (
        'tool: edit_file({"path": "a.txt", "old_str": "zzz", "new_str": "y"})\n'
        'tool: write_file({"path": "b.txt", "content": "b"})\n'
        'tool: read_file({"path": "a.txt"})'
    )
    with ScriptedServer([reply, "Hm."]) as server:
        task("edit", server, project, "--yes")
        last = server.requests[1].last
    assert "tool_result(edit_file #1 error):" in last
    assert "tool_result(write_file #2 not run):\nnot run: call #1" in last
    assert "tool_result(read_file #3 ok):\n1| a" in last
    assert not (project / "b.txt").exists()


def test_chat_stays_chat(project: Path, provider: str) -> None:
    with ScriptedServer(["Hello! How can I help?"]) as server:
        done = task("hello", server, project, provider=provider, run=run_command)
        assert "tools" not in server.requests[0].body
    assert (done.returncode, done.stdout) == (0, "Hello! How can I help?\n")


def test_thinking_is_no_part_of_the_answer(project: Path) -> None:
    with ScriptedServer(["<think>tool: list_files({})\nhm</think>\n\nForty-two."]) as server:
        done = task("?", server, project)
    assert done.stdout == "Forty-two.\n"


def test_the_prompt_from_standard_input(project: Path) -> None:
    with ScriptedServer(["Fine."]) as server:
        done = task("-", server, project, "--project-view", "off", stdin="how are\nyou?\n", run=run_command)
        assert server.requests[0].last == "how are\nyou?\n"
    assert done.stdout == "Fine.\n"


def test_the_project_is_shown_before_the_first_reply(project: Path) -> None:
    (project / "calc.py").write_text(CALC)
    with ScriptedServer(["It subtracts."]) as server:
        task("What does add do?", server, project)
        assert server.requests[0].last == (
            f"The files in the folder:\ncalc.py\n\ncalc.py is now:\n```python\n{CALC}```\n\nWhat does add do?"
        )


def test_a_small_model_is_told_to_write_what_it_shows(project: Path) -> None:
    call = 'tool: write_file({"path": "a.py"})\n```\nx = 1\ny = 2\n```'
    with ScriptedServer(["Nothing.", "```python\nx = 1\ny = 2\n```", call, "Done."]) as server:
        done = task("Create a.py with x = 1.", server, project, "--yes", "--small-model", "on")
        assert call in server.requests[2].last
    assert (done.returncode, done.stdout) == (0, "Done.\n")
    assert (project / "a.py").read_text() == "x = 1\ny = 2\n"


def test_the_workspace_flag(project: Path) -> None:
    (project / "sub").mkdir()
    (project / "sub" / "inner.txt").write_text("x\n")
    with ScriptedServer(["tool: list_files({})", "One."]) as server:
        done = task("list", server, project, "-C", "sub")
        assert "inner.txt" in server.requests[1].last
    assert done.returncode == 0


def test_max_tokens_is_always_sent(project: Path, provider: str) -> None:
    with ScriptedServer(["a", "b"]) as server:
        task("x", server, project, provider=provider)
        task("x", server, project, "--max-tokens", "77", provider=provider)
        assert [request.body["max_tokens"] for request in server.requests] == [4096, 77]


def test_output_that_the_encoding_cannot_show(project: Path) -> None:
    with ScriptedServer(["box \u2588 arrow \u2192 emoji \U0001f600"]) as server:
        encoding = {"PYTHONIOENCODING": "cp1252"}
        done = run_command("-p", "x", *server.flags(), cwd=project, environment=encoding)
    assert done.returncode == 0
    assert done.stdout.startswith("box ")


@pytest.mark.parametrize(
    ("move", "words"),
    [
        (Fail(401, '{"error": {"message": "bad key"}}'), "key"),
        (Fail(404, '{"error": {"message": "model not found"}}'), "scripted-model"),
        (Fail(400, '{"error": {"message": "no"}}'), "no"),
    ],
)
def test_an_endpoint_that_refuses(project: Path, provider: str, move: Fail, words: str) -> None:
    with ScriptedServer([move]) as server:
        done = task("x", server, project, provider=provider)
    assert (done.returncode, done.stdout) == (1, "")
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) <= 2


def test_an_endpoint_that_is_down(project: Path, provider: str) -> None:
    server = ScriptedServer([])
    with server:
        pass
    done = task("x", server, project, provider=provider)
    assert (done.returncode, done.stdout) == (1, "")
    assert server.url in done.stderr
    *waits, sentence, hint = done.stderr.splitlines()
    assert sentence == f"text-agent: cannot reach {_url(server, provider)}: Connection refused."
    assert hint == "Is the server running, and is the base URL right? It was tried 3 times."
    assert ["Trying again" in line for line in waits] == [True, True]


def _url(server: ScriptedServer, provider: str) -> str:
    return server.openai_url if provider == "openai" else server.anthropic_url


def test_what_a_task_took_is_said_on_standard_error(project: Path, provider: str) -> None:
    prices = ("--price-in", "1", "--price-out", "2")
    with ScriptedServer([Say("Yes.", usage=Usage(2000, 50, 500))]) as server:
        done = task("x", server, project, *prices, provider=provider)
    assert done.stdout == "Yes.\n"
    assert done.stderr.splitlines()[-1] == (
        "usage: 2,000 tokens in (500 of them cached), 50 out; 1 request, cost 0.0021"
    )


def test_a_task_stops_when_it_has_spent_enough(project: Path, provider: str) -> None:
    with ScriptedServer(["tool: list_files({})"]) as server:
        done = task("x", server, project, "--max-session-tokens", "10", provider=provider)
    assert (done.returncode, done.stdout) == (3, "")
    assert "and the limit is 10 (--max-session-tokens)" in done.stderr


def test_a_task_longer_than_the_context_goes_on(project: Path, provider: str) -> None:
    """The server takes 4,096 tokens, and says so only when it refuses."""
    (project / "a.txt").write_text("alpha beta\n" * 2_000)
    taken: list[int] = []

    def serve(request: RecordedRequest) -> str | Fail:
        tokens = (len(request.system) + sum(len(message.content) for message in request.messages)) // 4
        if tokens + request.body["max_tokens"] > 4_096:
            return Fail(400, f"request ({tokens} tokens) exceeds the available context size (4096 tokens)")
        taken.append(tokens)
        if "## Agreements" in request.last:
            return "## Goal\nRead a.txt."
        start = 1 + 300 * len(taken)
        return f'tool: read_file({{"path": "a.txt", "start": {start}}})' if len(taken) < 6 else "Read."

    with ScriptedServer([serve] * 30, strict=False) as server:
        done = task("read a.txt", server, project, provider=provider)
    assert (done.returncode, done.stdout) == (0, "Read.\n"), done.stderr
    assert "to save room" in done.stderr
