"""An editor of the user's own for what is being typed."""

from __future__ import annotations

import asyncio
import shlex
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from text_agent.errors import TextAgentError
from text_agent.files.problems import reason_of
from text_agent.own_programs.processes import end, find_program, start
from text_agent.signals import unbroken

# Taken where neither $VISUAL nor $EDITOR names one.
_USUAL = ("editor", "nano", "vi", "emacs", "notepad")
# How long one that is still open when the program leaves has to save what it holds.
_GRACE_SECONDS = 0.5


class EditorError(TextAgentError):
    """The editor gave no text."""


async def edit(
    text: str, environment: Mapping[str, str], root: Path | None = None, name: str = "message.md"
) -> str:
    """Lets the user change `text` in an editor that has the terminal to itself; it ends when this does.

    Args:
        text: what it begins with.
        environment: names the editor.
        root: the workspace, whose programs are not used, unless the user names one by its whole path; the
            current folder by default.
        name: of the file that the editor opens.

    Returns:
        What became of it.

    Raises:
        EditorError: it cannot be started, it failed, or what it left is no text.
    """
    shown, program, arguments = _editor(environment, root or Path.cwd())
    try:
        with tempfile.TemporaryDirectory(prefix="text-agent-") as folder:
            file = Path(folder) / name
            file.write_text(text, encoding="utf-8", errors="replace")
            code = await _call([program, *arguments, str(file)], environment)
            edited = file.read_text(encoding="utf-8")
    except OSError as error:
        raise EditorError(f"the editor failed ({shown}): {reason_of(error)}.") from error
    except UnicodeDecodeError as error:
        raise EditorError("the editor failed: what it wrote is no UTF-8.") from error
    if code:
        raise EditorError(f"the editor failed ({shown}): exit code {code}.")
    return edited.removesuffix("\n")


async def _call(argv: Sequence[str], environment: Mapping[str, str]) -> int:
    process = None
    try:
        with unbroken():
            process = start(argv, environment, piped=False)
        return await asyncio.to_thread(process.wait)
    finally:
        if process:
            end(process, _GRACE_SECONDS)


def _editor(environment: Mapping[str, str], root: Path) -> tuple[str, str, Sequence[str]]:
    """The editor's name as it was given, the program of that name, and its arguments."""
    wanted = environment.get("VISUAL") or environment.get("EDITOR") or ""
    try:
        argv = shlex.split(wanted)
    except ValueError as error:
        raise EditorError(f"the editor failed: {wanted} cannot be read ({error}).") from error
    if argv and Path(argv[0]).is_absolute():
        return argv[0], argv[0], argv[1:]
    for name in argv[:1] or _USUAL:
        if found := find_program(name, root, environment.get("PATH", "")):
            return name, found, argv[1:]
    if argv:
        raise EditorError(f"the editor failed ({argv[0]}): there is no such program outside the workspace.")
    raise EditorError("no editor was found: name one in $EDITOR.")
