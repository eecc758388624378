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
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.places.projects import project
from text_agent.agent.claims import asks_only
from text_agent.config.limits import PLACES_MAX_CHARS
from text_agent.files.index.entries import read_entries
from text_agent.files.index.excerpts import Excerpt, select_excerpts
from text_agent.files.index.ranking import rank_units
from text_agent.files.index.reader import read_units
from text_agent.files.workspace import Workspace

# Characters of code that make a token, about.
CHARS_PER_TOKEN = 3.4


@dataclass(frozen=True)
class Try:
    """One request: the excerpt that had the right place (0: none), and the seconds, first and again."""

    request: str
    rank: int
    tokens: int
    cold: float
    warm: float
    excerpts: Sequence[Excerpt]


def try_request(folder: Path, request: str, right: list[list[str]]) -> Try:
    for path, text in right:
        assert text in (folder / path).read_text(), (path, text)
    read_entries.cache_clear()
    read_units.cache_clear()
    start = time.perf_counter()
    rank_units(Workspace(folder), request, asks_only)
    middle = time.perf_counter()
    found = rank_units(Workspace(folder), request, asks_only)
    end = time.perf_counter()
    excerpts = select_excerpts(found, PLACES_MAX_CHARS).excerpts
    ranks = [
        rank
        for rank, each in enumerate(excerpts, 1)
        if any(each.path == path and text in each.text for path, text in right)
    ]
    tokens = round(sum(len(each.text) for each in excerpts) / CHARS_PER_TOKEN)
    return Try(request, min(ranks, default=0), tokens, middle - start, end - middle, excerpts)


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
            times = f"{each.cold:.2f} s, again {each.warm:.2f} s"
            print(f"{each.rank or '-':>4}  {each.tokens:5} tokens  {times}  {each.request[:80]!r}")
            if "--show" in sys.argv and not 0 < each.rank <= 3:
                for excerpt in each.excerpts:
                    names = ", ".join(unit.full_name for unit in excerpt.units)
                    print(f"        {excerpt.path}:{excerpt.first}-{excerpt.last} {names}")
        first, three, shown = (sum(0 < each.rank <= most for each in tries) for most in (1, 3, 99))
        tokens = sum(each.tokens for each in tries) // len(tries)
        slowest = max(each.cold for each in tries)
        print(
            f"{half}: first {first}, among three {three}, shown {shown}, of {len(tries)};"
            f" {tokens} tokens on average; {slowest:.2f} s at most\n"
        )


if __name__ == "__main__":
    main()
