"""Runs the calls of a session one by one, tells of each, and gives it a number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from text_agent.agent.answers import Answer, interrupted
from text_agent.agent.claims import tests_failed
from text_agent.agent.command_deeds import changes_files
from text_agent.agent.conversation import Conversation
from text_agent.agent.runner import ToolRunner
from text_agent.agent.turn import Turn
from text_agent.events import EventSink, ForeignCallsSeen, PlanUpdated, ToolFinished, ToolStarted
from text_agent.protocol.binding.aliases import resolve_tool_name
from text_agent.protocol.types import MalformedCall, ToolCall, ToolKind, ToolResult

_Call = ToolCall | MalformedCall


class NumberedCalls:
    """The calls of a session.

    Attributes:
        answered: how many there were so far; numbers go on from there.
    """

    def __init__(self, runner: ToolRunner, sink: EventSink) -> None:
        self.answered = 0
        self._runner = runner
        self._sink = sink

    def run(
        self, calls: Sequence[_Call], reply: str, turn: Turn, conversation: Conversation
    ) -> list[ToolResult]:
        """Runs the calls of one reply.

        `reply`: the text that they stand in. `turn`: records what they come to. `conversation`: gets the
        results if the user interrupts. Returns one result for each call, in their order. Raises
        `KeyboardInterrupt`: the user interrupted; the calls that are left count as answered.
        """
        answers = self._runner.answer(calls, reply, self.answered + 1, turn.corrections)
        return self._run(calls, answers, turn, conversation, are_own=False)

    def run_own(self, call: ToolCall, turn: Turn, conversation: Conversation) -> ToolResult:
        """Runs a call of the program's own, which the model has not made.

        Raises `KeyboardInterrupt`: the user interrupted it.
        """
        answers = self._runner.answer_own(call, self.answered + 1)
        return self._run([call], answers, turn, conversation, are_own=True)[0]

    def tell_foreign(self) -> None:
        """Tells of calls in texts from elsewhere, which are remembered from now on."""
        if marks := self._runner.echo_guard.take_seen():
            self._sink(ForeignCallsSeen(marks))

    def _kind(self, name: str | None) -> ToolKind | None:
        known = resolve_tool_name(name or "", self._runner.tools)
        return None if known is None else self._runner.tools[known].kind

    def _note_command(self, turn: Turn, call: _Call, result: ToolResult) -> None:
        failed = tests_failed(result.output, result.exit_code or 0)
        turn.note_command(result.exit_code, changed=self._changed(call, result), tests_failed=failed)

    def _changed(self, call: _Call, result: ToolResult) -> bool:
        """Whether a command has changed files, as was recorded or as it says itself."""
        if not isinstance(call, ToolCall) or result.name not in self._runner.tools:
            return False
        command = call.arguments.get(self._runner.tools[result.name].declaration.command)
        told = result.status == "ok" and isinstance(command, str) and changes_files(command)
        return told or self._runner.checkpoints.may_have_changed

    def _run(
        self,
        calls: Sequence[_Call],
        answers: Iterator[Answer],
        turn: Turn,
        conversation: Conversation,
        *,
        are_own: bool,
    ) -> list[ToolResult]:
        results: list[ToolResult] = []
        before = self.answered
        try:
            for call in calls:
                self.answered += 1
                kind = self._kind(call.name)
                if isinstance(call, ToolCall):
                    self._sink(ToolStarted(self.answered, call, are_own, kind))
                answer = next(answers)
                results.append(answer.result)
                turn.note(answer, kind)
                if kind == "runs" and answer.was_run:
                    self._note_command(turn, call, answer.result)
                self.tell_foreign()
                if plan := answer.result.plan:
                    self._sink(PlanUpdated(plan.steps, plan.done))
                self._sink(ToolFinished(answer.result, answer.refusal, answer.reviewed, kind))
        except KeyboardInterrupt as stop:
            left = calls[len(results) :]
            first = before + len(results) + 1
            results += [interrupted(number, call) for number, call in enumerate(left, first)]
            if left and str(stop):  # the call that was running says what became of it
                results[-len(left)] = replace(results[-len(left)], status="error", text=str(stop))
            self.answered = before + len(calls)
            conversation.add_results(results)
            for result in results[-len(left) :]:
                self._sink(ToolFinished(result))
            raise
        return results
