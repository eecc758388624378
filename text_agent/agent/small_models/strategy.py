"""How a small model is helped through a turn: drafts first, nudges and the project's tests before the end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from text_agent.agent.claims import is_question
from text_agent.agent.project_view import ProjectView
from text_agent.agent.small_models.drafts import draft_prompt, mends_of, read_draft, words_of
from text_agent.agent.small_models.evidence import (
    NO_EVIDENCE,
    choose_command,
    collect_again,
    collect_evidence,
)
from text_agent.agent.small_models.objections import (
    choose_nudge,
    describe_failures,
    failures_in,
    pytest_command,
)
from text_agent.agent.small_models.places import show_places
from text_agent.agent.turn import Turn
from text_agent.config.limits import (
    MAX_DRAFTS,
    MAX_TEST_REPORTS,
    MAX_UNASKED_TEST_REPORTS,
    PLACES_MAX_CHARS,
)
from text_agent.events import Notice, TurnFinished
from text_agent.files.workspace import Workspace
from text_agent.messages import Reply
from text_agent.protocol.binding.aliases import resolve_tool_name
from text_agent.protocol.templates import load_template
from text_agent.protocol.types import ParsedReply
from text_agent.protocol.writing import render_results
from text_agent.tools.editing.assertions import asks_for_repair
from text_agent.tools.editing.documents import EditPolicy
from text_agent.tools.own_calls import call_to_run, call_to_write

if TYPE_CHECKING:
    from text_agent.agent.loop import TurnLoop


class SmallModelHelp:
    """The help for one turn; see `ModelHelp`.

    A model that sees all of a small project is first asked for a draft of whole files, and called with tools
    only afterwards. Of a larger one it sees the places that the request is about; a question it answers from
    these alone. Before an answer counts, it is told once of each thing that it has left undone, and the
    project's tests are run where commands need no permission.

    Args:
        loop: the turn's.
        notes: the project's, which a draft needs to know, too.
        unattended: nobody sits there who could object to an answer.
    """

    # A small model repeats a refused change without meaning it, takes a piece of a class for all of it, and
    # makes a test say what the code does.
    edit_policy: ClassVar[EditPolicy] = EditPolicy(confirms=False, keeps_tests=True, keeps_members=True)
    # Servers' own values (0.8 in llama.cpp) are for talk: a small model strays with them.
    temperature: ClassVar[float | None] = 0.0

    def __init__(self, loop: TurnLoop, notes: str, *, unattended: bool) -> None:
        self._loop = loop
        self._notes = notes
        self._unattended = unattended
        self._texts: Mapping[str, str] = {}
        self._sees_all = True
        self._draft_prompt = ""
        self._question_prompt = ""
        self._test_command = ""
        self._tests_fail = False
        # What failed in the tests before the first change; None before they were run.
        self._failed_before: tuple[str, ...] | None = None
        self._evidence = NO_EVIDENCE
        self._still_fails = False
        self._test_reports = 0
        # The calls with an effect that there were when the tests were run last.
        self._tested_at = -1

    def show_project(self, turn: Turn) -> ProjectView:
        """A small project whole, of a larger one the places that the request is about; and the evidence.

        That is how the test or command ends that the request names, where nobody needs to be asked.
        """
        runner = self._loop.runner
        if command := choose_command(runner, turn.task):
            self._evidence = collect_evidence(command, partial(self._loop.run_own, turn))
            runner.workspace.memory.failing_tests = self._evidence.failing_tests
        text = self._evidence.text
        view = self._view(turn, PLACES_MAX_CHARS - len(text))
        return replace(view, text="\n\n".join(filter(None, [view.text, text])))

    def _view(self, turn: Turn, room: int = PLACES_MAX_CHARS) -> ProjectView:
        def show(workspace: Workspace, request: str, max_chars: int) -> str:
            return show_places(workspace, request, min(max_chars, room), self._evidence.frames)

        return self._loop.runner.show_project(turn.request, show)

    def before_turn(self, turn: Turn, view: ProjectView | None) -> None:
        """Decides whether the first reply is to be an answer alone or a draft, and which tests there are."""
        if view is None:
            return
        runner = self._loop.runner
        asks = view.has_places and is_question(turn.request)
        self._texts, self._sees_all = view.texts, view.is_whole or view.has_places
        self._question_prompt = load_template("question").substitute() if asks else ""
        may_run = runner.policy.mode == "all" and call_to_run("").name in runner.tools
        if view.has_tests and may_run and self._unattended:
            self._test_command = pytest_command(runner.workspace.root)
        if view.is_whole and call_to_write("", "").name in runner.tools:
            self._draft_prompt = draft_prompt(turn.request, view.texts, self._notes)

    def system_prompt(self) -> str:
        """That of an answer alone, or of a draft, if the next reply is to be one."""
        return self._question_prompt or self._draft_prompt

    def after_reply(self, turn: Turn, reply: Reply, parsed: ParsedReply) -> TurnFinished | None:
        """Reads the reply as a draft if it was to be one."""
        self._question_prompt = ""
        if not self._draft_prompt:
            return self._act(turn, reply, parsed)
        again = self._draft_prompt if turn.step < MAX_DRAFTS else ""
        self._draft_prompt = ""
        draft = read_draft(reply, parsed, self._texts)
        if draft is None and (parsed.calls or not turn.has_step_left):
            return self._act(turn, reply, parsed)
        if draft is None:
            self._loop.sink(Notice("(the draft changes no file: the model is asked again)"))
            problem = self._failing_tests(turn) if asks_for_repair(turn.request) else ""
        else:
            for mend in mends_of(draft):
                self._loop.sink(Notice(f"({mend})"))
            if (finished := self._act(turn, reply, draft)) or turn.denied:
                return finished
            if refused := [result for result in turn.results if result.status != "ok"]:
                problem = load_template("draft_refused").substitute(results=render_results(refused))
            elif problem := self._nudge(turn):
                again = ""
            elif not (problem := self._failing_tests(turn)):
                return self._loop.answered(turn, words_of(draft))
        if problem:
            self._ask_anew(turn, problem, again)
        return None

    def before_end(self, turn: Turn) -> str:
        """What is left undone, or which tests fail."""
        return self._nudge(turn) or (self._failing_tests(turn) if turn.changed else "")

    def remark(self) -> str:
        """Whether the command that the request names, or the project's tests, fail."""
        if self._still_fails:
            return f"{self._evidence.command} still fails"
        return "the project's tests fail" if self._tests_fail else ""

    def is_undone(self) -> bool:
        """Whether the command that the request names failed before the change, and fails behind it."""
        return self._still_fails

    def _act(self, turn: Turn, reply: Reply, parsed: ParsedReply) -> TurnFinished | None:
        """Does what the reply says; the tests that fail before its first change are not held against it."""
        if self._test_command and self._failed_before is None and self._may_change(turn, parsed):
            call = call_to_run(self._test_command)
            self._failed_before = failures_in(self._loop.run_own(turn, call))
            if count := len(self._failed_before):
                self._loop.sink(Notice(f"(tests that fail before the change: {count})"))
        return self._loop.act(turn, reply, parsed)

    def _may_change(self, turn: Turn, parsed: ParsedReply) -> bool:
        """Whether a reply may change what the tests come to; where all of them are to pass, all count."""
        if asks_for_repair(turn.request) and not self._evidence.fails:
            return False
        tools = self._loop.runner.tools
        names = {resolve_tool_name(call.name or "", tools) for call in parsed.calls}
        return any(name and tools[name].effect != "read" for name in names)

    def _ask_anew(self, turn: Turn, problem: str, draft_prompt: str) -> None:
        """Begins the conversation once more: the project as it is now, `problem`, and what was asked for.

        The model reads what went wrong, but nothing of what it wrote: what a small model reads of its own
        mistakes, it repeats.
        """
        runner = self._loop.runner
        runner.forget_shown()
        view = self._view(turn)
        self._texts = view.texts
        self._draft_prompt = draft_prompt if view.is_whole else ""
        self._loop.begin_again(turn, [view.text, problem])

    def _nudge(self, turn: Turn) -> str:
        """What speaks against ending with this answer, if nobody is there to say it and a step is left."""
        if not self._unattended or not turn.has_step_left:
            return ""
        runner = self._loop.runner
        return choose_nudge(turn, runner.tools, runner.find, sees_all=self._sees_all)

    def _failing_tests(self, turn: Turn) -> str:
        """What the model should know of the project's tests; empty if it has heard enough, or none fails."""
        failures = self._run_tests(turn)
        most = MAX_TEST_REPORTS if asks_for_repair(turn.request) else MAX_UNASKED_TEST_REPORTS
        if not failures or self._test_reports == most or not turn.has_step_left:
            return ""
        self._test_reports += 1
        return failures

    def _run_tests(self, turn: Turn) -> str:
        """Runs the project's tests, unless nothing can have changed since; what fails, for the model."""
        if self._tested_at == turn.effects:
            return ""
        failures = self._run_again(turn)
        if not failures and self._test_command:
            result = self._loop.run_own(turn, call_to_run(self._test_command))
            failures = describe_failures(result, self._failed_before or ())
            self._tests_fail = bool(failures)
        self._tested_at = turn.effects
        return failures

    def _run_again(self, turn: Turn) -> str:
        """Runs the command that the request names once more if it failed; how it fails now, for the model."""
        if not self._evidence.fails or not turn.changed:
            return ""
        again = collect_again(self._evidence, partial(self._loop.run_own, turn))
        self._still_fails = again.fails
        return again.text if again.fails else ""
