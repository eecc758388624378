"""The process between this program and a command: it ends what the command has started if this program dies.

It is run as a file, by an interpreter that imports nothing more than it needs: it stands before every command
that no sandbox holds. It adopts all orphans below it, tells how the command ended, and waits to be killed.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from _thread import start_new_thread

_PR_SET_CHILD_SUBREAPER = 36
# What a command, or a user at the terminal, may send to everybody.
_NOT_FOR_US = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT)
# What Python ignores, and other programs must not.
_IGNORED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)


def main(link: int, command: list[str], grace: float, patience: float) -> None:
    """Runs a command, and ends all that it has started when the other end of `link` is closed.

    `link` gets the exit code in a line, or the negative number of the error that kept it from starting. The
    others get `grace` seconds to end in order; after `patience` seconds, killing them is given up.
    """
    os.set_inheritable(link, False)
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    before = {number: signal.signal(number, signal.SIG_IGN) for number in _NOT_FOR_US}
    head = os.fork()
    if head == 0:
        _become(command, link, {**before, **dict.fromkeys(_IGNORED_BY_PYTHON, signal.SIG_DFL)})
    start_new_thread(_wait_for_the_end, (link, grace, patience))
    _report(head, link)


def _become(command: list[str], link: int, handlers: dict[signal.Signals, object]) -> None:
    """Becomes the command, in a session of its own, with signals and environment as they were given."""
    try:
        for number, handler in handlers.items():
            signal.signal(number, signal.SIG_IGN if handler == signal.SIG_IGN else signal.SIG_DFL)
        os.setsid()
        os.execvpe(command[0], command, _given_environment())
    except OSError as error:
        os.write(link, b"%d\n" % -(error.errno or 1))
    finally:
        os._exit(127)


def _given_environment() -> dict[bytes, bytes]:
    """The environment as it was given: Python adds a locale to its own."""
    with open("/proc/self/environ", "rb") as file:  # noqa: PTH123 - `pathlib` takes as long to import as all else
        pairs = (entry.partition(b"=") for entry in file.read().split(b"\0") if entry)
        return {name: value for name, _, value in pairs}


def _report(head: int, link: int) -> None:
    """Takes those that have ended out of the kernel's table, and tells the exit code of `head`."""
    try:
        while True:
            pid, status = os.wait()
            if pid == head:
                code = os.waitstatus_to_exitcode(status)
                os.write(link, b"%d\n" % (code if code >= 0 else 128 - code))
    except OSError:  # there is no child any more, or nobody who wants to know
        while True:
            signal.pause()


def _has_children() -> bool:
    """Tells whether anybody is left below: without children of its own, this process has nobody to end."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def _wait_for_the_end(link: int, grace: float, patience: float) -> None:
    """Waits until the program that started this one is gone, and then ends all that is below."""
    os.read(link, 1)
    if not _has_children():
        os._exit(0)
    sys.path.insert(0, __file__.removesuffix("text_agent/commands/supervisor.py"))
    from text_agent.commands.process_table import StartedProcesses

    started = StartedProcesses(before=())
    started.send(signal.SIGTERM)
    started.end_within(grace)
    started.kill(patience)
    os._exit(1)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[4:], float(sys.argv[2]), float(sys.argv[3]))
