"""The inner loop: ask the model, run what it calls, until a reply holds no call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from text_agent.agent.context.keeper import ContextKeeper
from text_agent.agent.conversation import Conversation
from text_agent.agent.endings import STOP, is_stopped_short, judge_end
from text_agent.agent.final_answer import describe_cut, why_no_answer
from text_agent.agent.ledger import Ledger
from text_agent.agent.numbered_calls import NumberedCalls
from text_agent.agent.reply_collector import ReplyCollector
from text_agent.agent.runner import ToolRunner
from text_agent.agent.small_models.drafts import draft_prompt, mends_of, read_draft, words_of
from text_agent.agent.small_models.nudges import choose_nudge
from text_agent.agent.small_models.project_tests import pytest_command, run_tests
from text_agent.agent.turn import TurnFacts
from text_agent.config.limits import (
    MAX_CORRECTIONS,
    MAX_DRAFTS,
    MAX_REPETITIONS,
    MAX_TEST_REPORTS,
    MAX_UNASKED_TEST_REPORTS,
)
from text_agent.config.settings import Settings
from text_agent.errors import ContextWindowExceededError
from text_agent.events import (
    ContextMeasured,
    ConversationCompacted,
    ConversationReplaced,
    Event,
    EventSink,
    MessageAdded,
    ModelChanged,
    Notice,
    ReplyFinished,
    RetryScheduled,
    StepStarted,
    TurnFinished,
    TurnStarted,
    TurnStatus,
)
from text_agent.files.checkpoints.recorder import Checkpoints
from text_agent.files.workspace import Workspace
from text_agent.messages import CompletionRequest, Message, MessageKind, Reply
from text_agent.permissions.policy import PermissionPolicy
from text_agent.protocol.reading.parts import own_words
from text_agent.protocol.templates import load_template
from text_agent.protocol.types import MalformedCall, ParsedReply, ToolResult
from text_agent.protocol.writing import (
    render_discarded,
    render_interrupted,
    render_repetition,
    render_results,
)
from text_agent.providers.base import Provider
from text_agent.tools.editing.assertions import asks_for_repair
from text_agent.tools.registry import ToolRegistry


@dataclass(slots=True)
class _Turn:
    """How far one turn is.

    Attributes:
        facts: what its calls have come to.
        asked: the user's request, with what is attached to it.
        draft_prompt: the system prompt of the next reply, if that is to be a draft; else empty.
        results: those of the last reply's calls.
        step: requests that were sent.
        corrections: malformed replies in a row.
        repetitions: replies that said the same over and over.
        test_reports: times that the model was told of tests that fail.
    """

    facts: TurnFacts
    asked: Sequence[Message] = ()
    draft_prompt: str = ""
    results: Sequence[ToolResult] = ()
    step: int = 0
    corrections: int = 0
    repetitions: int = 0
    test_reports: int = 0


class Agent:
    """A conversation with one model, whose calls are run by one runner.

    It prints nothing: what happens goes to `sink` as events.
    """

    def __init__(
        self,
        provider: Provider,
        runner: ToolRunner,
        system_prompt: str,
        settings: Settings,
        sink: EventSink,
        notes: str = "",
    ) -> None:
        """`notes` are the project's, which a draft needs to know, too."""
        self.provider = provider
        self._notes = notes
        self.conversation = Conversation(tell=self._tell_message)
        self._runner = runner
        self._settings = settings
        self._sink = sink
        self._calls = NumberedCalls(runner, sink)
        self._max_tokens = settings.max_tokens
        self._context = ContextKeeper(provider, runner, system_prompt, settings, self._tell_context)
        # Until it has taken something that counts.
        self._stop: tuple[str, ...] = (STOP,)

    @property
    def tools(self) -> ToolRegistry:
        """The tools that the model may call."""
        return self._runner.tools

    @property
    def system_prompt(self) -> str:
        """What every request begins with."""
        return self._context.system

    def fit_system_prompt(self, write: Callable[[int], str]) -> None:
        """Lets `write` write it again as soon as the size of the model's context is known, in tokens."""
        self._context.fit_system(write)

    @property
    def ledger(self) -> Ledger:
        """What the session has spent."""
        return self._context.ledger

    @property
    def context(self) -> ContextMeasured:
        """How full the model's context is."""
        return self._context.measure(self.conversation)

    @property
    def workspace(self) -> Workspace:
        """The folder that the tools work in."""
        return self._runner.workspace

    @property
    def policy(self) -> PermissionPolicy:
        """What decides whether a call is asked about."""
        return self._runner.policy

    @property
    def checkpoints(self) -> Checkpoints:
        """What was changed, and can be taken back."""
        return self._runner.checkpoints

    def note(self, text: str) -> None:
        """Tells the model something that happened outside its turns; it reads it with the next request."""
        self.conversation.add_user(text)

    def compact(self) -> str:
        """Lets the model summarise the conversation, and goes on with the summary; returns what came of it.

        Raises:
            ProviderError: the model could not be asked; the conversation is as it was.
        """
        event = self._context.compact(self.conversation)
        if event is None:
            return "No summary was made: there is too little to summarise, or the model wrote nothing."
        self._tell_replaced()
        self._sink(self.context)
        return event.line

    def note_other_model(self) -> None:
        """The provider asks another model from now on; the conversation goes on."""
        self._context.forget_model()
        self._stop = (STOP,)
        self._sink(ModelChanged(self.provider.name, self.provider.model))

    def note_foreign(self, text: str) -> None:
        """The same with a text from outside: a call in it is a quotation."""
        self.conversation.add_user(self._runner.adopt(text))

    def clear(self) -> None:
        """Forgets the conversation."""
        self._runner.forget()
        self.conversation = Conversation(tell=self._tell_message)
        self._sink(ConversationReplaced())

    def resume(self, messages: Iterable[Message], marks: Iterable[str], calls_answered: int) -> None:
        """Goes on with a saved conversation.

        Args:
            messages: the conversation's.
            marks: what the echo guard remembered, as `ForeignCallsSeen` told it.
            calls_answered: how many calls have been answered so far: numbers go on from there.
        """
        self._runner.forget()
        self._runner.echo_guard.restore(marks)
        self.conversation = Conversation(messages, tell=self._tell_message)
        self._calls.answered = calls_answered

    def run_turn(self, text: str, pasted: Iterable[str] = (), attached: Iterable[str] = ()) -> TurnFinished:
        """Runs one turn: from the user's text to the model's answer, or to the reason why there is none.

        Ctrl-C ends the turn, not the program; the conversation stays valid and says what happened.

        Args:
            text: what the user wrote.
            pasted: parts of it that come from elsewhere: a call among them is a quotation.
            attached: texts from elsewhere that the model reads behind it.

        Raises:
            ProviderError: a request failed. The conversation is kept; another turn may follow.
        """
        text = self._runner.begin_turn(text, pasted)
        self.ledger.begin_turn()
        self._sink(TurnStarted(text))
        turn = _Turn(TurnFacts(text, find=self._runner.find))
        try:
            try:
                self._context.learn_limit()
                self._begin(turn, text)
            finally:
                before = len(self.conversation.messages)
                self.conversation.add_user(text, "request")
                for each in attached:
                    self.note_foreign(each)
                turn.asked = self.conversation.messages[before:]
            finished = self._run_steps(turn)
        except KeyboardInterrupt:
            self.conversation.add_user(render_interrupted())
            finished = self._finished(turn, "interrupted", message="interrupted.")
        self._sink(finished)
        return finished

    def _begin(self, turn: _Turn, request: str) -> None:
        """Shows the project, if this is the first that the model hears of it."""
        if not self._settings.project_view or self.conversation.messages:
            return
        view = self._runner.show_project(request)
        self.conversation.add_user(view.text)
        turn.facts.texts, turn.facts.sees_all = view.texts, view.is_whole
        settings = self._settings
        may_run = self.policy.mode == "all" and "run_command" in self.tools
        if view.has_tests and may_run and settings.unattended and settings.is_small_model:
            turn.facts.test_command = pytest_command(self.workspace.root)
        if settings.is_small_model and view.is_whole and "write_file" in self.tools:
            turn.draft_prompt = draft_prompt(request, view.texts, self._notes)

    def _run_steps(self, turn: _Turn) -> TurnFinished:
        while turn.step < self._settings.max_steps:
            if message := self.ledger.exhausted:
                return self._finished(turn, "budget", message=message)
            turn.step += 1
            self._sink(StepStarted(turn.step, self._settings.max_steps))
            reply, parsed = self._complete(turn.draft_prompt)
            if self._has_step_left(turn) and is_stopped_short(parsed, reply):
                self._stop = ()
                self._sink(RetryScheduled("The endpoint may have stopped the reply too soon.", 0.0, 2))
                continue
            act = self._draft if turn.draft_prompt else self._act
            if finished := act(turn, reply, judge_end(parsed, reply)):
                return finished
        limit = self._settings.max_steps
        steps = "1 step" if limit == 1 else f"{limit} steps"
        return self._finished(turn, "step limit", message=f"stopped: no answer after {steps} (--max-steps).")

    def _act(self, turn: _Turn, reply: Reply, parsed: ParsedReply) -> TurnFinished | None:
        """Does what a reply says."""
        self._store(reply, parsed)
        finished = self._answer_calls(turn, reply, parsed) if parsed.calls else self._end(turn, reply, parsed)
        return finished or self._stop_repeating(turn, parsed)

    def _draft(self, turn: _Turn, reply: Reply, parsed: ParsedReply) -> TurnFinished | None:
        """Writes the files of a draft, and takes it for the answer if nothing speaks against it.

        Else the request is put once more, to a model that reads what went wrong, but nothing of what it
        wrote: what a small model reads of its own mistakes, it repeats.
        """
        again = turn.draft_prompt if turn.step < MAX_DRAFTS else ""
        turn.draft_prompt = ""
        draft = read_draft(reply, parsed, turn.facts)
        if draft is None and (parsed.calls or not self._has_step_left(turn)):
            return self._act(turn, reply, parsed)
        if draft is None:
            self._sink(Notice("(the draft changes no file: the model is asked again)"))
            problem = self._failing_tests(turn) if asks_for_repair(turn.facts.request) else ""
        else:
            for mend in mends_of(draft):
                self._sink(Notice(f"({mend})"))
            if (finished := self._act(turn, reply, draft)) or turn.facts.denied:
                return finished
            if refused := [result for result in turn.results if result.status != "ok"]:
                problem = load_template("draft_refused").substitute(results=render_results(refused))
            # Its words announce the files that follow them, and these are written.
            elif problem := self._nudge(turn, ""):
                again = ""
            elif not (problem := self._failing_tests(turn)):
                return self._answered(turn, words_of(draft))
        if problem:
            self._ask_anew(turn, problem, again)
        return None

    def _ask_anew(self, turn: _Turn, problem: str, draft_prompt: str) -> None:
        """Begins the conversation once more: the project as it is now, `problem`, and what was asked for."""
        self._runner.forget_shown()
        view = self._runner.show_project(turn.facts.request)
        turn.facts.texts = view.texts
        turn.draft_prompt = draft_prompt if view.is_whole else ""
        notes = [Message("user", text) for text in (view.text, problem)]
        self.conversation.replace([*notes, *turn.asked])
        self._tell_replaced()

    def _has_step_left(self, turn: _Turn) -> bool:
        return turn.step < self._settings.max_steps

    def _complete(self, system: str) -> tuple[Reply, ParsedReply]:
        """Sends the conversation, behind another system prompt if one is given, and reads the reply.

        Where it is too long for the model after all, it is made shorter and sent once more.
        """
        try:
            return self._ask(self._context.request(self.conversation), system)
        except ContextWindowExceededError as error:
            self._context.make_room(self.conversation, error)
            return self._ask(self._context.request(self.conversation), system)

    def _ask(self, request: CompletionRequest, system: str) -> tuple[Reply, ParsedReply]:
        """Sends one request and reads the reply."""
        grammar = self._grammar if self.provider.takes_grammar else ""
        request = replace(request, system=system or request.system, stop=self._stop, grammar=grammar)
        self._max_tokens = request.max_tokens
        collector = ReplyCollector(self._runner.tools, self._sink)
        try:
            reply, parsed = collector.collect(self.provider.complete(request))
        except KeyboardInterrupt:
            if collector.text:
                self._context.note_unfinished(request, collector.text)
                self.conversation.add_assistant(collector.text)
            raise
        self._context.note_reply(request, reply)
        return reply, parsed

    @cached_property
    def _grammar(self) -> str:
        # Imported here: most sessions need none.
        from text_agent.protocol.grammar.grammar import reply_grammar

        return reply_grammar(self._runner.tools)

    def _store(self, reply: Reply, parsed: ParsedReply) -> None:
        """Makes the reply a part of the conversation."""
        self._sink(ReplyFinished(reply, parsed))
        if parsed.repetition:
            self._sink(Notice("(cut here: the model said the same over and over)"))
        elif parsed.invented_at is not None:
            self._sink(Notice("(cut here: the model began to make up a result)"))
        self.conversation.add_assistant(reply.text[: parsed.ends_at])

    def _answer_calls(self, turn: _Turn, reply: Reply, parsed: ParsedReply) -> TurnFinished | None:
        """Runs the reply's calls; all results go back in one message."""
        results = turn.results = self._calls.run(parsed.calls, reply.text, turn.facts, self.conversation)
        parts = [render_results(results)]
        if parsed.invented_at is not None:
            parts.append(render_discarded(len(reply.text) - parsed.invented_at))
        if parsed.repetition:
            parts.append(render_repetition(parsed.repetition.text))
        malformed = [call for call in parsed.calls if isinstance(call, MalformedCall)]
        if not malformed:
            turn.corrections = 0
            self.conversation.add_user("\n\n".join(parts), "results")
            return self._stop_circling(turn, results[-1].name)
        cut, error = malformed[-1].cut, malformed[-1].error
        return self._correct(turn, "\n\n".join(parts), cut=cut, error=error, kind="results")

    def _finished(
        self, turn: _Turn, status: TurnStatus, *, answer: str = "", message: str = ""
    ) -> TurnFinished:
        spent = self.ledger.turn
        return TurnFinished(
            status,
            answer,
            message,
            turn.step,
            turn.facts.denied_write,
            spent.usage,
            self.ledger.cost(spent),
            self.ledger.line(spent),
        )

    def _stop_circling(self, turn: _Turn, name: str) -> TurnFinished | None:
        if not self._runner.is_circling:
            return None
        message = (
            f"stopped: no progress: the model repeats the same call ({name}), and the result does not change."
        )
        return self._finished(turn, "no progress", message=message)

    def _stop_repeating(self, turn: _Turn, parsed: ParsedReply) -> TurnFinished | None:
        turn.repetitions += parsed.repetition is not None
        if turn.repetitions < MAX_REPETITIONS:
            return None
        message = "stopped: no progress: the model says the same over and over without end."
        return self._finished(turn, "no progress", message=message)

    def _tell_message(self, message: Message) -> None:
        self._calls.tell_foreign()
        self._sink(MessageAdded(message))

    def _tell_context(self, event: Event) -> None:
        if isinstance(event, ConversationCompacted):
            self._tell_replaced()
        self._sink(event)

    def _tell_replaced(self) -> None:
        self._calls.tell_foreign()
        self._sink(ConversationReplaced(self.conversation.messages))

    def _end(self, turn: _Turn, reply: Reply, parsed: ParsedReply) -> TurnFinished | None:
        """Decides what a reply without a call is: the answer, a cut one, or nothing that can be used."""
        answer = parsed.prose.strip()
        if parsed.repetition:
            self.conversation.add_user(render_repetition(parsed.repetition.text))
            return None
        if reply.stop_reason == "max_tokens":
            message = describe_cut(reply, parsed, self._max_tokens, self._settings.max_tokens)
            return self._finished(turn, "cut", answer=answer, message=message)
        if note := why_no_answer(reply, parsed, self.conversation.messages[-2]):
            return self._correct(turn, note, cut=False, error="the reply holds neither a call nor an answer")
        return self._answer(turn, answer, own_words(reply.text, parsed.parts))

    def _answer(self, turn: _Turn, answer: str, words: str) -> TurnFinished | None:
        """Ends the turn with an answer, if nothing speaks against it."""
        objection = self._nudge(turn, words) or (self._failing_tests(turn) if turn.facts.changed else "")
        if not objection:
            return self._answered(turn, answer)
        self._sink(Notice("(the work is not done: the model is asked to go on)"))
        self.conversation.add_user(objection)
        return None

    def _answered(self, turn: _Turn, answer: str) -> TurnFinished:
        if turn.facts.tests_fail:
            self._sink(Notice("(the project's tests fail)"))
        return self._finished(turn, "answered", answer=answer)

    def _nudge(self, turn: _Turn, answer: str) -> str:
        """What speaks against ending with this answer, if nobody is there to say it and a step is left."""
        if self._settings.unattended and self._has_step_left(turn):
            return choose_nudge(turn.facts, answer, self.tools, is_small_model=self._settings.is_small_model)
        return ""

    def _failing_tests(self, turn: _Turn) -> str:
        """What the model should know of the project's tests; empty if it has heard enough, or none fails."""
        failures = run_tests(self._calls, turn.facts, self.conversation)
        most = MAX_TEST_REPORTS if asks_for_repair(turn.facts.request) else MAX_UNASKED_TEST_REPORTS
        if not failures or turn.test_reports == most or not self._has_step_left(turn):
            return ""
        turn.test_reports += 1
        return failures

    def _correct(
        self, turn: _Turn, note: str, *, cut: bool, error: str, kind: MessageKind = "note"
    ) -> TurnFinished | None:
        """Tells the model what was wrong, a limited number of times in a row."""
        self.conversation.add_user(note, kind)
        turn.corrections += 1
        if turn.corrections <= MAX_CORRECTIONS:
            return None
        message = f"stopped after {MAX_CORRECTIONS} corrections in a row: {error.rstrip('.')}."
        return self._finished(turn, "cut" if cut else "malformed", message=message)
