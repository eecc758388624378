"""Measures how long the chat takes to its prompt, with how much memory, and what `-p` adds to the model.

    .venv/bin/python -m bench.start [runs]

A scripted server is the model, and takes its time; each figure is the best of some runs, as a busy machine
only makes it worse. CPU seconds say more than the clock there, but count what is done while the model works.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import pexpect

from tests.support.command import TEXT_AGENT
from tests.support.moves import Say
from tests.support.scripted_server import ScriptedServer

_RUNS = 10
_PROJECT = Path(__file__).parents[1] / "text_agent" / "files"
# What a fast remote model takes to its first word.
_MODEL_SECONDS = 0.5
# What the HTTP client imports, at once and when it is made.
_CLIENT = "import httpx2, httpcore2"
# As the program does, without looking for garbage, and without the end of the process.
_IMPORT = """
import gc, time
gc.set_threshold(50_000, 20, 20)
wall, cpu = time.perf_counter(), time.process_time()
{imports}
print(time.perf_counter() - wall, time.process_time() - cpu)
"""
_TICK = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Measure:
    """One run: seconds by the clock, seconds of the processor, and memory in MB (0 where not measured)."""

    wall: float
    cpu: float
    memory: float = 0.0


def prompt(flags: list[str], folder: Path) -> Measure:
    """From the start of the chat to its prompt on the screen."""
    begun = time.perf_counter()
    child = pexpect.spawn(str(TEXT_AGENT), flags, cwd=str(folder), dimensions=(24, 80), encoding="utf-8")
    child.delaybeforesend = None
    answered = 0
    output = ""
    while "you> " not in output:
        output += child.read_nonblocking(4096, timeout=30)
        for _ in range(output.count("\x1b[6n") - answered):  # a terminal tells where its cursor is
            child.send("\x1b[1;1R")
            answered += 1
    wall = time.perf_counter() - begun
    fields = Path(f"/proc/{child.pid}/stat").read_text().rpartition(")")[2].split()
    status = Path(f"/proc/{child.pid}/status").read_text()
    peak = re.search(r"VmHWM:\s+(\d+)", status)
    child.close(force=True)
    cpu = (int(fields[11]) + int(fields[12])) / _TICK
    return Measure(wall, cpu, int(peak[1]) / 1024 if peak else 0.0)


def command(argv: list[str], folder: Path) -> Measure:
    """A command from its start to its end."""
    before, begun = os.times(), time.perf_counter()
    subprocess.run(argv, cwd=folder, capture_output=True, check=True, stdin=subprocess.DEVNULL)
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return Measure(time.perf_counter() - begun, cpu)


def client_import() -> Measure:
    """The import of the HTTP client alone."""
    argv = [sys.executable, "-c", _IMPORT.format(imports=_CLIENT)]
    return Measure(*map(float, subprocess.run(argv, capture_output=True, check=True).stdout.split()))


def best(measures: list[Measure]) -> Measure:
    """The best figure of each kind."""
    return Measure(*(min(getattr(one, name) for one in measures) for name in ("wall", "cpu", "memory")))


def prepare() -> Path:
    """A home and a small project in a folder of their own; returns the project."""
    folder = Path(tempfile.mkdtemp(prefix="start-"))
    os.environ.update(HOME=str(folder), TERM="xterm-256color", ANTHROPIC_API_KEY="key", OPENAI_API_KEY="key")
    # An installed program is compiled.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    return Path(shutil.copytree(_PROJECT, folder / "project"))


def added(provider: str, url: str, project: Path, runs: int) -> str:
    """What `-p` takes beside the model's own time and the import of the HTTP client."""
    argv = [str(TEXT_AGENT), "--provider", provider, "--base-url", url, "--model", "scripted", "-p", "hi"]
    # In turns: a busy machine slows both.
    pairs = [(command(argv, project), client_import()) for _ in range(runs)]
    task, client = (best(list(measures)) for measures in zip(*pairs, strict=True))
    wall, cpu = task.wall - _MODEL_SECONDS - client.wall, task.cpu - client.cpu
    return (
        f"-p with {provider:9} adds {wall:.3f} s, cpu {cpu:.2f} s (0.3 s) "
        f"to {_MODEL_SECONDS} s of the model and {client.wall:.3f} s, cpu {client.cpu:.2f} s of its client"
    )


def main() -> None:
    """Prints the figures, and in brackets what they may be at most."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else _RUNS
    project = prepare()
    with ScriptedServer([Say("Hello.", chunks=1, delay_seconds=_MODEL_SECONDS)] * 2 * runs) as server:
        flags = ["--provider", "openai", "--base-url", server.openai_url, "--model", "scripted"]
        first = best([prompt(flags, project) for _ in range(runs)])
        print(f"prompt {first.wall:.3f} s, cpu {first.cpu:.2f} s, {first.memory:.0f} MB (0.25 s, 80 MB)")
        print(added("openai", server.openai_url, project, runs))
        print(added("anthropic", server.anthropic_url, project, runs))


if __name__ == "__main__":
    main()
