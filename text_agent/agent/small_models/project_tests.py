"""The project's own tests: they are run before the work of a small model counts as done."""

from __future__ import annotations

from pathlib import Path

from text_agent.protocol.templates import load_template
from text_agent.protocol.types import ToolResult
from text_agent.protocol.writing import render_block

# Where a project keeps the Python that has what its tests need.
_INTERPRETERS = (".venv/bin/python", "venv/bin/python")
# Exit codes of pytest: failing tests, and files that cannot be imported; others say nothing of the code.
_FAILING = (1, 2)
# What prepares the tests cannot be imported, perhaps for the project that it imports.
_USAGE = 4
_NO_CONFTEST = "ImportError while loading conftest "
_NO_PYTEST = "No module named pytest"


def pytest_command(root: Path) -> str:
    """The command that runs the tests of the project in `root`."""
    own = next((each for each in _INTERPRETERS if (root / each).is_file()), "python3")
    return f"{own} -m pytest -q --tb=line -p no:cacheprovider"


def describe_failures(result: ToolResult) -> str:
    """What a model should know of a run of the tests, which gave `result`; empty if none fails."""
    output = result.output
    fails = result.exit_code in _FAILING or (result.exit_code == _USAGE and output.startswith(_NO_CONFTEST))
    if not fails or _NO_PYTEST in output:
        return ""
    return load_template("failing_tests").substitute(output=render_block(output))
