"""The project's own tests: they are run before the work of a small model counts as done."""

from __future__ import annotations

from pathlib import Path

from text_agent.messages import ToolResult
from text_agent.protocol.rendering import render_block
from text_agent.templates import load_template

# Where a project keeps the Python that has what its tests need.
_INTERPRETERS = (".venv/bin/python", "venv/bin/python")
# Those of pytest for failing tests and for files that cannot be imported; others say nothing of the code.
_FAILING = ("exit code 1", "exit code 2")
_NO_PYTEST = "No module named pytest"
_NOTE = "\n[it ran in a sandbox: "


def pytest_command(root: Path) -> str:
    """The command that runs the tests of the project in `root`."""
    own = next((each for each in _INTERPRETERS if (root / each).is_file()), "python3")
    return f"{own} -m pytest -q --tb=line -p no:cacheprovider"


def describe_failures(result: ToolResult) -> str:
    """What a model should know of a run of the tests, which gave `result`; empty if none fails."""
    heading, _, output = result.text.partition("\n")
    if heading not in _FAILING or _NO_PYTEST in output:
        return ""
    output = output.partition(_NOTE)[0]
    return load_template("failing_tests").substitute(output=render_block(output))
