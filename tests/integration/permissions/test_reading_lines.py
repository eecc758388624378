"""What is taken for harmless is harmless: lines made from the table of programs, in a real shell."""

from __future__ import annotations

import itertools
import os
import random
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.reading_world import OF_OTHERS, OUTSIDE, SECRET, World, build, lines_of, listen, rows
from text_agent.files.secrets import Secrets
from text_agent.permissions.command_lines.assessment import assess
from text_agent.permissions.command_lines.git import hardened
from text_agent.permissions.command_lines.surroundings import Surroundings
from text_agent.permissions.command_lines.system import look_around

pytestmark = pytest.mark.skipif(
    not all(map(shutil.which, ("bash", "git"))) or not Path("/proc/self/fd").exists(),
    reason="no bash, git or /proc",
)
# Lines that run of each row, of so many that are tried.
RUNS, TRIES = 7, 60
LEAST_LINES = 500


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    made = build(tmp_path_factory.mktemp("world"))
    other = subprocess.Popen(["sleep", "600"], env={**os.environ, "OTHERS": OF_OTHERS})
    server = listen(made)
    yield made
    server.close()
    other.kill()
    other.wait()


def is_here(name: str) -> bool:
    """Whether the program of a row is on this machine."""
    return shutil.which(name.split()[0]) is not None or rows()[name].built_in


def harmless_lines(around: Surroundings, runs: int, tries: int, seed: int) -> Iterator[str]:
    """Lines that the classifier lets run unasked, some of every row whose program is here."""
    for name, row in rows().items():
        if is_here(name):
            lines = itertools.islice(lines_of(name, row, random.Random(f"{seed} {name}")), tries)
            found = (line for line in dict.fromkeys(lines) if assess(line, around).kind == "reads")
            yield from itertools.islice(found, runs)


def quick(around: Surroundings) -> Surroundings:
    """The same surroundings, which ask git once only."""
    settings, tracks = around.git_settings(), around.tracks_secrets()
    return replace(around, git_settings=lambda: settings, tracks_secrets=lambda: tracks)


def faults(world: World, line: str) -> list[str]:
    """What a line did that one that only reads does not do."""
    before = world.state()
    said = world.run(hardened(line)).decode("utf-8", "replace")
    found = [word for word in (SECRET, OUTSIDE, OF_OTHERS) if word in said]
    found += ["ran"] if world.ran.exists() else []
    found += ["talked"] if world.connections else []
    world.ran.unlink(missing_ok=True)
    world.connections.clear()
    return found + [f"changed {path}" for path, _ in set(before.items()) ^ set(world.state().items())]


def test_what_is_taken_for_harmless_is_harmless(
    world: World, record_property: Callable[[str, object], None]
) -> None:
    around = quick(look_around(world.root, Secrets(world.root), os.environ))
    lines = list(harmless_lines(around, RUNS, TRIES, seed=1))
    record_property("lines", len(lines))
    world.ran.unlink(missing_ok=True)
    assert {line: found for line in lines if (found := faults(world, line))} == {}
    not_here = [name for name in rows() if not is_here(name)]
    assert len(lines) >= LEAST_LINES, f"not here: {not_here}"


def test_the_traps_work(world: World) -> None:
    """Without the classifier's no, these do what must not be."""
    assert faults(world, "cat .env") == [SECRET]
    assert faults(world, "cat out") == faults(world, "ls outdir/") == [OUTSIDE]
    assert faults(world, "ps auxe") == [OF_OTHERS]
    assert faults(world, "touch x")
    assert faults(world, "./evil < /dev/null") == ["ran"]
    world.run("git diff")
    assert world.ran.exists()
    world.ran.unlink()
    world.run("git status")
    assert world.ran.exists()
    world.ran.unlink()
