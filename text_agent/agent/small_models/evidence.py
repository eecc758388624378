"""What is found out before the first reply: how the test or the command ends that the request names.

A small model that is told "this test fails" guesses why. Where commands run unasked, the program runs it
first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from text_agent.agent.runner import ToolRunner
from text_agent.agent.small_models.named_commands import named_command
from text_agent.agent.small_models.objections import says_nothing
from text_agent.config.limits import EVIDENCE_MAX_CHARS, EVIDENCE_SECONDS
from text_agent.files.index.query import read_query
from text_agent.lazy_regex import late_pattern
from text_agent.permissions.policy import Action
from text_agent.protocol.templates import fill_template
from text_agent.protocol.types import ToolCall, ToolResult
from text_agent.protocol.writing import render_block
from text_agent.tools.own_calls import call_to_run

_FAILED = late_pattern(r"^(?:FAILED|ERROR) ([^\s:]+\.py)", 8)


@dataclass(frozen=True, slots=True)
class Evidence:
    """How a command ended that the request names.

    Attributes:
        command: empty if none was run, or if its end tells nothing.
        exit_code: its own.
        output: the end of what it wrote.
        fails: it did not end well.
    """

    command: str = ""
    exit_code: int = 0
    output: str = ""
    fails: bool = False

    @property
    def text(self) -> str:
        """The same for the model; empty if nothing is known."""
        if not self.command:
            return ""
        block = render_block(self.output)
        # Without the command: a small model would write it once more.
        return fill_template("evidence", exit_code=self.exit_code, output=block)

    @property
    def frames(self) -> tuple[tuple[str, int], ...]:
        """The files and lines that the output names, in its order; files of others may be among them."""
        return read_query(self.output).frames

    @property
    def failing_tests(self) -> frozenset[str]:
        """The files of the tests that fail."""
        return frozenset(_FAILED.findall(self.output)) if self.fails else frozenset()


NO_EVIDENCE = Evidence()


def choose_command(runner: ToolRunner, request: str) -> str:
    """Returns the command that a request names, if it runs without anybody being asked; else nothing."""
    tool = call_to_run("").name
    command = named_command(runner.workspace, request) if tool in runner.tools else ""
    action = Action(tool, "execute", command=command)
    return command if command and runner.policy.decide(action).verdict == "allow" else ""


def collect_evidence(command: str, run: Callable[[ToolCall], ToolResult]) -> Evidence:
    """Runs a command within a bounded time; returns how it ended."""
    result = run(call_to_run(command, EVIDENCE_SECONDS))
    return NO_EVIDENCE if says_nothing(command, result) else _evidence(command, result)


def collect_again(before: Evidence, run: Callable[[ToolCall], ToolResult]) -> Evidence:
    """Runs the command once more; where it does not end well, for whatever reason, it still fails."""
    result = run(call_to_run(before.command, EVIDENCE_SECONDS))
    return replace(_evidence(before.command, result), fails=result.status != "ok")


def _evidence(command: str, result: ToolResult) -> Evidence:
    code = result.exit_code
    return Evidence(command, code or 0, _end(result.output or result.text), fails=code != 0)


def _end(output: str) -> str:
    """The last lines of an output, as many as there is room for."""
    output = output.strip("\n")
    if len(output) <= EVIDENCE_MAX_CHARS:
        return output
    end = output[-EVIDENCE_MAX_CHARS:]
    return f"[...]\n{end.partition(chr(10))[2] or end}"
