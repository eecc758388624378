"""One line for each kept run: what was solved, and at what price.

    python -m bench.compare [NAME ...]

Without names, all of `runs/`. Tasks that are none of `bench.tasks` are those that were given with `--tasks`.
A run of a changed tree holds the change: `--changes` shows it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from bench.model import RUNS, price
from bench.tasks import SETS


def counts(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Solved of run, for the given tasks and for each set of our own."""
    homes = {task.id: name for name, tasks in SETS.items() for task in tasks}
    sets: dict[str, list[bool]] = {name: [] for name in ("given", *SETS)}
    for row in rows:
        sets[homes.get(row["id"], "given")].append(row["solved"])
    return [f"{sum(solved)} of {len(solved)}" if solved else "-" for solved in sets.values()]


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("names", nargs="*", help="of kept runs, without .json")
    parser.add_argument("--changes", action="store_true", help="what each run changes in its commit")
    arguments = parser.parse_args(argv)
    print("| run | flags | given |", *(f"{name} |" for name in SETS), "prompt tokens | malformed | seconds |")
    print("|---" * (6 + len(SETS)) + "|")
    for name in arguments.names or sorted(file.stem for file in RUNS.glob("*.json")):
        run = json.loads((RUNS / f"{name}.json").read_text())
        rows = run["rows"]
        malformed, seconds = (round(sum(row[key] for row in rows)) for key in ("malformed", "seconds"))
        cells = [name, " ".join(run["flags"]), *counts(rows), f"{price(rows):,.0f}", malformed, seconds]
        print("|", " | ".join(map(str, cells)), "|")
        if arguments.changes and run.get("changes"):
            print(f"\n{run['changes']}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
