"""The first prompt waits for no more than it needs; `bench/start.py` measures it."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import pexpect

import text_agent

# What takes long to import, and is needed only once the user has said something.
LATE = {
    *("anthropic", "httpx2", "pydantic", "markdown_it", "pygments"),
    *(
        "text_agent.agent.agent",
        "text_agent.protocol.reading.parser",
        "text_agent.permissions.policy",
        "text_agent.tools.registry",
    ),
}
FLAGS = ["--provider", "openai", "--base-url", "http://127.0.0.1:1/v1", "--model", "m"]


def test_the_way_to_the_prompt_imports_little(project: Path) -> None:
    python = ["-X", "importtime", "-m", "text_agent"]
    chat = pexpect.spawn(sys.executable, [*python, *FLAGS], cwd=str(project), encoding="utf-8", timeout=60)
    try:
        chat.expect("you> ")
        imported = set(re.findall(r"import time:.*\| +(\S+)", chat.before or ""))
    finally:
        chat.close(force=True)
    assert {"prompt_toolkit", "rich.console"} <= imported
    assert not LATE & imported


def test_one_module_imports_the_sdk_of_a_vendor() -> None:
    """It is imported for the vendor's own host alone; `test_provider_factory` holds that."""
    package = Path(text_agent.__file__).parent
    sdk = re.compile(r"^\s*(from|import) (anthropic|openai)\b", re.MULTILINE)
    found = [path for path in package.rglob("*.py") if sdk.search(path.read_text("utf-8"))]
    assert [path.relative_to(package) for path in found] == [Path("providers/anthropic_sdk.py")]


def test_importing_the_program_compiles_no_pattern() -> None:
    counting = """
import re, sys
compile = re.compile
def counted(*arguments, **options):
    caller = sys._getframe(1).f_globals["__name__"]
    if caller.startswith("text_agent."):
        print(caller)
    return compile(*arguments, **options)
re.compile = counted
import text_agent.cli.headless, text_agent.terminal.repl, text_agent.providers.openai_compatible
"""
    run = subprocess.run([sys.executable, "-c", counting], capture_output=True, text=True, check=True)
    assert run.stdout == ""


def test_ctrl_c_while_the_program_is_imported(project: Path) -> None:
    argv = [sys.executable, "-X", "importtime", "-m", "text_agent", *FLAGS]
    pipe = subprocess.PIPE
    with subprocess.Popen(argv, cwd=project, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as program:
        assert program.stderr
        next(line for line in program.stderr if line.endswith(" argparse\n"))
        program.send_signal(signal.SIGINT)
        rest = program.stderr.read()
        assert program.wait(timeout=60) == 130
    assert "Traceback" not in rest
