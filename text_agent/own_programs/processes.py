"""Starts the programs that this one needs for itself: git, rg, bwrap, pip, a clipboard, an editor.

Nothing that stands in the workspace, or in the repository around it, decides which program that is: a folder
of theirs on the PATH is passed over, as are relative ones, and a link is followed before it counts. No other
module starts processes, but for the one that runs commands.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

# What a program of the system needs of the caller's environment; no other variable reaches it, such as one
# that loads code into it.
_PASSED_ON = (
    "HOME", "USER", "LOGNAME", "TMPDIR", "TEMP", "TMP", "LANG", "LC_ALL", "LC_CTYPE", "SYSTEMROOT",
    "USERPROFILE", "APPDATA", "LOCALAPPDATA", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "DISPLAY",
    "WAYLAND_DISPLAY", "XAUTHORITY",
)  # fmt: skip
# Where the system keeps its programs: they are its own, even if the workspace is `/`.
_OF_SYSTEM = (Path("/usr"), Path("/bin"), Path("/sbin"))
_SYSTEM_PATH = "/usr/bin:/bin" if os.name == "posix" else r"C:\Windows\System32"
# The PATH that this process was started with, once `keep_out` has changed it.
_taken: dict[str, str] = {}
# When this program began: what lies in the workspace may have been changed since then.
_BEGAN = time.time()
# A group of processes, which can be killed as one; not a session, by which those of a command are known.
_OWN_GROUP = 0 if os.name == "posix" else None


def lies_in(path: str | Path, root: Path) -> bool:
    """Tells whether a path, links resolved, lies in the workspace `root` or the repository around it.

    What is the system's own does not count.
    """
    return _lies_below(path, _tree_of(root))


def _lies_below(path: str | Path, tree: Path) -> bool:
    real = Path(os.path.realpath(path))
    return real.is_relative_to(tree) and not any(
        folder.is_relative_to(tree) and real.is_relative_to(folder) for folder in _OF_SYSTEM
    )


def _tree_of(root: Path) -> Path:
    """Returns the outermost repository around a workspace, below the user's home; else the workspace."""
    home = Path.home()
    above = itertools.takewhile(lambda folder: not home.is_relative_to(folder), root.parents)
    return [root, *(folder for folder in above if (folder / ".git").exists())][-1]


def outer_path(path: str, root: Path) -> str:
    """Returns a PATH without the folders that are relative or lie in the workspace `root` or around it.

    One that would be empty is that of the system: an empty one is the current folder to some.
    """
    return os.pathsep.join(_outer_folders(path, root)) or _SYSTEM_PATH


def _outer_folders(path: str, root: Path) -> Iterator[str]:
    """Yields them one by one: who finds a program in the first asks for no other."""
    tree = _tree_of(root)
    for folder in path.split(os.pathsep):
        if os.path.isabs(folder) and not _lies_below(folder, tree):  # noqa: PTH117 - a `Path` each takes its time
            yield folder


def keep_out(root: Path) -> None:
    """Takes the folders of the workspace off this process's PATH: libraries start programs by name, too."""
    path = os.environ.get("PATH", "")
    if (outer := outer_path(path, root)) != path:
        _taken["PATH"], os.environ["PATH"] = path, outer


def users_environment() -> dict[str, str]:
    """Returns this process's environment as the user has set it, which is that of commands."""
    return {**os.environ, **_taken}


def find_program(
    name: str, root: Path, path: str | None = None, beside: Sequence[str] = (), *, began: float = _BEGAN
) -> str | None:
    """Returns the absolute path of the first program `name` outside the workspace; None if there is none.

    Args:
        name: the program, without a folder.
        root: the workspace, links resolved.
        path: the folders to look in; this program's own PATH by default.
        beside: folders that are looked in first, and trusted as this program is, wherever they lie; in the
            workspace, only what has not been changed since this program began.
        began: when that was, in seconds since the epoch.
    """
    if Path(name).name != name:
        return None
    outer = _outer_folders(os.environ.get("PATH", "") if path is None else path, root)
    for folder in itertools.chain(beside, outer):
        found = shutil.which(name, path=folder)
        if not found or not Path(found).is_absolute():
            continue
        if not lies_in(found, root) or (folder in beside and not _has_changed(found, began)):
            return found
    return None


def _has_changed(program: str, since: float) -> bool:
    """Tells whether a file, or the link to it, is another one; nobody can set the time that tells it."""
    return max(os.lstat(program).st_ctime, os.stat(program).st_ctime) > since  # noqa: PTH116 - of both alike


def own_environment(environment: Mapping[str, str], root: Path) -> dict[str, str]:
    """Returns the variables of `environment` that our own programs get, with a PATH outside the workspace."""
    kept = {name: environment[name] for name in _PASSED_ON if name in environment}
    return {**kept, "PATH": outer_path(environment.get("PATH", os.defpath), root)}


def start(
    argv: Sequence[str], environment: Mapping[str, str], folder: Path | None = None, *, piped: bool
) -> subprocess.Popen[bytes]:
    """Starts a program with these variables and no others. Raises `OSError`: it cannot be started.

    `folder` is where it starts, None for that of this process; `piped`: its streams are pipes, and Ctrl-C
    does not reach it; otherwise it has the terminal.
    """
    stream = subprocess.PIPE if piped else None
    return subprocess.Popen(
        argv, env=dict(environment), cwd=folder, stdin=stream, stdout=stream, stderr=stream,
        process_group=_OWN_GROUP if piped else None,
    )  # fmt: skip


def run(  # noqa: PLR0913 - all of them are what starting a program takes
    argv: Sequence[str],
    environment: Mapping[str, str],
    folder: Path | None = None,
    *,
    seconds: float,
    given: bytes = b"",
    captures: bool = True,
    held: Sequence[int] = (),
) -> subprocess.CompletedProcess[bytes]:
    """Runs a program, with these variables and no others, to its end or for that many seconds.

    `given` is its standard input; `held` are descriptors that it keeps open, such as a lock. Without
    `captures` it has no output, and what it leaves in the background may live on. Raises `TimeoutError`: it
    took longer, and was ended with what it had started; `OSError`: it cannot be started.
    """
    output = subprocess.PIPE if captures else subprocess.DEVNULL
    with subprocess.Popen(
        argv, env=dict(environment), cwd=folder, stdin=subprocess.PIPE, stdout=output, stderr=output,
        process_group=_OWN_GROUP, pass_fds=held,
    ) as process:  # fmt: skip
        try:
            shown, problem = process.communicate(given, seconds)
        except subprocess.TimeoutExpired as error:
            _kill(process)
            raise TimeoutError(f"{argv[0]} took longer than {seconds:g} seconds") from error
        except BaseException:
            _kill(process)
            raise
    return subprocess.CompletedProcess(argv, process.returncode, shown, problem)


def end(process: subprocess.Popen[bytes], seconds: float) -> None:
    """Asks a process to end, and kills it if it still runs after `seconds`."""
    process.terminate()
    try:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
    finally:
        process.kill()


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
