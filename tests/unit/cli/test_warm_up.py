"""Imports in the background, and the end of the program meanwhile."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

_SLOW = """
import sys, threading, time
sys.stdout.write("begun ")
begun = True
threading.main_thread().join()
time.sleep(0.1)
sys.stdout.write("whole ")
"""


def ending(tmp_path: Path, code: str) -> str:
    """What a program prints that ends with `code`, while it imports slow modules in the background."""
    for name in ("slow", "slower"):
        (tmp_path / f"{name}.py").write_text(_SLOW)
    program = f"import sys, time\nfrom text_agent.cli.warm_up import warm_up\n{code}\nprint('end ', end='')"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    argv = [sys.executable, "-c", program]
    done = subprocess.run(argv, env=environment, capture_output=True, text=True, timeout=60, check=True)
    assert done.stderr == ""
    return done.stdout


def test_the_program_ends_behind_an_import_and_not_within_one(tmp_path: Path) -> None:
    begun = (
        "warm_up(['slow', 'slower'])\nwhile not hasattr(sys.modules.get('slow'), 'begun'): time.sleep(0.01)"
    )
    assert ending(tmp_path, begun) == "begun end whole "


def test_the_end_does_not_wait_for_the_beginning(tmp_path: Path) -> None:
    begun = time.monotonic()
    assert ending(tmp_path, "warm_up(['slow'], 60)") == "end "
    assert time.monotonic() - begun < 50
