"""The command line: flags, errors, exit codes, start-up."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command import TEXT_AGENT, run_command
from tests.support.scripted_server import ScriptedServer
from text_agent import __version__

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
