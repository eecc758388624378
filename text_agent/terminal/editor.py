"""An editor of the user's own for what is being typed."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from text_agent.errors import TextAgentError

# Taken where neither $VISUAL nor $EDITOR names one.
_USUAL = ("editor", "nano", "vi", "emacs", "notepad")


class EditorError(TextAgentError):
    """The editor gave no text."""


def edit(text: str, environment: Mapping[str, str]) -> str:
    """Lets the user change `text` in an editor that has the terminal to itself.

    Returns:
        What became of it.

    Raises:
        EditorError: it cannot be started, it failed, or what it left is no text.
    """
    argv = _editor(environment)
    with tempfile.TemporaryDirectory(prefix="text-agent-") as folder:
        file = Path(folder) / "message.md"
        file.write_text(text, encoding="utf-8", errors="replace")
        try:
            code = subprocess.call([*argv, str(file)], env=environment)
            edited = file.read_text(encoding="utf-8")
        except OSError as error:
            raise EditorError(f"the editor failed ({argv[0]}): {error.strerror}.") from error
        except UnicodeDecodeError as error:
            raise EditorError("the editor failed: what it wrote is no UTF-8.") from error
    if code:
        raise EditorError(f"the editor failed ({argv[0]}): exit code {code}.")
    return edited.removesuffix("\n")


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
