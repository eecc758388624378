"""What is said to a small model that ends a turn too early, where nobody could say it.

Small models give up a change that failed, rename half of what they should, and answer about files without
looking; others do so with reason, and it would cost them a request. Each is seen from the facts of the turn,
and said once. And the project's own tests are run before the work counts as done. What every model is told
stands in `truth` and `final_answer`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Sequence
from pathlib import Path

from text_agent.agent.turn import Nudge, Turn
from text_agent.files.index.query import first_name
from text_agent.lazy_regex import late_pattern
from text_agent.protocol.templates import load_template
from text_agent.protocol.tool import ToolDescriptions
from text_agent.protocol.types import ToolCall, ToolResult
from text_agent.protocol.writing import render_block, render_call
from text_agent.tools.editing.renaming import asked_renaming
from text_agent.tools.own_calls import call_to_search
from text_agent.tools.search import FoundLine

Find = Callable[[str], Sequence[FoundLine]]


def choose_nudge(turn: Turn, tools: ToolDescriptions, find: Find, *, sees_all: bool) -> str:
    """Chooses what to tell the model instead of taking its reply for the answer.

    Args:
        turn: what the turn has come to; the nudge is noted there, and not given again.
        tools: those that the model may call.
        find: gives the lines of the project that match a pattern, in order.
        sees_all: it was shown the whole project.

    Returns:
        The most urgent thing that was not said yet; empty if the reply is an answer.
    """
    nudges: dict[Nudge, str] = {
        "failed": load_template("failed_change").substitute() if turn.failed and not turn.changed else "",
        "unrenamed": _unrenamed(turn.request, find) if turn.changed else "",
        "unseen": "" if turn.looked or sees_all else _unseen(turn.request, tools),
    }
    return turn.first_new(nudges)


def _unrenamed(request: str, find: Find) -> str:
    renaming = asked_renaming(request)
    lines = find(renaming.pattern) if renaming else ()
    if not renaming or not lines:
        return ""
    listed = "\n".join(map(str, lines))
    return load_template("unrenamed").substitute(
        old=renaming.old, new=renaming.new, lines=listed, path=lines[0].path
    )


def _unseen(request: str, tools: ToolDescriptions) -> str:
    name = first_name(request)
    call = _rendered(call_to_search(name), tools) if name else ""
    return load_template("unseen").substitute(
        example=f", for example:\n\n{call}" if call else " with search."
    )


def _rendered(call: ToolCall, tools: ToolDescriptions) -> str:
    return render_call(call.name, call.arguments, tools)


# Where a project keeps the Python that has what its tests need.
_INTERPRETERS = (".venv/bin/python", "venv/bin/python")
# Exit codes of pytest: failing tests, and files that cannot be imported; others say nothing of the code.
_FAILING = (1, 2)
# What prepares the tests cannot be imported, perhaps for the project that it imports.
_USAGE = 4
# There are no tests where some are named, or none at all.
_MISUSED = (_USAGE, 5)
_NO_CONFTEST = "ImportError while loading conftest "
_FAILED = late_pattern(r"^(?:FAILED|ERROR) .*", re.MULTILINE)
_NO_PYTEST = "No module named pytest"


# How a shell says that a command could not be started, and how one ends at its time limit.
_NOT_RUN = (124, 126, 127)


def interpreter_of(root: Path) -> str:
    """The Python of the project in `root`."""
    return next((each for each in _INTERPRETERS if (root / each).is_file()), "python3")


def pytest_command(root: Path) -> str:
    """The command that runs the tests of the project in `root`."""
    return f"{interpreter_of(root)} -m pytest -q --tb=line -p no:cacheprovider"


def says_nothing(command: str, result: ToolResult) -> bool:
    """Whether a run of `command` says nothing of the project: it did not begin, or came to no end."""
    if result.exit_code in (None, *_NOT_RUN) or _NO_PYTEST in result.output:
        return True
    is_misused = "pytest" in command and result.exit_code in _MISUSED
    return is_misused and not result.output.startswith(_NO_CONFTEST)


def failures_in(result: ToolResult) -> tuple[str, ...]:
    """What fails in a run of the tests: the lines of its summary, each a test and how it fails."""
    output = result.output
    fails = result.exit_code in _FAILING or (result.exit_code == _USAGE and output.startswith(_NO_CONFTEST))
    if not fails or _NO_PYTEST in output:
        return ()
    return tuple(match[0] for match in _FAILED.finditer(output)) or (output,)


def describe_failures(result: ToolResult, before: Container[str] = ()) -> str:
    """What a model should know of a run of the tests; empty if none fails that is not in `before`.

    One that fails in another way than before has to do with the change.
    """
    failures = failures_in(result)
    new = [line for line in failures if line not in before]
    if not new:
        return ""
    output = result.output if len(new) == len(failures) else "\n".join(new)
    return load_template("failing_tests").substitute(output=render_block(output))
