"""What in a line runs what the line has downloaded: a pipe into a shell, in two steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from text_agent.permissions.command_lines.programs import Told


def find_downloaded_code(commands: Sequence[Told]) -> str | None:
    """That a line runs what it has downloaded, or None."""
    named = {_name(text) for told in commands for text in _named_by_download(told)} - {""}
    run = {_name(text) for told in commands for text in _run_by(told)}
    return "runs what it has downloaded" if named & run else None


def _named_by_download(told: Told) -> Iterator[str]:
    """What a download may be called: by a flag, a redirection, or the end of its address."""
    if told.row.fetches:
        yield from told.texts
        yield from (each.target.text for each in told.written())


def _run_by(told: Told) -> Iterator[str]:
    """The files that a command runs."""
    if told.row.language in ("shell", "code"):
        yield from (text for text in told.texts if not text.startswith("-"))
        yield from (each.target.text for each in told.command.redirections if each.operator == "<")
    elif told.command.words and "/" in told.command.words[0].text:
        yield told.command.words[0].text


def _name(path: str) -> str:
    """The file's own name: of `--output=x/y.sh` and of `https://example.org/y.sh?v=2`, too."""
    name = path.partition("?")[0].rpartition("/")[2]
    return name.rpartition("=")[2]
