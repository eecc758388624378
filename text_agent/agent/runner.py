"""Runs tool calls: bind, decide, ask, run, answer.

Every call gets exactly one result. Nothing that a call does wrong ends the program.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from text_agent.agent.actions import with_spelled_paths
from text_agent.agent.answers import Answer
from text_agent.agent.call_effects import CallEffects
from text_agent.agent.corrections import correct_call
from text_agent.agent.execution import Execution, Executor, TakenBackError
from text_agent.agent.loop_guard import LoopGuard, keys_of
from text_agent.agent.project_view import ProjectView, ShowPlaces, view_project
from text_agent.agent.reviews import RefusedError, Reviews, quotation
from text_agent.config.limits import MENTION_MAX_CHARS
from text_agent.errors import ArgumentError, ToolError
from text_agent.files.checkpoints.recorder import Checkpoints
from text_agent.files.read_state import FileMemory
from text_agent.files.workspace import Workspace
from text_agent.permissions.policy import Approver, PermissionPolicy
from text_agent.protocol.binding.aliases import resolve_tool_name
from text_agent.protocol.binding.bind import bind_arguments
from text_agent.protocol.guard.echo import EchoGuard
from text_agent.protocol.guard.neutralising import neutralise, restore_strings
from text_agent.protocol.templates import fill_template
from text_agent.protocol.types import (
    EDIT_NOTATION,
    FOREIGN_TOOL,
    MalformedCall,
    ResultStatus,
    ToolCall,
    ToolResult,
)
from text_agent.protocol.writing import render_unknown_tool
from text_agent.text.masking import Masker, map_texts
from text_agent.tools.registry import ToolRegistry
from text_agent.tools.search import FoundLine, find_lines
from text_agent.tools.tool import Outcome, Tool

logger = logging.getLogger(__name__)


class ToolRunner:
    """Answers the calls of replies with the tools of one registry in one workspace."""

    def __init__(
        self,
        tools: ToolRegistry,
        workspace: Workspace,
        policy: PermissionPolicy,
        approver: Approver,
        checkpoints: Checkpoints | None = None,
        mask: Masker | None = None,
    ) -> None:
        self.tools = tools
        self.checkpoints = checkpoints or Checkpoints()
        self.policy = policy
        self.echo_guard = EchoGuard(tools, CallEffects(tools, workspace))
        self._loop_guard = LoopGuard()
        self.workspace = workspace
        self._mask = mask or Masker()
        reviews = Reviews(tools, policy, approver, self._mask)
        self._executor = Executor(workspace, reviews, self.checkpoints, self._mask)

    def begin_turn(self, request: str, pasted: Iterable[str] = ()) -> str:
        """Begins a turn.

        `request`: what the user asks for; what it names may be removed from files. `pasted`: foreign text in
        it: a call there is a quotation. Returns the request as the model may read it: without keys.
        """
        self._loop_guard.reset()
        self.workspace.memory.request = request
        self.workspace.memory.failing_tests = frozenset()
        self.remember_foreign(pasted)
        return self._mask(request)

    @property
    def is_circling(self) -> bool:
        """Whether the model repeats itself although it was told that this changes nothing."""
        return self._loop_guard.is_circling

    def show_project(self, request: str, show_places: ShowPlaces | None = None) -> ProjectView:
        """The project as the model may be shown it before its first reply; see `view_project`."""
        view = view_project(self.workspace, request, show_places)
        return replace(view, text=self.adopt(view.text))

    def find(self, pattern: str) -> list[FoundLine]:
        """The first lines of the project that match `pattern`, as the model may read them."""
        lines = find_lines(self.workspace, pattern, MENTION_MAX_CHARS)
        return [replace(each, path=self.adopt(each.path), text=self.adopt(each.text)) for each in lines]

    def forget(self) -> None:
        """Forgets what the model knows of files: it goes on with another conversation.

        What came from outside stays remembered, for a call from there is never the model's own.
        """
        self.workspace.memory = FileMemory()

    def adopt(self, text: str) -> str:
        """A text that comes into the conversation from elsewhere, as the model may read it.

        Its calls are remembered: one that the model repeats from it is a quotation.
        """
        return self.echo_guard.adopt(self._mask(text))

    def forget_shown(self) -> None:
        """The model does not see any more what it was shown: it may, and must, read it again."""
        self._loop_guard.forgive()
        self.workspace.memory.forget_shown()

    def remember_foreign(self, texts: Iterable[str]) -> None:
        """Remembers texts that the model reads, and in which a call is a quotation."""
        for text in texts:
            self.echo_guard.remember(text)

    def answer(
        self, calls: Sequence[ToolCall | MalformedCall], reply: str, first_number: int, corrections: int = 0
    ) -> Iterator[Answer]:
        """Answers each call of one reply in order; `corrections` replies before it could not be used.

        After a write or a command that did not succeed, or a call that could not be read, no further
        write or command of the same reply is run: it may rest on what did not happen.
        """
        self.checkpoints.begin_step()
        self._loop_guard.begin_reply()
        failed = 0
        for number, call in enumerate(calls, first_number):
            changes = self._may_change_something(call)
            if isinstance(call, MalformedCall):
                answer = self._correction(number, call, reply, corrections)
            elif failed and changes:
                text = f"not run: call #{failed} did not succeed."
                answer = Answer(ToolResult(number, call.name, "not run", text), refusal="after a failure")
            else:
                answer = self._run(number, call, reply, only=len(calls) == 1)
            if changes and answer.result.status != "ok":
                failed = failed or number
            yield answer

    def answer_own(self, call: ToolCall, number: int) -> Iterator[Answer]:
        """Answers a call of the program's own, which may be made again and again."""
        self.checkpoints.begin_step()
        yield self._run_known(number, self.tools[call.name], call, "", only=True)

    def tells_only(self, calls: Sequence[ToolCall | MalformedCall]) -> bool:
        """Whether calls in the notations of other programs only tell what was done before, all of them."""
        return bool(calls) and all(isinstance(call, ToolCall) and self._is_told(call) for call in calls)

    def _is_told(self, call: ToolCall) -> bool:
        if EDIT_NOTATION not in call.repairs or FOREIGN_TOOL in call.repairs:
            return False
        done = self.tools[call.name].declaration.done
        return done is not None and done(self.workspace, restore_strings(call.arguments))

    def _may_change_something(self, call: ToolCall | MalformedCall) -> bool:
        name = resolve_tool_name(call.name or "", self.tools)
        return name is None or self.tools[name].effect != "read"

    def _correction(self, number: int, call: MalformedCall, reply: str, corrections: int) -> Answer:
        text = correct_call(call, reply, self.tools, corrections)
        result = ToolResult(number, call.name or "call", "error", text)
        return Answer(result, refusal="cut" if call.cut or call.runs_away else "malformed")

    def _run(self, number: int, call: ToolCall, reply: str, *, only: bool) -> Answer:
        name = resolve_tool_name(call.name, self.tools)
        tool = None if name is None else self.tools[name]
        keys = keys_of(tool.name if tool else call.name, call.arguments, tool, self.workspace)
        if self._loop_guard.refuses(keys):
            text = fill_template("repeated_refused")
            return Answer(ToolResult(number, name or call.name, "not run", text), refusal="repeated")
        if tool is None:
            text = render_unknown_tool(call.name, call.arguments, self.tools)
            answer = Answer(ToolResult(number, call.name, "error", text), refusal="unknown tool")
        else:
            answer = self._run_known(number, tool, call, reply, only=only)
        result, effect = answer.result, tool.effect if tool else None
        if not self._loop_guard.note(keys, effect, result.status, result.text):
            return answer
        noted = f"{result.text.rstrip()}\n\n{fill_template('repeated_call')}"
        return replace(answer, result=replace(result, text=noted))

    def _run_known(self, number: int, tool: Tool, call: ToolCall, reply: str, *, only: bool) -> Answer:
        try:
            done = self._execute(tool, call, reply, only=only)
        except RefusedError as refused:
            result = ToolResult(number, tool.name, refused.status, str(refused))
            return Answer(result, refusal=refused.refusal, unattended=refused.unattended)
        except TakenBackError as error:
            result = self._result(number, tool, "denied", error.outcome)
            return Answer(result, refusal="denied", unattended=error.unattended, took_back=True)
        except ToolError as error:
            return Answer(self._result(number, tool, "error", Outcome(str(error))))
        except Exception as error:  # a tool's bug must not end the session
            logger.exception("the tool %s failed", tool.name)
            text = f"the tool {tool.name} failed: {type(error).__name__}: {error}"
            return Answer(self._result(number, tool, "error", Outcome(text)))
        if done.change:
            self._loop_guard.note_content(done.change)
        status: ResultStatus = "error" if done.outcome.exit_code else "ok"
        result = self._result(number, tool, status, done.outcome, foreign=done.is_foreign)
        return Answer(result, reviewed=done.reviewed)

    def _result(
        self, number: int, tool: Tool, status: ResultStatus, outcome: Outcome, *, foreign: bool = True
    ) -> ToolResult:
        """The result as the model may read it: foreign text is remembered, and made harmless."""

        def harmless(text: str) -> str:
            return neutralise(self._mask(text), self.tools)

        read = self.adopt if foreign else harmless
        outcome = replace(
            outcome,
            text=read(outcome.text),
            output=read(outcome.output),
            notes=tuple(map(read, outcome.notes)),
            plan=map_texts(outcome.plan, self._mask),
        )
        data = (outcome.exit_code, outcome.output, outcome.change, outcome.plan)
        return ToolResult(number, tool.name, status, outcome.render(), *data)

    def _execute(self, tool: Tool, call: ToolCall, reply: str, *, only: bool) -> Execution:
        try:
            arguments = bind_arguments(restore_strings(call.arguments), tool)
        except ArgumentError as error:
            raise RefusedError("wrong arguments", str(error), status="error") from error
        quoted = tool.effect != "read" and self.echo_guard.is_echo(call, reply)
        if quoted and not only:
            raise quotation(tool)
        arguments, mends = with_spelled_paths(tool, arguments, self.workspace)
        try:
            done = self._executor.run(tool, arguments, quoted=quoted)
        except ToolError as error:
            error.args = ("\n".join([str(error), *mends]),)
            raise
        return replace(done, outcome=replace(done.outcome, notes=(*done.outcome.notes, *mends)))
