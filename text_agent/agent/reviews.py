"""Asks the policy, and a person where it says so, whether a call may run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from text_agent.commands.power.watch import PowerChanges
from text_agent.errors import ToolError
from text_agent.files.workspace import FileChange
from text_agent.messages import Refusal
from text_agent.permissions.policy import Action, Approver, Decision, PermissionPolicy, Review, ReviewRequest
from text_agent.protocol.templates import fill_template
from text_agent.protocol.types import ResultStatus
from text_agent.protocol.writing import render_call, render_echo
from text_agent.text.masking import Masker
from text_agent.tools.registry import ToolRegistry
from text_agent.tools.tool import Tool


class RefusedError(Exception):
    """A call ends here, before its tool has done anything."""

    def __init__(
        self, refusal: Refusal, text: str, *, status: ResultStatus = "not run", unattended: bool = False
    ) -> None:
        super().__init__(text)
        self.refusal = refusal
        self.status = status
        self.unattended = unattended


class Reviews:
    """The reviews of one session."""

    def __init__(
        self, tools: ToolRegistry, policy: PermissionPolicy, approver: Approver, mask: Masker
    ) -> None:
        self._tools = tools
        self._policy = policy
        self._approver = approver
        self._mask = mask

    def permit(
        self,
        tool: Tool,
        action: Action,
        arguments: Mapping[str, Any],
        diff: str,
        *,
        quoted: bool,
        change: FileChange | None = None,
    ) -> bool:
        """Finds out whether a call may run.

        Returns whether a person reviewed it. Raises `RefusedError`: it must not run; `ToolError`: it would
        lose something, and nobody can be asked.

        Args:
            tool: the call's.
            action: what it would do.
            arguments: the call's.
            diff: the change it would make to a file; may be empty.
            quoted: the same call stands in text that the model has read.
            change: the same change, if it is one.
        """
        loses = change.loses if change else ()
        decision = self._policy.decide(action)
        if decision.verdict == "deny":
            raise _mode_denial(tool, decision)
        if decision.verdict == "allow" and not quoted and not loses:
            return False
        request = replace(self._request(tool, action, decision, arguments, diff), quoted=quoted, loses=loses)
        review = self._approver.review(self._shown(request))
        if change and loses and review.unattended:
            raise ToolError(change.objection)
        if not review.approved:
            raise _denial(tool, review, quoted=quoted)
        if not quoted and not loses:
            self._policy.remember(action, request, review)
        return True

    def ask_about(self, tool: Tool, changes: PowerChanges, arguments: Mapping[str, Any]) -> Review:
        """Asks a person about what a command has changed that may grant power later."""
        paths = ", ".join(changes.paths)
        decision = Decision("ask", "power", f"the command changed {paths}, which may grant power later")
        action = Action(tool.name, "write", changes.paths)
        request = self._request(tool, action, decision, arguments, self._mask(changes.diff))
        return self._approver.review(self._shown(request))

    def _request(
        self, tool: Tool, action: Action, decision: Decision, arguments: Mapping[str, Any], diff: str
    ) -> ReviewRequest:
        line = self._mask(render_call(tool.name, arguments, self._tools))
        return self._policy.request(action, decision, line, diff)

    def _shown(self, request: ReviewRequest) -> ReviewRequest:
        """The request as the user may see it: without keys."""
        mask = self._mask
        return replace(
            request,
            command=mask(request.command),
            prefix=mask(request.prefix),
            reason=mask(request.reason),
            loses=tuple(map(mask, request.loses)),
        )


def quotation(tool: Tool) -> RefusedError:
    """Says that a call stands in text that the model has read."""
    return RefusedError("quotation", render_echo(tool.name))


def _mode_denial(tool: Tool, decision: Decision) -> RefusedError:
    text = fill_template("mode_denied", tool=tool.name, reason=decision.reason)
    return RefusedError("denied", text, status="denied", unattended=True)


def _denial(tool: Tool, review: Review, *, quoted: bool) -> RefusedError:
    if review.unattended:
        unattended = RefusedError("denied", review.reason, status="denied", unattended=True)
        return quotation(tool) if quoted else unattended
    text = fill_template("denied", reason=f": {review.reason}" if review.reason else ".")
    return RefusedError("denied", text, status="denied")
