"""Runs the command as a user does: installed, in a process of its own; or all of it in this process."""

from __future__ import annotations

import contextlib
import fcntl
import io
import os
import subprocess
import sys
import termios
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.support.fork_server import ForkedProgram, can_serve
from text_agent.cli.assembly.streams import Streams
from text_agent.cli.main import run

TEXT_AGENT = Path(sys.executable).with_name("text-agent")
Run = Callable[..., subprocess.CompletedProcess[str]]


def start_command(
    *arguments: str,
    cwd: Path,
    environment: Mapping[str, str] | None = None,
    terminal: int | None = None,
    with_imports: bool = False,
    **options: Any,
) -> subprocess.Popen[Any]:
    """Starts `text-agent`: the one way in which tests do, but for those of the start itself.

    Args:
        arguments: of the command line.
        cwd: the folder to start in.
        environment: variables, beside this process's.
        terminal: the descriptor of a terminal that becomes its own, and its three streams.
        with_imports: it imports what it needs itself, as it does for a user.
        options: further ones of `Popen`: its streams, `text`, `start_new_session`.
    """
    variables = {**os.environ, **(environment or {})}
    if terminal is not None:
        options |= {
            **dict.fromkeys(("stdin", "stdout", "stderr"), terminal),
            "start_new_session": True,
            "preexec_fn": lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        }
    starter = ForkedProgram if can_serve(variables) and not with_imports else subprocess.Popen
    return starter([str(TEXT_AGENT), *arguments], cwd=cwd, env=variables, **options)


def run_command(
    *arguments: str,
    cwd: Path,
    environment: Mapping[str, str] | None = None,
    stdin: str = "",
    timeout: float = 60,
) -> subprocess.CompletedProcess[str]:
    """Runs `text-agent` with `arguments` in `cwd` and returns what it printed and its exit code."""
    pipe = subprocess.PIPE
    with start_command(
        *arguments, cwd=cwd, environment=environment, stdin=pipe, stdout=pipe, stderr=pipe, text=True
    ) as process:
        try:
            stdout, stderr = process.communicate(stdin, timeout)
        except BaseException:
            process.kill()
            raise
    return subprocess.CompletedProcess(arguments, process.returncode, stdout, stderr)


def run_here(
    *arguments: str, cwd: Path, environment: Mapping[str, str] | None = None, stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    """Does the same in this process, in a tenth of the time.

    It is for what the program does once it has started: a process of its own would show no more of that.
    What it leaves in the process (what it has imported and cached, files that nobody has closed, such as that
    of its session) is still there in the next test.

    Args:
        arguments: of the command line.
        cwd: the folder to start in.
        environment: settings, beside this process's environment; the commands of a model do not see them.
        stdin: what standard input holds.
    """
    stdout, stderr = io.StringIO(), io.StringIO()
    streams = Streams(io.StringIO(stdin), stdout, stderr, {**os.environ, **(environment or {})})
    with contextlib.chdir(cwd):
        code = run(arguments, streams)
    return subprocess.CompletedProcess(arguments, code, stdout.getvalue(), stderr.getvalue())
