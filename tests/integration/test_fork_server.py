"""A process of the fork server is as one that was started, or else the tests of the program mean nothing."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import subprocess
import sys
import termios
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import TEXT_AGENT, start_command
from tests.support.fork_server import ForkedProgram, can_serve

# Stands in the place of the console script, and tells what it finds.
_PROBE = r"""
import atexit, json, os, random, resource, signal, stat, sys, tempfile, threading, time

def stream(number, name):
    each = getattr(sys, name)
    return (
        stat.S_IFMT(os.fstat(number).st_mode), each.name, each.mode, each.encoding, each.errors,
        each.line_buffering, each.write_through, type(each.buffer).__name__, each.isatty(), each.fileno(),
        each is getattr(sys, f"__{name}__"),
    )

def status(*names):
    with open("/proc/self/status") as file:
        return [line for line in file if line.partition(":")[0] in names]

in_terminal = os.isatty(0)
found = {
    "arguments": sys.argv, "name": __name__, "file": __file__, "path": sys.path,
    "environment": dict(os.environ), "folder": os.getcwd(), "umask": os.umask(0), "zone": time.tzname,
    "streams": [stream(number, name) for number, name in enumerate(("stdin", "stdout", "stderr"))],
    "descriptors": os.listdir("/proc/self/fd"),
    "signals": status("SigBlk", "SigIgn", "SigCgt", "SigPnd", "Threads"),
    "handlers": [str(signal.getsignal(number)) for number in sorted(signal.valid_signals())],
    "timers": signal.getitimer(signal.ITIMER_REAL),
    "limits": [resource.getrlimit(number) for number in range(16)],
    "threads": [str(thread.name) for thread in threading.enumerate()],
    "leads": (os.getsid(0) == os.getpid(), os.getpgrp() == os.getpid()),
    "terminal": in_terminal and (os.tcgetpgrp(0) == os.getpid(), os.get_terminal_size(0)),
    "controlled": os.access("/dev/tty", os.R_OK),
    "flags": str(sys.flags), "warnings": sys.warnoptions, "limit": sys.getrecursionlimit(),
    "hooks": (sys.excepthook is sys.__excepthook__, sys.gettrace() is None, sys.getprofile() is None),
    "given": input() if in_terminal else sys.stdin.read(),
    "is young": time.process_time() < 5,
}
own = [os.getpid(), random.random(), next(tempfile._get_candidate_names())]
print(json.dumps(found), json.dumps(own), sep="\n", flush=True)
atexit.register(print, "the end")
"""
_ENDINGS = {
    "runs out": "",
    "returns a code": "sys.exit(7)",
    "says why": "sys.exit('no more')",
    "fails": "raise SystemError('of the probe')",
    "is interrupted": "os.kill(os.getpid(), signal.SIGINT); time.sleep(9)",
    "is ended": "os.kill(os.getpid(), signal.SIGTERM)",
    "has lost its reader": "signal.signal(signal.SIGPIPE, signal.SIG_DFL); os.kill(os.getpid(), 13)",
    "is killed": "os.kill(os.getpid(), signal.SIGKILL)",
    "leaves": "os._exit(9)",
    "waits for a thread": "threading.Thread(target=lambda: (time.sleep(0.1), print('thread'))).start()",
}
_STARTERS = (subprocess.Popen[Any], ForkedProgram)


@pytest.fixture
def probe(tmp_path: Path) -> Path:
    return tmp_path / "probe"


def start(
    starter: type[subprocess.Popen[Any]], probe: Path, ending: str = "",
    variables: dict[str, str] | None = None, **options: Any,
) -> subprocess.Popen[Any]:  # fmt: skip
    probe.write_text(f"#!{sys.executable}\n{_PROBE}{ending}\n")
    probe.chmod(0o755)
    environment = {**os.environ, "ONLY_HERE": "\udce9", "TZ": "Asia/Tokyo", **(variables or {})}
    return starter([str(probe), "a b", "", "\udcff"], cwd=probe.parent, env=environment, **options)


@pytest.mark.parametrize("ending", _ENDINGS)
def test_a_run_between_pipes(probe: Path, ending: str) -> None:
    found, told, own = [], [], []
    for starter in _STARTERS:
        pipe = subprocess.PIPE
        with start(starter, probe, _ENDINGS[ending], stdin=pipe, stdout=pipe, stderr=pipe) as process:
            stdout, stderr = process.communicate("given \u00e9\r\n".encode(), 30)
        common, differs, *rest = stdout.splitlines()
        found.append(json.loads(common))
        # What stands in a traceback before its last line tells of the server.
        told.append((rest, stderr.splitlines()[-1:], process.returncode))
        own.append((json.loads(differs), process.pid))
    assert found[1] == found[0]
    assert told[1] == told[0]
    assert [each[0] for each, _ in own] == [pid for _, pid in own]


@pytest.mark.parametrize("variables", [{}, {"PYTHONUTF8": "1"}], ids=str)
@pytest.mark.parametrize(
    "options", [{}, {"stdout": subprocess.DEVNULL}, {"start_new_session": True}], ids=str
)
def test_a_run_with_files(probe: Path, options: dict[str, Any], variables: dict[str, str]) -> None:
    told = []
    for starter in _STARTERS:
        with probe.with_name("out").open("w+b") as file:
            given: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": file, "stderr": file, **options}
            assert start(starter, probe, "", variables, **given).wait(30) == 0
            file.seek(0)
            told.append([line for number, line in enumerate(file) if number != 1])
    assert told[1] == told[0]


def test_a_run_in_a_terminal(probe: Path) -> None:
    told = []
    for starter in _STARTERS:
        ours, theirs = os.openpty()
        termios.tcsetwinsize(ours, (31, 97))
        process = start(
            starter, probe, "sys.exit(5)", stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )  # fmt: skip
        os.close(theirs)
        os.write(ours, b"typed\r")
        echo, found, *_ = _read(ours).splitlines()
        os.close(ours)
        told.append((echo, json.loads(found), process.wait(30)))
        assert told[-1][1]["terminal"] == [True, [97, 31]]
    assert told[1] == told[0]


def _read(terminal: int) -> bytes:
    text = b""
    with contextlib.suppress(OSError):  # nobody has the other end any more
        while piece := os.read(terminal, 4096):
            text += piece
    return text


def test_no_run_sees_what_another_has_changed(probe: Path) -> None:
    """Nor does it draw the same random numbers."""
    change = "import text_agent.errors, text_agent.cli.main as main; main.run = None; sys.path.append('x')"
    look = "import text_agent.cli.main as main; print(main.run is None, sys.path[-1] == 'x')"
    runs = []
    for ending in (change, look, look):
        with start(ForkedProgram, probe, ending, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
            runs.append(process.communicate()[0].splitlines())
    assert runs[1][2:] == runs[2][2:] == [b"False False", b"the end"]
    assert len({run[1] for run in runs}) == 3
    assert not {*json.loads(runs[1][1])} & {*json.loads(runs[2][1])}


def test_it_waits_as_for_a_child(probe: Path) -> None:
    process = start(ForkedProgram, probe, "time.sleep(60)", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    with process:
        assert process.poll() is None
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.01)
        process.terminate()
        assert process.wait(30) == -15
        assert process.poll() == -15
        process.kill()  # nobody is hit any more


@pytest.mark.parametrize("name", ["PYTHONHASHSEED", "LC_ALL", "LANG", "PYTHONPATH", "LD_PRELOAD"])
def test_what_the_interpreter_reads_at_its_start_needs_a_start(project: Path, name: str) -> None:
    assert can_serve(dict(os.environ))
    assert not can_serve({**os.environ, name: "0"})
    with start_command("--version", cwd=project, environment={name: "0"}, stdout=-3, stderr=-3) as process:
        assert type(process) is subprocess.Popen


def test_the_program_is_as_the_installed_one(project: Path) -> None:
    for arguments in (["--version"], ["--help"], ["--nonsense"], ["parse", "nowhere"], ["-C", "nowhere"]):
        pipe = subprocess.PIPE
        argv = [str(TEXT_AGENT), *arguments]
        told = []
        for starter in _STARTERS:
            with starter(argv, cwd=project, env=dict(os.environ), stdout=pipe, stderr=pipe) as process:
                told.append((*process.communicate(), process.returncode))
        assert told[1] == told[0]
