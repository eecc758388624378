"""The project's own tests: they are run before the work of a small model counts as done."""

from __future__ import annotations

from pathlib import Path

from text_agent.protocol.templates import load_template
from text_agent.protocol.types import ToolResult
from text_agent.protocol.writing import render_block
from text_agent.tools.run_command import SANDBOX_NOTE

# Where a project keeps the Python that has what its tests need.
_INTERPRETERS = (".venv/bin/python", "venv/bin/python")
# Those of pytest for failing tests and for files that cannot be imported; others say nothing of the code.
_FAILING = ("exit code 1", "exit code 2")
# What prepares the tests cannot be imported, perhaps for the project that it imports.
_NO_CONFTEST = "exit code 4\nImportError while loading conftest "
_NO_PYTEST = "No module named pytest"


def pytest_command(root: Path) -> str:
    """The command that runs the tests of the project in `root`."""
    own = next((each for each in _INTERPRETERS if (root / each).is_file()), "python3")
    return f"{own} -m pytest -q --tb=line -p no:cacheprovider"


def describe_failures(result: ToolResult) -> str:
    """What a model should know of a run of the tests, which gave `result`; empty if none fails."""
    heading, _, output = result.text.partition("\n")
    fails = heading in _FAILING or result.text.startswith(_NO_CONFTEST)
    if not fails or _NO_PYTEST in output:
        return ""
    output = output.partition(f"\n{SANDBOX_NOTE}")[0]
    return load_template("failing_tests").substitute(output=render_block(output))
