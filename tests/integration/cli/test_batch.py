"""Many tasks, each in a copy of its own: what they leave, and what a killed run does not do twice."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.support.batches import (
    PRICES,
    batch_here,
    read_results,
    start_batch,
    write_tasks,
)
from tests.support.bubblewrap import need_bubblewrap
from tests.support.command import run_command, run_here
from tests.support.git_traps import run_git
from tests.support.processes import Mark
from tests.support.scripted_server import Fail, RecordedRequest, ScriptedServer
from text_agent.cli.batch.outcome import Check, Outcome
from text_agent.cli.batch.tasks import Task
from text_agent.providers.shared_wait import SharedWait

HELLO = 'tool: write_file({"path": "hello.py"})\n```python\nprint("hi")\n```\n'
GONE = ("workspace", "base.git")


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "run"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log"


def wait_until(is_so: Callable[[], bool], seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_copy_of_a_folder_and_one_of_a_commit(tmp_path: Path, project: Path, out: Path) -> None:
    run_git(project, "init", "-q")
    (project / "a.txt").write_text("first\n")
    run_git(project, "add", ".")
    run_git(project, "commit", "-qm", "first")
    run_git(project, "tag", "v1")
    (project / "a.txt").write_text("second\n")
    file = write_tasks(
        tmp_path,
        [
            {"id": "copy", "prompt": "do it", "workspace": "project", "check": "grep second a.txt b.txt"},
            {
                "id": "commit", "prompt": "do it", "repository": "project", "ref": "v1",
                "files": {"b.txt": "b\n"}, "check": "grep -q hi hello.py && git diff --exit-code HEAD",
            },
        ],
    )  # fmt: skip

    def reply(request: RecordedRequest) -> str:
        return "Done." if "tool_result" in request.last else HELLO

    busy = Fail(429, headers={"retry-after-ms": "1"})
    with ScriptedServer([busy, reply, reply, reply, reply]) as server:
        flags = server.flags("--yes", "--jobs", "2", "--sandbox", "off")
        done = run_command("batch", str(file), "--out", str(out), *flags, cwd=tmp_path)
    assert (done.returncode, read_results(out)["commit"]["solved"]) == (1, True), done.stderr
    assert done.stdout.startswith("2 of 2 tasks run, 1 solved, 1 failed")
    assert "copy: the check ended with 2 (" in done.stderr
    assert (out / "shared/endpoint.wait").exists()
    for name, result in read_results(out).items():
        assert (result["status"], result["exit_code"], result["answer"]) == ("answered", 0, "Done.")
        assert (result["steps"], result["model"], result["cost"]) == (2, "scripted-model", None)
        assert result["usage"]["input_tokens"] > 0
        assert json.loads((out / result["session"]).read_text().splitlines()[0])["type"] == "session"
        assert not any((out / "tasks" / name / gone).exists() for gone in GONE)
        run_git(project, "apply", "--check", str(out / result["patch"]))
        assert (out / result["patch"]).read_text().count("diff --git") == 1
    assert read_results(out)["copy"]["check"]["output"].startswith("a.txt:second\n")
    assert run_git(project, "status", "--short") == "M a.txt"


def test_a_run_that_is_killed_twice_runs_nothing_twice(
    tmp_path: Path, out: Path, log: Path, mark: Mark
) -> None:
    hanging = (7, 15)
    tasks = [
        {"id": f"t{number}", "prompt": f"{number} hang" if number in hanging else str(number)}
        for number in range(24)
    ]
    arguments = (str(write_tasks(tmp_path, tasks)), "--out", str(out), "--jobs", "2")
    lines = out / "results.jsonl"

    def is_in_the_middle(number: int) -> bool:
        begun = log.exists() and f"{number} hang" in log.read_text()
        return begun and lines.read_bytes().count(b"\n") > number

    for number in hanging:
        with start_batch(log, *arguments, env=mark.environment, stderr=subprocess.DEVNULL) as driver:
            wait_until(partial(is_in_the_middle, number))
            driver.kill()
        with lines.open("a") as file:
            file.write('{"id": "t23", "solved": tr')
    done = batch_here(log, *arguments)
    assert done.returncode == 0
    assert done.stdout.startswith("24 of 24 tasks run, 24 solved, 0 failed")
    assert set(read_results(out)) == {task["id"] for task in tasks}
    begins = Counter(log.read_text().splitlines())
    assert all(begins[f"{number} hang"] == 2 for number in hanging)
    # What ran beside the hanging one when the run was killed had no result either.
    assert sum(begins.values()) <= 24 + 2 * len(hanging)
    assert mark.wait_until_none_runs() == []


def test_ctrl_c_ends_what_runs_and_says_how_to_go_on(
    tmp_path: Path, out: Path, log: Path, mark: Mark
) -> None:
    file = write_tasks(tmp_path, [{"id": "a", "prompt": "quick"}, {"id": "b", "prompt": "hang"}])
    arguments = (str(file), "--out", str(out), "--jobs", "2")
    pipe = subprocess.PIPE
    with start_batch(log, *arguments, env=mark.environment, stdout=pipe, stderr=pipe) as driver:
        lines = out / "results.jsonl"
        wait_until(lambda: log.exists() and "hang" in log.read_text() and lines.read_bytes() != b"")
        another = batch_here(log, *arguments)
        driver.send_signal(signal.SIGINT)
        stdout, stderr = driver.communicate(timeout=30)
    assert (another.returncode, driver.returncode) == (2, 130), stderr
    assert "another batch is running" in another.stderr
    assert mark.running() == []
    assert stdout.endswith("Interrupted; the same command goes on where it was.\n")
    assert "Traceback" not in stderr
    assert [*read_results(out)] == ["a"]
    assert batch_here(log, *arguments).returncode == 0
    assert log.read_text().splitlines().count("quick") == 1


def test_failed_tasks_are_run_again_if_the_user_wants_it(tmp_path: Path, out: Path, log: Path) -> None:
    file = write_tasks(tmp_path, [{"id": name, "prompt": name} for name in ("fail", "well")])
    arguments = (str(file), "--out", str(out))
    assert batch_here(log, *arguments).returncode == 1
    assert batch_here(log, *arguments).returncode == 1
    assert log.read_text().split() == ["fail", "well"]
    done = batch_here(log, *arguments, "--retry-failed")
    assert (done.returncode, log.read_text().split()) == (0, ["fail", "well", "fail"])
    assert "cost 0.75" in done.stdout
    assert json.loads((out / "retried.jsonl").read_text())["exit_code"] == 3
    assert all(result["solved"] for result in read_results(out).values())


def test_no_task_begins_when_the_cost_is_reached(tmp_path: Path, out: Path, log: Path) -> None:
    tasks = [{"id": str(number), "prompt": f"{number} arguments", "max_cost": 0.4} for number in range(3)]
    arguments = (str(write_tasks(tmp_path, tasks)), "--out", str(out), "--keep", *PRICES)
    done = batch_here(log, *arguments, "--max-cost", "0.5")
    assert (done.returncode, [*read_results(out)]) == (1, ["0", "1"])
    assert done.stdout.endswith("1 not run: the cost has reached --max-cost.\n")
    given = [(out / "tasks" / name / "workspace/arguments").read_text() for name in "01"]
    assert [text.split("--max-cost ")[1] for text in given] == ["0.4", "0.25"]
    assert "--price-in=1" in given[0]
    assert batch_here(log, *arguments).returncode == 0


def test_a_task_ends_at_its_time_limit_and_is_checked(
    tmp_path: Path, out: Path, log: Path, mark: Mark
) -> None:
    task = {"id": "a", "prompt": "hang", "max_seconds": 0.2, "check": "exit 4", "files": {"x": "y"}}
    with start_batch(
        log, str(write_tasks(tmp_path, [task])), "--out", str(out), env=mark.environment
    ) as driver:
        assert driver.wait(timeout=30) == 1
    result = read_results(out)["a"]
    assert (result["status"], result["exit_code"], result["check"]["exit_code"]) == ("time limit", None, 4)
    assert result["patch"] is None
    assert mark.running() == []


@pytest.mark.parametrize(("sandbox", "escapes"), [("require", False), ("off", True)])
def test_a_check_runs_in_the_sandbox_without_keys(
    tmp_path: Path,
    project: Path,
    out: Path,
    log: Path,
    monkeypatch: pytest.MonkeyPatch,
    sandbox: str,
    escapes: bool,
) -> None:
    need_bubblewrap()
    run_git(project, "init", "-q")
    run_git(project, "commit", "-q", "--allow-empty", "-m", "first")
    monkeypatch.setenv("TEST_API_KEY", "a-key-of-the-user")
    check = 'echo "<$TEST_API_KEY>"; git log --format=%s; touch ../../escaped'
    file = write_tasks(tmp_path, [{"id": "a", "prompt": "p", "repository": "project", "check": check}])
    assert batch_here(log, str(file), "--out", str(out), "--sandbox", sandbox).returncode == 0
    assert (out / "tasks/escaped").exists() == escapes
    assert read_results(out)["a"]["check"]["output"] == "<>\nfirst\n"


def test_no_task_begins_while_the_endpoint_wants_to_be_left_alone(
    tmp_path: Path, out: Path, log: Path
) -> None:
    (out / "shared").mkdir(parents=True)
    SharedWait(out / "shared/endpoint.wait").tell(0.4)
    began = time.time()
    batch_here(log, str(write_tasks(tmp_path, [{"id": "a", "prompt": "p"}])), "--out", str(out))
    assert log.stat().st_mtime - began > 0.35
    assert read_results(out)["a"]["seconds"] < 0.4


def test_every_field_is_described() -> None:
    page = (Path(__file__).parents[3] / "docs/batch.md").read_text("utf-8")
    names = {field.name for kind in (Task, Outcome, Check) for field in fields(kind)}
    assert {name for name in names if f"`{name}`" not in page} == set()


def test_a_task_that_has_changed_is_another_one(tmp_path: Path, out: Path, log: Path) -> None:
    for prompt, limit, code in (("one", 5, 0), ("one", 6, 0), ("two", 6, 2)):
        file = write_tasks(tmp_path, [{"id": "a", "prompt": prompt, "max_steps": limit}])
        assert (done := batch_here(log, str(file), "--out", str(out))).returncode == code
    assert "the task 'a' has changed since it was run" in done.stderr


GOOD: dict[str, Any] = {"id": "a", "prompt": "p"}
WRONG = [
    ("{", "it is no JSON object"),
    ([], "it is no JSON object"),
    ({"id": "a"}, "'prompt' is missing"),
    ({**GOOD, "promt": "p"}, "a task has no 'promt'; did you mean 'prompt'?"),
    ({**GOOD, "id": "../a"}, "'id' is not a name of letters"),
    ({**GOOD, "prompt": " "}, "'prompt' is not a text"),
    ({**GOOD, "max_steps": 1.5}, "'max_steps' is not a whole number"),
    ({**GOOD, "max_cost": True}, "'max_cost' is not a number"),
    ({**GOOD, "max_seconds": 0}, "'max_seconds' is not a number"),
    ({**GOOD, "files": {"../x": ""}}, "'files' is not an object of texts"),
    ({**GOOD, "files": {".git/hooks/x": ""}}, "'files' is not an object of texts"),
    ({**GOOD, "files": {"x": 1}}, "'files' is not an object of texts"),
    ({**GOOD, "ref": "v1"}, "'ref' needs a 'repository'"),
    ({**GOOD, "repository": "project", "ref": "--all"}, "'ref' is not a branch"),
    ({**GOOD, "repository": "project", "workspace": "project"}, "say different things"),
    ({**GOOD, "workspace": "missing"}, "missing does not exist"),
    ({**GOOD, "workspace": "tasks.jsonl"}, "is not a folder"),
    ({**GOOD, "workspace": "."}, "holds the run's own folder"),
    ({**GOOD, "workspace": "linked"}, "would share its repository"),
    ({**GOOD, "repository": "missing"}, "missing does not exist"),
    ({**GOOD, "flags": ["--yess"]}, "in its flags, unrecognized arguments: --yess; did you mean --yes?"),
    ({**GOOD, "flags": ["--output", "text"]}, "in its flags, unrecognized arguments"),
    ({**GOOD, "flags": ["-C", "/"]}, "in its flags, unrecognized arguments"),
    ({**GOOD, "flags": ["--max-cost", "1"]}, "in its flags, --max-cost"),
    ({**GOOD, "id": "FIRST"}, "the id 'FIRST' stands in line 1, too"),
]  # fmt: skip


@pytest.mark.parametrize(("task", "problem"), WRONG, ids=lambda value: str(value)[:50])
def test_a_wrong_task_is_told_by_its_line_before_anything_runs(
    tmp_path: Path, project: Path, out: Path, log: Path, task: Any, problem: str
) -> None:
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked/.git").write_text("gitdir: elsewhere\n")
    file = write_tasks(tmp_path, [{**GOOD, "id": "first"}])
    with file.open("a") as lines:
        lines.write("\n" + (task if isinstance(task, str) else json.dumps(task)) + "\n")
    done = batch_here(log, str(file), "--out", str(out))
    assert done.returncode == 2
    assert f"{file}, line 3: " in done.stderr
    assert problem in done.stderr
    assert (log.read_text(), out.exists()) == ("", False)


@pytest.mark.parametrize(
    ("flags", "problem"),
    [
        (("tasks.jsonl", "--jobs", "0"), "--jobs is '0', not a whole number of at least 1"),
        (("tasks.jsonl", "--max-cost", "x"), "--max-cost is 'x'"),
        (("tasks.jsonl", "--max-cost", "1"), "no price is known"),
        (("tasks.jsonl", "--max-seconds", "0"), "--max-seconds is '0'"),
        (("tasks.jsonl", "--yes", "--permission-mode", "ask"), "say different things"),
        (("missing.jsonl",), "cannot read the tasks in missing.jsonl: it does not exist."),
        (("empty.jsonl",), "empty.jsonl holds no task."),
        (("tasks.jsonl", "--temperature", "9"), "--temperature"),
    ],
)
def test_a_wrong_flag(tmp_path: Path, flags: tuple[str, ...], problem: str) -> None:
    write_tasks(tmp_path, [GOOD])
    (tmp_path / "empty.jsonl").touch()
    endpoint = ("--provider", "openai", "--base-url", "http://127.0.0.1:1/v1", "--model", "m")
    done = run_here("batch", *flags, *endpoint, "--out", "run", cwd=tmp_path)
    assert (done.returncode, (tmp_path / "run/results.jsonl").exists()) == (2, False)
    assert problem in done.stderr


def test_a_task_that_cannot_begin_fails_alone(tmp_path: Path, project: Path, out: Path, log: Path) -> None:
    run_git(project, "init", "-q")
    (project / "outside").symlink_to(tmp_path)
    tasks = [
        {**GOOD, "id": "no-commit", "repository": "project", "ref": "none"},
        {**GOOD, "id": "no-repository", "repository": "file:///nowhere"},
        {**GOOD, "id": "outside", "workspace": "project", "files": {"outside/x": "y"}},
        {**GOOD, "id": "well", "workspace": "project"},
    ]
    assert batch_here(log, str(write_tasks(tmp_path, tasks)), "--out", str(out)).returncode == 1
    results = read_results(out)
    assert [name for name, result in results.items() if result["solved"]] == ["well"]
    assert "has no commit 'none'" in results["no-commit"]["message"]
    assert "file:///nowhere cannot be fetched: " in results["no-repository"]["message"]
    assert not (tmp_path / "x").exists()
