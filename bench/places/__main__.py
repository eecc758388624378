"""How often the right place of a project is among the first that are found for a request, without a model.

    python -m bench.places [--show] [--chosen]

The requests stand in `places.toml`, by project, in two halves: weights are chosen on one of them only. The
projects come from the package indexes of Python and Node. `--show` lists what was found
instead, `--chosen` leaves the other half alone.
"""

from __future__ import annotations

import sys
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

from bench.places.projects import project
from text_agent.files.index.entries import read_entries
from text_agent.files.index.ranking import Ranked, rank_units
from text_agent.files.index.reader import read_units
from text_agent.files.workspace import Workspace


@dataclass(frozen=True)
class Try:
    """One request: at which rank the right place was (0: nowhere), and the seconds, first and again."""

    request: str
    rank: int
    cold: float
    warm: float
    found: list[Ranked]


def try_request(folder: Path, request: str, right: list[list[str]]) -> Try:
    for path, text in right:
        assert text in (folder / path).read_text(), (path, text)
    read_entries.cache_clear()
    read_units.cache_clear()
    start = time.perf_counter()
    rank_units(Workspace(folder), request)
    middle = time.perf_counter()
    found = rank_units(Workspace(folder), request)
    end = time.perf_counter()
    ranks = [
        rank
        for rank, each in enumerate(found, 1)
        if any(each.entry.path == path and text in each.entry.text for path, text in right)
    ]
    return Try(request, min(ranks, default=0), middle - start, end - middle, found[:5])


def main() -> None:
    halves = tomllib.loads(Path(__file__).with_name("places.toml").read_text())
    for half, projects in halves.items():
        if half == "unseen" and "--chosen" in sys.argv:
            continue
        tries = [
            try_request(project(spec), each["request"], each["right"])
            for spec, requests in projects.items()
            for each in requests
        ]
        for each in tries:
            print(f"{each.rank:4}  {each.cold:.2f} s, again {each.warm:.2f} s  {each.request[:90]!r}")
            if "--show" in sys.argv and not 0 < each.rank <= 3:
                for found in each.found:
                    unit = found.entry.unit
                    place = f"{found.entry.path}:{unit.first}-{unit.last}"
                    print(f"        {found.score:6.1f} {place} {unit.full_name}")
        first, three = (sum(0 < each.rank <= most for each in tries) for most in (1, 3))
        print(f"{half}: first {first}, among three {three}, of {len(tries)}\n")


if __name__ == "__main__":
    main()
