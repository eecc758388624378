"""A folder full of traps, and command lines made from the table of programs, to run in it."""

from __future__ import annotations

import os
import random
import socket
import subprocess
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from text_agent.commands.shell import command_environment
from text_agent.permissions.command_lines.options import kinds_of
from text_agent.permissions.command_lines.program import Program
from text_agent.permissions.command_lines.rows_git import GIT
from text_agent.permissions.command_lines.rows_reading import READERS
from text_agent.permissions.command_lines.rows_running import RUNNING

# Stand in what nobody may see: secret files, files outside, their names, the environment of others.
SECRET, OUTSIDE, OF_OTHERS = "s3cr3t-w0rd", "0uts1de-w0rd", "env1r0nment-w0rd"
_KEY = f"-----BEGIN OPENSSH PRIVATE KEY-----\n{SECRET}\n"
# What git starts if it is set so, and does not know better.
_STARTED_BY_GIT = (
    "core.fsmonitor", "core.pager", "pager.log", "pager.diff", "diff.external", "diff.evil.command",
    "diff.evil.textconv", "core.editor", "core.sshCommand", "core.askPass",
)  # fmt: skip
OPERANDS = [
    "a.txt", "b.txt", "'a b.txt'", "./-n", "./--help", "src", "src/app.py", ".", "./", "docs", "links",
    "links/out", "linked", "missing", ".env", "./.env", "src/../.env", "safe", "out", "outdir",
    "outdir/inner.txt", ".ssh", ".ssh/id_rsa", "keys", "keys/mine", "keys/..", "../outside",
    "../outside/marker.txt", "/etc/hostname", "sock", "sub", "./.e*", "./.[^x]nv", "./.[a-z]nv", "./.??v",
    "./s*", "s*/app.py", "l*/*", "./[a-z]*", "o*", "[o]ut", "./*", "HEAD", "HEAD~1", "HEAD:a.txt", "main",
    "-", "--", "x", "''", "one", "'[a-z]*'", "1,2p", "$p", "1", "2", "u", "e", "aux", "+%F", "@names",
    ":(top)a.txt", "!", "-name", "'*.txt'",
]  # fmt: skip
_VALUES = ["1", "2", "x", "pid", "auto", "a.txt", ".env", "out", "outdir", "1,2", "'%h'", "."]


# Where a screen has a width, `ps` cuts its lines there.
_WIDE = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}


@dataclass(slots=True)
class World:
    """The folder, and what came of the lines that ran in it."""

    root: Path
    connections: list[object] = field(default_factory=list)
    runs: int = 0

    @property
    def ran(self) -> Path:
        """Where a program of the workspace leaves its mark."""
        return self.root.parent / "ran"

    def state(self) -> Mapping[str, tuple[int, int, int]]:
        """The files of the folder and beside it; none changes without a trace in this."""
        found = {}
        for parent, folders, files in os.walk(self.root.parent):
            for name in (*folders, *files):
                status = os.lstat(os.path.join(parent, name))  # noqa: PTH118 - there are many
                found[f"{parent}/{name}"] = (status.st_mode, status.st_size, status.st_mtime_ns)
        return {path: mark for path, mark in found.items() if not path.endswith("sub/f.txt")}

    def run(self, line: str) -> bytes:
        """Runs a line as the tool for commands does; gives what it prints."""
        self.runs += 1
        # Git looks at what is in a file again when its time has changed.
        os.utime(self.root / "sub/f.txt", (self.runs, self.runs))
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=self.root,
            env=command_environment({**_WIDE, "LC_ALL": "C.UTF-8"}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=20,
            check=False,
        )
        return done.stdout


def build(folder: Path) -> World:
    """Makes the folder, its repository and what lies outside."""
    world = World(folder / "project")
    _write_files(world.root, folder / "outside")
    _make_repository(world)
    (world.root / "a.txt").write_text("one\ntwo\nchanged\n")
    world.ran.unlink(missing_ok=True)
    return world


def _write_files(root: Path, outside: Path) -> None:
    texts = {
        "a.txt": "one\ntwo\n", "b.txt": "one\n", "a b.txt": "x\n", "-n": "x\n", "--help": "x\n",
        "src/app.py": "print(1)\n", "docs/note.md": "# one\n",
        ".env": f"KEY={SECRET}\n", ".ssh/id_rsa": f"{SECRET}\n",
        "keys/mine": _KEY, "names": "/etc/hostname\n", ".gitignore": ".env\n.ssh\nkeys\nsafe\nlinked\n",
        ".gitattributes": "*.txt diff=evil\n", ".rgignore": "!.env\n!.ssh\n", "sub/f.txt": "one\n",
    }  # fmt: skip
    for name, text in texts.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    outside.mkdir()
    (outside / "marker.txt").write_text(f"{OUTSIDE}\n")
    (outside / "inner.txt").write_text(f"{OUTSIDE}\n")
    (outside / f"{OUTSIDE}.txt").touch()
    for name, target in {
        "safe": ".env", "out": "../outside/marker.txt", "outdir": "../outside",
        "links/out": "../../outside/marker.txt", "links/a.txt": "../../outside/marker.txt",
        "linked/a.txt": "../.env",
    }.items():  # fmt: skip
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).symlink_to(target)


def _make_repository(world: World) -> None:
    evil = world.root / "evil"
    evil.write_text(f'#!/bin/sh\ntouch "{world.ran}"\ncat\n')
    evil.chmod(0o755)
    for folder in (world.root / "sub", world.root):
        _git(folder, "init", "-q", "-b", "main")
        _git(folder, "add", ".")
        _git(folder, "commit", "-qm", "first")
    _git(world.root, "commit", "-q", "--allow-empty", "-m", "second")
    _git(world.root, "tag", "v1")
    for name in _STARTED_BY_GIT:
        _git(world.root, "config", name, str(evil))
    _git(world.root / "sub", "config", "filter.evil.clean", str(evil))
    (world.root / "sub/.git/info/attributes").write_text("* filter=evil\n")
    for hook in ("post-index-change", "fsmonitor-watchman", "post-checkout", "reference-transaction"):
        path = world.root / ".git/hooks" / hook
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(evil.read_bytes())
        path.chmod(0o755)


def _git(folder: Path, *words: str) -> None:
    settings = ("-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "core.hooksPath=/dev/null")
    subprocess.run(["git", *settings, *words], cwd=folder, check=True, capture_output=True)


def listen(world: World) -> socket.socket:
    """Puts a socket into the folder that notes who talks to it."""
    server = socket.socket(socket.AF_UNIX)
    # Its path would be longer than such a path may be.
    here = os.open(world.root, os.O_RDONLY)
    server.bind(f"/proc/self/fd/{here}/sock")
    os.close(here)
    server.listen()

    def accept() -> None:
        try:
            while True:
                world.connections.append(server.accept())
        except OSError:  # it is closed
            return

    threading.Thread(target=accept, daemon=True).start()
    return server


def rows() -> Mapping[str, Program]:
    """All rows of programs that may only read, by what a line begins with."""
    git = {f"git {name}": row for name, row in GIT.commands.items() if row.flags is not None}
    others = {name: row for name, row in {**READERS, **RUNNING}.items() if row.flags is not None}
    return {**others, **git}


def lines_of(name: str, row: Program, chance: random.Random) -> Iterator[str]:
    """Lines for one row without end: its flags in all forms, and operands, most of them hostile."""
    kinds = list(kinds_of(row.flags or "").items())
    yield name
    while True:
        count = chance.choice((0, 0, 1, 1, 2)) if kinds else 0
        words = [_flag(*chance.choice(kinds), kinds, chance) for _ in range(count)]
        words += chance.choices(OPERANDS, k=chance.choice((0, 1, 1, 2, 3)))
        if chance.random() < 0.2:
            chance.shuffle(words)
        yield " ".join((name, *words))


def _flag(name: str, kind: str, kinds: list[tuple[str, str]], chance: random.Random) -> str:
    """A flag with its value, if it takes one, or as one of a group of letters."""
    if name == "-#":
        return "-2"
    value = chance.choice([*_VALUES, *OPERANDS])
    if kind and chance.random() < 0.9:
        attached = f"{name}={value}" if name.startswith("--") else f"{name}{value}"
        return attached if kind == "?" or chance.random() < 0.4 else f"{name} {value}"
    letters = [other[1] for other, _ in kinds if len(other) == 2 and other != "-#"]
    if len(name) > 2 or not letters or chance.random() < 0.6:
        return name
    return (
        name + "".join(chance.choices(letters, k=chance.choice((1, 2)))) + chance.choice(("", "", " a.txt"))
    )
