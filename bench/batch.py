"""Measures `batch`: what it adds to a loop of `-p`, the memory that it takes, and what kills do to it.

    .venv/bin/python -m bench.batch [overhead | memory | kills] [tasks]

A scripted server is the model; in `memory` a program that does nothing stands in the place of text-agent. CPU
seconds say more than the clock on a busy machine.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from tests.support.command import TEXT_AGENT
from tests.support.scripted_server import ScriptedServer

_JOBS = 2
_ROUNDS = 3
_PROMPT = "say something about it"
# Starts a run whose tasks are done by `true`, and tells the most memory that its process had.
_WITHOUT_WORK = """
import resource, sys
from text_agent.cli.assembly.streams import own_streams
from text_agent.cli.batch_command import run_batch
from text_agent.cli.flags import parse_command_arguments
run_batch(parse_command_arguments("batch", sys.argv[1:]), own_streams(), ("true",))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def _tasks(folder: Path, number: int) -> Path:
    project = folder / "project"
    project.mkdir(exist_ok=True)
    for name in range(20):
        (project / f"file{name}.txt").write_text("text\n" * 100)
    file = folder / "tasks.jsonl"
    tasks = [{"id": f"t{each}", "prompt": _PROMPT, "workspace": "project"} for each in range(number)]
    file.write_text("".join(json.dumps(task) + "\n" for task in tasks))
    return file


def _measured(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds by the clock, and of the processors, of all that `work` starts."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    work()
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def overhead(folder: Path, number: int) -> None:
    """Compares a loop of `-p` with a batch of one job; the best of some rounds each."""
    tasks = _tasks(folder, number)
    with ScriptedServer(["It is fine."] * (2 * number * _ROUNDS)) as server:
        flags = server.flags()

        def loop() -> None:
            for each in range(number):
                argv = [
                    str(TEXT_AGENT),
                    "-p",
                    _PROMPT,
                    "--output",
                    "json",
                    "-C",
                    str(folder / "project"),
                    *flags,
                ]
                with (folder / f"{each}.json").open("w") as output:
                    subprocess.run(argv, stdout=output, stderr=subprocess.DEVNULL, check=True)

        def batch(out: str) -> None:
            argv = [str(TEXT_AGENT), "batch", str(tasks), "--out", out, *flags]
            subprocess.run(argv, capture_output=True, check=True)

        rounds = []
        for _ in range(_ROUNDS):
            run = partial(batch, tempfile.mkdtemp(dir=folder))
            # The second time nothing is left to be done but to start.
            rounds.append((_measured(loop), _measured(run), _measured(run)))
    for name, at in (("by the clock", 0), ("of the processors", 1)):
        alone, together, start = (min(each[which][at] for each in rounds) for which in range(3))
        more = (together - start - alone) / number
        print(f"seconds {name}: {alone / number:.3f} a task by -p, {more:+.3f} by batch, {start:.3f} once")


def memory(folder: Path, number: int) -> None:
    """Tells the memory of the process that runs the tasks, for a tenth of them and for all."""
    for each in (number // 10, number):
        flags = ("--provider", "openai", "--base-url", "http://127.0.0.1:1/v1", "--model", "m")
        arguments = [str(_tasks(folder, each)), "--out", str(folder / f"run{each}"), "--jobs", str(_JOBS)]
        began = time.perf_counter()
        argv = [sys.executable, "-c", _WITHOUT_WORK, *arguments, *flags]
        done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
        told, most = done.stdout.splitlines()
        print(f"{each} tasks: {most} MB at most, {time.perf_counter() - began:.1f} s; {told}")


def kills(folder: Path, number: int) -> None:
    """Kills a run twice in the middle, and tells how often tasks have begun and ended."""
    tasks, out = _tasks(folder, number), folder / "run"
    results = out / "results.jsonl"
    with ScriptedServer(["It is fine."] * (number + 2 * _JOBS), strict=False) as server:
        argv = [
            str(TEXT_AGENT),
            "batch",
            str(tasks),
            "--out",
            str(out),
            "--jobs",
            str(_JOBS),
            *server.flags(),
        ]
        for part in (1, 2):
            with subprocess.Popen(argv, stderr=subprocess.DEVNULL) as process:
                while (ended := _lines(results)) < number * part // 3:
                    time.sleep(0.01)
                os.kill(process.pid, signal.SIGKILL)
            print(f"killed after {ended} results")
        subprocess.run(argv, stderr=subprocess.DEVNULL, check=True)
        ids = Counter(json.loads(line)["id"] for line in results.read_text().splitlines())
        print(f"{len(ids)} results, most of one task: {max(ids.values())}; {len(server.requests)} requests")


def _lines(file: Path) -> int:
    return file.read_bytes().count(b"\n") if file.exists() else 0


def main(argv: Sequence[str]) -> int:
    what = {"overhead": (overhead, 10), "memory": (memory, 1000), "kills": (kills, 24)}
    for name in [argv[0]] if argv else what:
        measure, number = what[name]
        with tempfile.TemporaryDirectory(prefix="text-agent-bench-") as folder:
            measure(Path(folder), int(argv[1]) if len(argv) > 1 else number)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
