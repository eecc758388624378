"""The server's process: it has imported the program, and forks a process for each run of it."""

from __future__ import annotations

import contextlib
import fcntl
import gc
import importlib
import io
import json
import os
import pkgutil
import runpy
import signal
import socket
import sys
import termios
import threading
import time
from typing import Any

# What the program imports while it runs, beside its own modules.
_IMPORTED_LATE = (
    "anthropic", "charset_normalizer", "dotenv", "httpcore2", "httpx2", "markdown_it.tree", "pathspec",
    "platformdirs.unix", "prompt_toolkit.shortcuts", "pydantic", "rich.syntax", "rich.console", "yaml",
)  # fmt: skip
# Of a process's number, and of how it ended.
NUMBER_BYTES = 8


def main(control: socket.socket) -> None:
    """Serves until the other end of `control` is closed; returns in each process that becomes the program."""
    _import_all()
    _compile_patterns()
    assert threading.active_count() == 1, "a thread does not survive a fork"
    gc.collect()
    gc.freeze()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        message, descriptors, _, _ = socket.recv_fds(control, 1, 4)
        if not message:
            os._exit(0)
        with contextlib.suppress(ChildProcessError):  # there is none
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if os.fork() == 0:
            control.close()
            return _wait_for_program(descriptors)
        for descriptor in descriptors:
            os.close(descriptor)


def _import_all() -> None:
    import text_agent

    for module in pkgutil.walk_packages(text_agent.__path__, "text_agent."):
        importlib.import_module(module.name)
    for name in _IMPORTED_LATE:
        importlib.import_module(name)


def _compile_patterns() -> None:
    """Compiles what a run would, for most of its time: it is the same in all."""
    from text_agent.agent.claims import claims_of
    from text_agent.lazy_regex import _LatePattern

    for pattern in [each for each in gc.get_objects() if isinstance(each, _LatePattern)]:
        for method in ("search", "match", "fullmatch", "finditer", "findall", "split", "sub"):
            getattr(pattern, method)
    claims_of("Hello.", "Hello.")


def _wait_for_program(descriptors: list[int]) -> None:
    """Forks the program, and tells its process's number and how it ended; returns in the program."""
    streams, report = descriptors[:-1], socket.socket(fileno=descriptors[-1])
    request = json.loads(report.makefile("rb").readline())
    pid = os.fork()
    if pid == 0:
        return _become(request, streams)
    os.closerange(streams[0], streams[-1] + 1)
    report.send(pid.to_bytes(NUMBER_BYTES, "big"))
    _, status = os.waitpid(pid, 0)
    with report:
        report.send(status.to_bytes(NUMBER_BYTES, "big"))
    os._exit(0)


def _become(request: dict[str, Any], streams: list[int]) -> None:
    """Makes this process as it would be, had it been started by its caller."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if request["own_session"]:
        os.setsid()
    for number, descriptor in enumerate(streams):
        os.dup2(descriptor, number)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    if request["own_session"] and os.isatty(0):
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    os.chdir(request["folder"])
    os.umask(request["umask"])
    os.environ.clear()
    os.environ.update(request["environment"])
    time.tzset()
    sys.argv[:] = request["argv"]
    sys.path[0] = os.path.dirname(sys.argv[0])  # noqa: PTH120
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        stream = _open_stream(number, name)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def _open_stream(number: int, name: str) -> Any:
    """Opens a standard stream as the interpreter does when it starts."""
    before, mode = getattr(sys, name), "w" if number else "r"
    is_unbuffered = before.write_through
    buffering = 0 if is_unbuffered and number else -1
    binary: Any = open(number, f"{mode}b", buffering, closefd=False)  # noqa: SIM115
    getattr(binary, "raw", binary).name = f"<{name}>"
    by_line = not is_unbuffered and (number == 2 or binary.isatty())
    text = io.TextIOWrapper(binary, before.encoding, before.errors, "\n", by_line, is_unbuffered)
    text.mode = mode  # type: ignore[misc]
    return text


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])))
    runpy.run_path(sys.argv[0], run_name="__main__")
