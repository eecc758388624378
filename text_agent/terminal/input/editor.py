"""An editor of the user's own for what is being typed."""

from __future__ import annotations

import asyncio
import contextlib
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from text_agent.errors import TextAgentError
from text_agent.files.problems import reason_of
from text_agent.signals import unbroken

# Taken where neither $VISUAL nor $EDITOR names one.
_USUAL = ("editor", "nano", "vi", "emacs", "notepad")
# How long one that is still open when the program leaves has to save what it holds.
_GRACE_SECONDS = 0.5


class EditorError(TextAgentError):
    """The editor gave no text."""


async def edit(text: str, environment: Mapping[str, str]) -> str:
    """Lets the user change `text` in an editor that has the terminal to itself; it ends when this does.

    Returns:
        What became of it.

    Raises:
        EditorError: it cannot be started, it failed, or what it left is no text.
    """
    argv = _editor(environment)
    try:
        with tempfile.TemporaryDirectory(prefix="text-agent-") as folder:
            file = Path(folder) / "message.md"
            file.write_text(text, encoding="utf-8", errors="replace")
            code = await _call([*argv, str(file)], environment)
            edited = file.read_text(encoding="utf-8")
    except OSError as error:
        raise EditorError(f"the editor failed ({argv[0]}): {reason_of(error)}.") from error
    except UnicodeDecodeError as error:
        raise EditorError("the editor failed: what it wrote is no UTF-8.") from error
    if code:
        raise EditorError(f"the editor failed ({argv[0]}): exit code {code}.")
    return edited.removesuffix("\n")


async def _call(argv: Sequence[str], environment: Mapping[str, str]) -> int:
    process: subprocess.Popen[bytes] | None = None
    try:
        with unbroken():
            process = subprocess.Popen(argv, env=environment)
        return await asyncio.to_thread(process.wait)
    finally:
        if process:
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Asks the process to end, if it still runs, and kills it if it does not; a signal only shortens that."""
    process.terminate()
    try:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE_SECONDS)
    finally:
        process.kill()


def _editor(environment: Mapping[str, str]) -> list[str]:
    wanted = environment.get("VISUAL") or environment.get("EDITOR") or ""
    try:
        argv = shlex.split(wanted)
    except ValueError as error:
        raise EditorError(f"the editor failed: {wanted} cannot be read ({error}).") from error
    if argv:
        return argv
    path = environment.get("PATH")
    found = next((name for name in _USUAL if shutil.which(name, path=path)), None)
    if found is None:
        raise EditorError("no editor was found: name one in $EDITOR.")
    return [found]
