"""Runs tool calls: bind, decide, ask, run, answer.

Every call gets exactly one result. Nothing that a call does wrong ends the program.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from text_agent.errors import ToolError
from text_agent.messages import MalformedCall, ResultStatus, ToolCall, ToolResult
from text_agent.permissions import Approver, PermissionPolicy, Review, ReviewRequest
from text_agent.protocol.binding import bind_arguments, resolve_tool_name
from text_agent.protocol.echo import EchoGuard
from text_agent.protocol.neutralising import neutralise, restore_strings
from text_agent.protocol.rendering import (
    render_call,
    render_echo,
    render_malformed,
    render_unknown_tool,
)
from text_agent.tools.base import Tool
from text_agent.tools.registry import ToolRegistry
from text_agent.workspace import FileChange, Workspace

logger = logging.getLogger(__name__)

INTERRUPTED = "not run: the user interrupted."


@dataclass(frozen=True, slots=True)
class Answer:
    """A call's result, and what the user should see of it.

    Attributes:
        result: what the model reads.
        diff: the change that was applied without a review; else empty.
        denied_write: a write was refused because nobody could be asked.
    """

    result: ToolResult
    diff: str = ""
    denied_write: bool = False


class _NotRun(Exception):
    """A call ends here with a result that is not an error of the tool's."""

    def __init__(self, status: ResultStatus, text: str, *, denied_write: bool = False) -> None:
        super().__init__(text)
        self.status = status
        self.denied_write = denied_write


class ToolRunner:
    """Answers the calls of replies with the tools of one registry in one workspace."""

    def __init__(
        self, tools: ToolRegistry, workspace: Workspace, policy: PermissionPolicy, approver: Approver
    ) -> None:
        self.tools = tools
        self.policy = policy
        self.echo_guard = EchoGuard(tools)
        self._workspace = workspace
        self._approver = approver

    def answer(
        self, calls: Sequence[ToolCall | MalformedCall], reply: str, first_number: int
    ) -> Iterator[Answer]:
        """Answers each call of one reply in order.

        After a write or a command that did not succeed, or a call that could not be read, no further
        write or command of the same reply is run: it may rest on what did not happen.
        """
        failed = 0
        for number, call in enumerate(calls, first_number):
            if isinstance(call, MalformedCall):
                text = render_malformed(call, self.tools)
                answer = Answer(ToolResult(number, call.name or "call", "error", text))
                changes = True
            else:
                changes = self._changes_something(call)
                answer = (
                    _not_run(number, call, f"not run: call #{failed} did not succeed.")
                    if failed and changes
                    else self._run(number, call, reply, only=len(calls) == 1)
                )
            if changes and answer.result.status != "ok":
                failed = failed or number
            yield answer

    def _changes_something(self, call: ToolCall) -> bool:
        name = resolve_tool_name(call.name, self.tools)
        return name is None or self.tools[name].effect != "read"

    def _run(self, number: int, call: ToolCall, reply: str, *, only: bool) -> Answer:
        name = resolve_tool_name(call.name, self.tools)
        if name is None:
            text = render_unknown_tool(call.name, call.arguments, self.tools)
            return Answer(ToolResult(number, call.name, "error", text))
        tool = self.tools[name]
        try:
            text, diff = self._run_tool(tool, call, reply, only=only)
        except _NotRun as refusal:
            result = ToolResult(number, name, refusal.status, str(refusal))
            return Answer(result, denied_write=refusal.denied_write)
        except ToolError as error:
            return Answer(self._result(number, tool, "error", str(error)))
        except Exception as error:  # a tool's bug must not end the session
            logger.exception("the tool %s failed", name)
            text = f"the tool {name} failed: {type(error).__name__}: {error}"
            return Answer(self._result(number, tool, "error", text))
        return Answer(self._result(number, tool, "ok", text), diff=diff)

    def _result(self, number: int, tool: Tool, status: ResultStatus, text: str) -> ToolResult:
        if tool.effect != "write":
            self.echo_guard.remember(text)
        return ToolResult(number, tool.name, status, neutralise(text, self.tools))

    def _run_tool(self, tool: Tool, call: ToolCall, reply: str, *, only: bool) -> tuple[str, str]:
        """Returns the result's text and the diff that nobody has seen yet."""
        arguments = bind_arguments(restore_strings(call.arguments), tool)
        echo = tool.effect != "read" and self.echo_guard.is_echo(call, reply)
        if echo and not only:
            raise _NotRun("not run", render_echo(tool.name))
        if not tool.proposes_change:
            self._permit(tool, arguments, "", echo=echo)
            return str(tool.function(**arguments)), ""
        change = tool.function(**arguments)
        if not isinstance(change, FileChange):
            raise TypeError(f"{tool.name} promised a FileChange and gave {type(change).__name__}")
        diff = change.diff()
        reviewed = self._permit(tool, arguments, diff, echo=echo)
        if change.before is not None:
            # The lines around an edit come from the file: a call among them is a quotation from now on.
            self.echo_guard.remember(change.before.decode("utf-8", "replace"))
        self._workspace.apply(change)
        return change.summary, "" if reviewed else diff

    def _permit(self, tool: Tool, arguments: dict[str, Any], diff: str, *, echo: bool) -> bool:
        """Returns whether a person reviewed the call; raises if it must not run."""
        if self.policy.decide(tool.effect) == "allow" and not echo:
            return False
        request = ReviewRequest(
            tool.name, tool.effect, render_call(tool.name, arguments, self.tools), diff, quoted=echo
        )
        review = self._approver.review(request)
        if not review.approved:
            raise self._denial(tool, review, echo=echo)
        if review.for_session and not echo:
            self.policy.approve_for_session(tool.effect)
        return True

    def _denial(self, tool: Tool, review: Review, *, echo: bool) -> _NotRun:
        if review.unattended and echo:
            return _NotRun("not run", render_echo(tool.name))
        if review.unattended:
            return _NotRun("denied", review.reason, denied_write=tool.effect == "write")
        reason = f": {review.reason}" if review.reason else "."
        return _NotRun("denied", f"The user said no{reason}\nNothing was changed. Do not repeat the call.")


def _not_run(number: int, call: ToolCall, text: str) -> Answer:
    return Answer(ToolResult(number, call.name, "not run", text))


def interrupted(number: int, call: ToolCall | MalformedCall) -> ToolResult:
    """The result of a call that an interrupt kept from running."""
    return ToolResult(number, call.name or "call", "not run", INTERRUPTED)
