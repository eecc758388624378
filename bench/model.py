"""How many small tasks a small model on this machine solves through the installed command.

    python -m bench.model [OPTIONS] [-- FLAGS OF TEXT-AGENT]

Fetches the local provider's model if it is not there yet, serves it once for all tasks, and runs each task in
a folder of its own at temperature 0. Tasks are those of `bench.tasks`, and those of every file named with
`--tasks`: a list `T` of dictionaries with id, prompt, files and check. The run is kept in `runs/NAME.json`
with the commit, what the working tree changes in it, and the flags; one that was broken off goes on where it
stopped.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path

from bench.tasks import QUICK, TASKS
from bench.tasks.task import Task, load_tasks
from text_agent.config.limits import LOCAL_CONTEXT_TOKENS
from text_agent.providers.local.llama_server import LlamaServer
from text_agent.providers.local.provider import DEFAULT_WEIGHTS, default_sources
from text_agent.providers.local.weights import fetch_weights
from text_agent.terminal.output.setup_listener import ConsoleSetupListener

RUNS = Path(__file__).parent / "runs"
COMMAND = Path(sys.executable).with_name("text-agent")
# A cached token costs a tenth of one that is read anew, as at the vendors.
CACHED_SHARE = 0.1
CHECK_SECONDS = 60
COLUMNS = "{:<18} {:<7} {:>5} {:>7} {:>7} {:>6} {:>6} {:>4} {:>5}  {}"
HEADER = COLUMNS.format("task", "solved", "steps", "in", "cached", "out", "s", "bad", "fixed", "why not")
Row = dict[str, Any]

CHECK = """\
import sys
sys.path.insert(0, ".")
sys.dont_write_bytecode = True
ANSWER = sys.argv[1]
said = lambda text: text
"""


@dataclass(frozen=True, slots=True)
class Bench:
    """A served model, and how the command is called.

    Attributes:
        address: the server's that has the model.
        key: that it wants.
        flags: of text-agent, beside the usual ones.
        limit: seconds that a task may take.
        keep: where the projects and sessions of all tasks stay, to be looked at; None if they are not wanted.
    """

    address: str
    key: str
    flags: Sequence[str]
    limit: float
    keep: Path | None = None

    def run(self, task: Task) -> Row:
        """Runs one task and checks it."""
        with self._folder(task) as folder:
            project = folder / "project"
            project.mkdir()
            for name, text in task.files.items():
                (project / name).parent.mkdir(parents=True, exist_ok=True)
                (project / name).write_text(text)
            start = time.monotonic()
            result = self._ask(task.prompt, project, folder)
            seconds = time.monotonic() - start
            why = _problem(task, project, result.get("answer", ""))
        return {
            "id": task.id,
            "solved": not why,
            "why": why,
            "seconds": round(seconds, 1),
            **_figures(result),
        }

    @contextmanager
    def _folder(self, task: Task) -> Iterator[Path]:
        """An empty folder for one task."""
        if self.keep:
            folder = self.keep / task.id
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            yield folder
            return
        with tempfile.TemporaryDirectory(prefix="text-agent-bench-") as temporary:
            yield Path(temporary)

    def _ask(self, prompt: str, project: Path, home: Path) -> dict[str, Any]:
        """What the command gives; nothing if it took too long."""
        endpoint = ["--provider", "openai", "--base-url", f"{self.address}/v1", "--model", "local"]
        # As for the provider `local`.
        model = ["--context-tokens", str(LOCAL_CONTEXT_TOKENS), "--small-model", "on", "--temperature", "0"]
        command = [str(COMMAND), "-p", prompt, "--yes", "--output", "json", *endpoint, *model, *self.flags]
        own = {f"XDG_{kind}_HOME": str(home / kind) for kind in ("CONFIG", "DATA", "STATE", "CACHE")}
        environment = {
            **os.environ,
            **own,
            "TEXT_AGENT_API_KEY": self.key,
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        process = subprocess.Popen(
            command,
            cwd=project,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            output, _ = process.communicate(timeout=self.limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return {}
        return dict(json.loads(output)) if output.strip() else {}


def _problem(task: Task, project: Path, answer: str) -> str:
    """Why the task is not solved; empty if it is."""
    try:
        check = subprocess.run(
            [sys.executable, "-c", CHECK + task.check, answer],
            cwd=project,
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
            timeout=CHECK_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return f"the check took more than {CHECK_SECONDS} s"
    return (check.stderr.strip().splitlines() or ["failed"])[-1][:200] if check.returncode else ""


def _figures(result: dict[str, Any]) -> Row:
    usage, protocol = result.get("usage", {}), result.get("protocol", {})
    refused = protocol.get("refused", {})
    return {
        "status": result.get("status", "time limit"),
        "steps": result.get("steps", 0),
        "in": usage.get("input_tokens") or 0,
        "cached": usage.get("cached_tokens") or 0,
        "out": usage.get("output_tokens") or 0,
        "malformed": refused.get("malformed", 0) + refused.get("wrong arguments", 0),
        "repaired": protocol.get("repaired", 0),
    }


def _line(row: Row) -> str:
    why = "" if row["solved"] else f"{row['status']}: {row['why']}"
    tokens = (row["in"], row["cached"], row["out"], round(row["seconds"]))
    solved = "yes" if row["solved"] else "no"
    return COLUMNS.format(row["id"], solved, row["steps"], *tokens, row["malformed"], row["repaired"], why)


def price(rows: Sequence[Row]) -> float:
    """Prompt tokens a solved task, as they are paid: cached ones for a tenth."""
    paid = sum(row["in"] - row["cached"] * (1 - CACHED_SHARE) for row in rows)
    return float(paid / max(sum(row["solved"] for row in rows), 1))


def summary(rows: Sequence[Row]) -> str:
    """The sums in one line."""
    solved = sum(row["solved"] for row in rows)
    malformed, seconds = (sum(row[key] for row in rows) for key in ("malformed", "seconds"))
    return (
        f"{solved} of {len(rows)} solved; {price(rows):,.0f} prompt tokens a solved task (cached ones counted"
        f" as a tenth); malformed {malformed}; {seconds:,.0f} s"
    )


def _git(*arguments: str) -> str:
    command = ["git", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=RUNS.parents[1]).stdout.strip()


def _changes() -> str:
    """What the working tree has that its commit has not: new files by name, and the others' changes."""
    paths = ("--", "text_agent", "prompts")
    return "\n".join(
        filter(
            None, [_git("ls-files", "--others", "--exclude-standard", *paths), _git("diff", "HEAD", *paths)]
        )
    )


@contextmanager
def _served(address: str) -> Iterator[tuple[str, str]]:
    """The address of a server that has the model, and its key; without an address one is started."""
    if address:
        yield address, "none"
        return
    listener = ConsoleSetupListener(sys.stdin, sys.stderr, assumes=True)
    weights = fetch_weights(DEFAULT_WEIGHTS, user_cache_path("text-agent"), default_sources(), listener)
    server = LlamaServer(weights)
    try:
        yield server.address, server.key
    finally:
        server.stop()


def _arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="eight tasks only")
    parser.add_argument("--tasks", type=Path, action="append", default=[], help="a file with more tasks")
    parser.add_argument("--only", default="", help="ids, with commas between")
    parser.add_argument("--name", default="latest", help="of the kept run")
    parser.add_argument("--limit", type=float, default=240, help="seconds a task may take")
    parser.add_argument("--server", default="", help="the address of one that already has the model")
    parser.add_argument("--keep", type=Path, help="a folder in which projects and sessions stay")
    parser.add_argument("flags", nargs="*", help="flags of text-agent, behind --")
    return parser.parse_args(argv)


def main(argv: Sequence[str]) -> int:
    arguments = _arguments(argv)
    tasks = [*(each for file in arguments.tasks for each in load_tasks(file)), *TASKS]
    chosen = (
        arguments.only.split(",") if arguments.only else QUICK if arguments.quick else [t.id for t in tasks]
    )
    tasks = [task for task in tasks if task.id in chosen]
    RUNS.mkdir(exist_ok=True)
    file = RUNS / f"{arguments.name}.json"
    about = {
        "commit": _git("rev-parse", "--short=12", "HEAD"),
        "changes": _changes(),
        "model": DEFAULT_WEIGHTS.title,
        "flags": arguments.flags,
    }
    kept = json.loads(file.read_text()) if file.exists() else {}
    rows: list[Row] = kept["rows"] if {key: kept.get(key) for key in about} == about else []
    keep = arguments.keep and arguments.keep.absolute()
    with _served(arguments.server) as (address, key):
        bench = Bench(address, key, arguments.flags, arguments.limit, keep)
        print(HEADER, *map(_line, rows), sep="\n", flush=True)
        for task in tasks:
            if any(row["id"] == task.id for row in rows):
                continue
            rows.append(bench.run(task))
            print(_line(rows[-1]), flush=True)
            file.write_text(json.dumps({**about, "rows": rows}, indent=1) + "\n")
    print(summary(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
