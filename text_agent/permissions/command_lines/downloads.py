"""What in a line runs what the line has downloaded: a pipe into a shell, in two steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from text_agent.permissions.command_lines.danger_table import INTERPRETERS, SHELLS
from text_agent.permissions.command_lines.lines import Command
from text_agent.permissions.command_lines.programs import program_of

_DOWNLOADERS = frozenset({"aria2c", "curl", "fetch", "ftp", "http", "scp", "sftp", "wget", "xh"})


def find_downloaded_code(commands: Sequence[Command]) -> str | None:
    """That a line runs what it has downloaded, or None."""
    named = {_name(text) for command in commands for text in _named_by_download(command)} - {""}
    run = {_name(text) for command in commands for text in _run_by(command)}
    return "runs what it has downloaded" if named & run else None


def _named_by_download(command: Command) -> Iterator[str]:
    """What a download may be called: by a flag, a redirection, or the end of its address."""
    if program_of(command) in _DOWNLOADERS:
        yield from (word.text for word in command.words[1:])
        yield from (each.target.text for each in command.redirections if ">" in each.operator)


def _run_by(command: Command) -> Iterator[str]:
    """The files that a command runs."""
    words = [word.text for word in command.words]
    if program_of(command) in SHELLS | INTERPRETERS | {"source", "."}:
        yield from (text for text in words[1:] if not text.startswith("-"))
        yield from (each.target.text for each in command.redirections if each.operator == "<")
    elif words and "/" in words[0]:
        yield words[0]


def _name(path: str) -> str:
    """The file's own name: of `--output=x/y.sh` and of `https://example.org/y.sh?v=2`, too."""
    name = path.partition("?")[0].rpartition("/")[2]
    return name.rpartition("=")[2]
