"""Runs `batch` with a program in the place of text-agent, which says at once what it is told to.

python -m tests.support.batches LOG [flags of batch]   # a process of its own, which can be killed
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from text_agent.cli.assembly.streams import Streams, own_streams
from text_agent.cli.batch_command import run_batch
from text_agent.cli.flags import parse_command_arguments
from text_agent.errors import TextAgentError

# Runs in the copy that `-C` names: it notes that a prompt has come, and does what the prompt says.
STAND_IN = """
import json, os, sys, time
log = sys.argv[1]
os.chdir(sys.argv[sys.argv.index("-C") + 1])
prompt = sys.stdin.read()
is_first = prompt not in open(log).read().splitlines()
with open(log, "a") as file:
    file.write(prompt + "\\n")
if "arguments" in prompt:
    open("arguments", "w").write(" ".join(sys.argv[2:]))
if "hang" in prompt and is_first:
    os.spawnlp(os.P_NOWAIT, "sleep", "sleep", "1000")
    time.sleep(1000)
code = 3 if "fail" in prompt and is_first else 0
print(json.dumps({"status": "answered", "exit_code": code, "answer": prompt, "cost": 0.25, "message": ""}))
sys.exit(code)
"""
FLAGS = ("--provider", "openai", "--base-url", "http://127.0.0.1:1/v1", "--model", "m")
PRICES = ("--price-in", "1", "--price-out", "1")


def write_tasks(folder: Path, tasks: Iterable[Mapping[str, Any]]) -> Path:
    """Writes a file of tasks into a folder."""
    file = folder / "tasks.jsonl"
    file.write_text("".join(json.dumps(task) + "\n" for task in tasks))
    return file


def read_results(out: Path) -> dict[str, dict[str, Any]]:
    """The results of a run by the tasks' ids; each has one."""
    lines = [json.loads(line) for line in (out / "results.jsonl").read_text().splitlines()]
    results = {line["id"]: line for line in lines}
    assert len(lines) == len(results)
    return results


def stand_in_command(log: Path) -> tuple[str, ...]:
    """What starts the program that notes the prompts in `log`."""
    log.touch()
    return (sys.executable, "-I", "-S", "-c", STAND_IN, str(log))


def batch_here(log: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs it in this process."""
    stdout, stderr = io.StringIO(), io.StringIO()
    streams = Streams(io.StringIO(), stdout, stderr, dict(os.environ))
    code = _batch(log, arguments, streams)
    return subprocess.CompletedProcess(arguments, code, stdout.getvalue(), stderr.getvalue())


def start_batch(log: Path, *arguments: str, **options: Any) -> subprocess.Popen[str]:
    """Starts it in a process of its own."""
    argv = [sys.executable, "-m", "tests.support.batches", str(log), *arguments]
    return subprocess.Popen(argv, cwd=Path(__file__).parents[2], text=True, **options)


def _batch(log: Path, arguments: Iterable[str], streams: Streams) -> int:
    flags = parse_command_arguments("batch", [*arguments, *FLAGS])
    try:
        return run_batch(flags, streams, stand_in_command(log))
    except TextAgentError as error:
        streams.stderr.write(f"text-agent: {error}\n{error.hint}")
        return error.exit_code


if __name__ == "__main__":
    sys.exit(_batch(Path(sys.argv[1]), sys.argv[2:], own_streams()))
