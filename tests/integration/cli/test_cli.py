"""The command line: flags, errors, exit codes, start-up."""

from __future__ import annotations

import ast
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

import text_agent
from tests.support.command import TEXT_AGENT, run_command
from tests.support.scripted_server import ScriptedServer
from text_agent import __version__
from text_agent.cli.flags import COMMANDS

HEAVY = ("anthropic", "openai", "pydantic", "rich", "prompt_toolkit", "xllamacpp", "httpx2")


def test_version_and_what_it_loads(project: Path) -> None:
    done = run_command("--version", cwd=project)
    assert (done.returncode, done.stdout) == (0, f"text-agent {__version__}\n")
    code = (
        "import sys\nfrom text_agent.cli.main import main\n"
        "try:\n    main(['--version'])\nexcept SystemExit:\n    pass\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout.splitlines()[-1] == "[]"


def test_the_module_is_the_command(project: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "text_agent", "--version"],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == f"text-agent {__version__}\n"


@pytest.mark.parametrize("word", ["version", "--version", "-V"])
def test_each_way_to_the_version(word: str, project: Path) -> None:
    done = run_command(word, cwd=project)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"text-agent {__version__}\n", "")


@pytest.mark.parametrize("name", COMMANDS)
def test_help_is_a_command_and_a_flag(name: str, project: Path) -> None:
    told = run_command("help", name, cwd=project)
    assert (told.returncode, told.stderr) == (0, "")
    assert told.stdout == run_command(name, "--help", cwd=project).stdout
    assert name in run_command("help", cwd=project).stdout


def test_help_without_a_command_is_the_flag(project: Path) -> None:
    assert run_command("help", cwd=project).stdout == run_command("-h", cwd=project).stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_a_prompt_that_begins_as_a_command_does(name: str, project: Path) -> None:
    with ScriptedServer(["One.", "Two.", "Three."]) as server:
        flags = server.flags("--project-view", "off")
        for argv in (["--", name, "me"], ["--", name], ["-p", f"{name} me"]):
            assert run_command(*flags, *argv, cwd=project).returncode == 0
        said = [request.last for request in server.requests]
    assert said == [f"{name} me", name, f"{name} me"]


def test_chat_is_a_command_that_takes_all_flags(project: Path) -> None:
    with ScriptedServer(["One."]) as server:
        flags = server.flags("--project-view", "off")[2:4]
        done = run_command("chat", *flags, "-m", "short", "hello", cwd=project)
        assert (done.returncode, server.requests[0].model) == (0, "short")
    assert "One." in done.stdout


@pytest.mark.parametrize(
    "flags",
    [(), ("chat",), ("--provider", "local"), ("doctor", "--provider", "local"), ("hello",)],
    ids=" ".join,
)
def test_nothing_is_fetched_unasked(flags: tuple[str, ...], project: Path, own_environment: Path) -> None:
    """Without a terminal only a task that names the local model fetches it."""
    done = run_command(*flags, cwd=project)
    assert done.returncode != 0
    assert not [path for path in own_environment.rglob("*") if path.is_file() and path.suffix != ".lock"]
    assert "etching" not in done.stdout + done.stderr


def test_no_text_names_what_an_installed_program_has_not() -> None:
    """There is no `.env.example` and no document beside it, and no index has a package of its name."""
    hinted = re.compile(r"\.env\.example|make chat|docs/|CONTRIBUTING|pip install")
    for path in Path(text_agent.__file__).parent.rglob("*.py"):
        nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
        about = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        texts = [node for node in nodes if isinstance(node, ast.Constant) and id(node) not in about]
        assert not [text.value for text in texts if hinted.search(str(text.value))], path


def test_help_names_the_exit_codes(project: Path) -> None:
    done = run_command("--help", cwd=project)
    assert done.returncode == 0
    for text in ("-p PROMPT", "--provider {anthropic,openai,local}", "--max-steps N", "130", "default 4096"):
        assert text in done.stdout


def test_help_is_in_groups_and_fits(project: Path) -> None:
    text = run_command("--help", cwd=project, environment={"COLUMNS": "80"}).stdout
    assert max(map(len, text.splitlines())) <= 80
    groups = [line for line in text.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert groups[2:-2] == [
        "one task:", "the model:", "the cost:", "the work:", "what it may do:", "the session:", "the chat:",
        "about:",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--nonsense"], "--nonsense"),
        (["--modle", "x"], "did you mean --model?"),
        (["--base_url=x"], "did you mean --base-url?"),
        (["doctor", "--modle", "x"], "did you mean --model?"),
        (["docter"], "did you mean doctor?"),
        (["complet"], "did you mean completion?"),
        (["confg", "set", "model", "x"], "did you mean config?"),
        (["--profil", "x"], "did you mean --profile?"),
        (["config", "sett", "model", "x"], "did you mean set?"),
        (["config", "set", "model", "x", "--profil", "y"], "did you mean --profile?"),
        (["help", "doctr"], "did you mean doctor?"),
        (["completion", "bsh"], "did you mean bash?"),
        (["help", "me"], "goes behind --"),
        (["version", "of", "what?"], "text-agent -- version of what?"),
        (["models", "are", "broken"], "text-agent -- models are broken"),
        (["-m", "x", "doctor"], "a command comes first: text-agent doctor -m x"),
        (["fix", "--", "the", "bug"], 'quotes, "fix the bug"'),
        (["doctr", "--model", "m"], "did you mean doctor?"),
        (["--provider", "gemini"], "gemini"),
        (["--max-steps", "0", "-p", "x"], "'0'"),
        (["--max-tokens", "many", "-p", "x"], "'many'"),
        (["-p"], "-p"),
        (["-p", " "], "empty"),
        (["-p", "x", "and this"], "once"),
        (["-p", "fix", "bug"], '-p "fix bug"'),
        (["-p", "fix", "the", "bug"], 'quotes, "fix the bug"'),
        (["fix", "the", "bug"], 'quotes, "fix the bug"'),
        (["fix", "the", "--bug"], "unrecognized arguments: the --bug"),
        (["-C", "missing", "-p", "x"], "'missing' does not exist"),
        (["-C", "file.txt", "-p", "x"], "'file.txt' is not a folder"),
        (["-p", "x"], "--provider local"),
        (["-p", "x", "--provider", "openai"], "OPENAI_API_KEY"),
        (["-p", "x", "--provider", "anthropic"], "ANTHROPIC_API_KEY"),
        (["--provider", "anthropic"], "ANTHROPIC_API_KEY"),
    ],
)
def test_wrong_usage(project: Path, arguments: list[str], words: str) -> None:
    (project / "file.txt").write_text("x")
    done = run_command(*arguments, cwd=project)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
    assert len(done.stderr.splitlines()) <= 2
    assert "Traceback" not in done.stderr


def test_a_missing_key_is_said_before_anything_else_and_how_to_do_without(project: Path) -> None:
    done = run_command("-p", "x", "--provider", "openai", cwd=project)
    first, second = done.stderr.splitlines()
    assert "OPENAI_API_KEY" in first
    assert "--provider local" in second


def test_an_unreadable_env_file(project: Path) -> None:
    (project / ".env").write_bytes(b"\xff\xfe\x00OPENAI_API_KEY=k")
    done = run_command("-p", "x", cwd=project)
    assert done.returncode == 2
    assert ".env" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_the_users_file_configures(project: Path, own_environment: Path) -> None:
    config = own_environment / "config"
    (config / "text-agent").mkdir(parents=True)
    with ScriptedServer(["Yes."]) as server:
        (config / "text-agent" / "config.env").write_text(
            f"TEXT_AGENT_BASE_URL={server.openai_url}\nTEXT_AGENT_MODEL=scripted-model\n"
        )
        done = run_command("-p", "x", cwd=project, environment={"XDG_CONFIG_HOME": str(config)})
    assert (done.returncode, done.stdout) == (0, "Yes.\n")


def test_the_first_model_of_a_custom_endpoint_is_taken(project: Path) -> None:
    with ScriptedServer(["Yes."], models=["one", "two"]) as server:
        done = run_command("-p", "x", "--base-url", server.openai_url, cwd=project)
        assert server.requests[0].model == "one"
    assert done.returncode == 0


def test_print_system_prompt_needs_no_configuration(project: Path) -> None:
    done = run_command("--print-system-prompt", cwd=project)
    assert done.returncode == 0
    assert "read_file(path: str, start: int = 1" in done.stdout


def test_no_file_is_touched_by_an_error(project: Path) -> None:
    run_command("-p", "x", "--base-url", "http://127.0.0.1:1/v1", "--model", "m", "--yes", cwd=project)
    assert list(project.iterdir()) == []


def test_a_reader_that_goes_away(project: Path) -> None:
    # No reply that repeats itself, which would be cut.
    words = random.Random(1).choices(["word", "more", "text", "than", "fits"], k=50_000)
    with ScriptedServer([" ".join(["word", *words])]) as server:
        flags = f"--base-url {server.openai_url} --model m"
        line = f"set -o pipefail; {TEXT_AGENT} -p x {flags} | head -c 5"
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=project,
            env=dict(os.environ),
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.stdout == "word "
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr
