"""Time and memory of the file tools and of checkpoints, on a tree of 50,000 files and a file of 1 GB.

    python bench/files.py [--quick]

Compares listing and searching with rg itself, each the best of several runs; measures checkpoints after
the first one, and the memory that reading the end of a large file takes. Exits with 1 if a limit is
exceeded. `--quick` takes a tenth of everything.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from text_agent.files.checkpoints.scanner import TreeScanner
from text_agent.files.checkpoints.store import ShadowStore
from text_agent.files.ripgrep import find_ripgrep, list_project
from text_agent.files.workspace import Workspace
from text_agent.tools.list_files import list_files
from text_agent.tools.search import search

FILES_A_FOLDER = 100
MAX_RATIO = 1.5
MAX_CHECKPOINT_SECONDS = 0.3
MAX_MEMORY_MEGABYTES = 50
LINES_FROM_THE_END = 2_000
RUNS = 15


@dataclass
class Report:
    """Prints each figure beside its limit, and remembers whether all were kept."""

    ok: bool = True

    def add(self, name: str, value: float, limit: float, unit: str) -> None:
        kept = value <= limit
        self.ok &= kept
        print(f"{name:<44} {value:7.2f} {unit:<7} limit {limit:g}{'' if kept else '   TOO MUCH'}")


def make_tree(root: Path, files: int) -> None:
    chance = random.Random(1)
    words = ["".join(chance.choices("abcdefghij", k=6)) for _ in range(2000)]
    for number in range(files // FILES_A_FOLDER):
        folder = root / f"package{number // 25}" / f"module{number}"
        folder.mkdir(parents=True)
        for index in range(FILES_A_FOLDER):
            lines = [" ".join(chance.choices(words, k=8)) for _ in range(40)]
            (folder / f"file{index}.py").write_text("\n".join([*lines, f"{number} {index}\n"]))


def seconds(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def ratio(ours: Callable[[], object], theirs: Callable[[], object]) -> float:
    """The best times of both, taken in turns, for others use the machine too."""
    times = [(seconds(ours), seconds(theirs)) for _ in range(RUNS)]
    return min(own for own, _ in times) / min(other for _, other in times)


def rg(root: Path, *arguments: str) -> Callable[[], object]:
    command = [find_ripgrep(), "--no-config", "--color=never", *arguments]
    return lambda: subprocess.run(command, cwd=root, stdin=subprocess.DEVNULL, capture_output=True)


def compare_with_rg(report: Report, workspace: Workspace) -> None:
    root = workspace.root
    pairs: list[tuple[str, Callable[[], object], Callable[[], object]]] = [
        ("list_files", lambda: list_files(workspace), rg(root, "--files")),
        (
            "list_files of a pattern, newest first",
            lambda: list_files(workspace, pattern="*7.py"),
            rg(root, "--files", "--sortr=modified", "--glob=*7.py"),
        ),
        ("search, no match", lambda: search(workspace, "zzz"), rg(root, "-n", "zzz", ".")),
        ("search, 500 matches", lambda: search(workspace, r"^\d+ 77$"), rg(root, "-n", r"^\d+ 77$", ".")),
        ("search, every file", lambda: search(workspace, r"^\d+ \d+$"), rg(root, "-n", r"^\d+ \d+$", ".")),
    ]  # fmt: skip
    for name, ours, theirs in pairs:
        report.add(f"{name}, times rg's own", ratio(ours, theirs), MAX_RATIO, "x")


def measure_checkpoints(report: Report, root: Path, data: Path) -> None:
    git = shutil.which("git")
    assert git, "git is needed"
    scanner = TreeScanner(root, lambda: list_project(root), ShadowStore(data, root, git), print)
    print(f"{'the first checkpoint':<44} {seconds(scanner.scan):7.2f} s")
    time.sleep(0.1)
    unchanged = min(seconds(scanner.scan) for _ in range(RUNS))
    report.add("a checkpoint, nothing changed", unchanged, MAX_CHECKPOINT_SECONDS, "s")
    new = root / "new.py"

    def after_a_change() -> float:
        """Seconds of the checkpoint after a file was created or removed, which lists the files anew."""
        new.unlink() if new.exists() else new.write_text("new\n")
        return seconds(scanner.scan)

    changed = min(after_a_change() for _ in range(RUNS))
    report.add("a checkpoint, a file created or removed", changed, MAX_CHECKPOINT_SECONDS, "s")


# In a process of its own, which has needed little memory so far.
READ_THE_END = """
import resource, sys
from pathlib import Path
from text_agent.tools.read_file import read_file
from text_agent.files.workspace import Workspace
workspace = Workspace(Path(sys.argv[1]))
read_file(workspace, "small.log")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for first in range(int(sys.argv[2]), int(sys.argv[3]), 500):
    assert f"{first}| line" in read_file(workspace, "large.log", first, first + 499)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def measure_memory(report: Report, root: Path, size: int) -> None:
    block = "".join(f"line {number} of a large file, with some text in it\n" for number in range(20_000))
    (root / "small.log").write_text("line\n")
    with (root / "large.log").open("w") as stream:
        for _ in range(size // len(block)):
            stream.write(block)
    last = block.count("\n") * (size // len(block))
    bounds = str(last - LINES_FROM_THE_END + 1), str(last)
    command = [sys.executable, "-c", READ_THE_END, str(root), *bounds]
    kilobytes = int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    name = f"the last {LINES_FROM_THE_END:,} lines of {size / 1e9:g} GB"
    report.add(name, kilobytes / 1024, MAX_MEMORY_MEGABYTES, "MB")


def main() -> int:
    scale = 10 if "--quick" in sys.argv[1:] else 1
    report = Report()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "large").mkdir()
        measure_memory(report, folder / "large", 1_000_000_000 // scale)
        make_tree(folder / "tree", 50_000 // scale)
        compare_with_rg(report, Workspace(folder / "tree"))
        measure_checkpoints(report, folder / "tree", folder / "data")
    return 0 if report.ok else 1


if __name__ == "__main__":
    sys.exit(main())
