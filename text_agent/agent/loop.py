"""The inner loop: ask the model, run what it calls, until a reply holds no call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile

from text_agent.agent.command_deeds import wrote_since
from text_agent.agent.conversation import Conversation
from text_agent.agent.corrections import correct_reply
from text_agent.agent.endings import is_stopped_short, judge_end, was_cut
from text_agent.agent.final_answer import FILTERED, describe_cut, describe_unfinished, why_no_answer
from text_agent.agent.help import MakeHelp, ModelHelp
from text_agent.agent.ledger import Ledger
from text_agent.agent.numbered_calls import NumberedCalls
from text_agent.agent.project_view import text_of
from text_agent.agent.requests import Requests
from text_agent.agent.runner import ToolRunner
from text_agent.agent.truth import Judgement, judge_answer, render_objection, shown_files
from text_agent.agent.turn import Turn
from text_agent.config.limits import MAX_CORRECTIONS, MAX_REPETITIONS
from text_agent.config.settings import Settings
from text_agent.events import (
    EventSink,
    Notice,
    ReplyFinished,
    RetryScheduled,
    StepStarted,
    TurnFinished,
    TurnStatus,
)
from text_agent.messages import Message, Reply
from text_agent.protocol.reading.outcome import own_words
from text_agent.protocol.reading.parser import parse_reply
from text_agent.protocol.templates import fill_template
from text_agent.protocol.types import MalformedCall, ParsedReply, ToolCall, ToolResult
from text_agent.protocol.writing import render_repetition


@dataclass(slots=True)
class TurnLoop:
    """The loop of one turn, over the parts of a session; its helper uses what has no underscore."""

    conversation: Conversation  # gets the model's replies and their results
    runner: ToolRunner  # answers calls
    calls: NumberedCalls  # numbers them, and tells of them
    requests: Requests  # send the conversation
    ledger: Ledger  # what the session has spent, and may spend
    settings: Settings  # the limits
    sink: EventSink  # is told of events
    tell_replaced: Callable[[], None]  # tells that the conversation was put together anew
    make_help: MakeHelp  # makes the model's help
    _help: ModelHelp = field(init=False)

    def run_turn(self, turn: Turn, attached: Iterable[str] = ()) -> TurnFinished:
        """Takes steps until the turn ends; the conversation stays valid, and says what happened.

        `attached`: texts from elsewhere that the model reads behind the request. Raises `ProviderError`: a
        request failed.
        """
        try:
            self._begin(turn, attached)
            while turn.has_step_left:
                if message := self.ledger.exhausted:
                    return self.finished(turn, "budget", message=message)
                if finished := self.step(turn):
                    return finished
        except KeyboardInterrupt:
            self.conversation.add_user(fill_template("interrupted"))
            return self.finished(turn, "interrupted", message="interrupted.")
        steps = "1 step" if turn.max_steps == 1 else f"{turn.max_steps} steps"
        return self.finished(turn, "step limit", message=f"stopped: no answer after {steps} (--max-steps).")

    def step(self, turn: Turn) -> TurnFinished | None:
        """Asks the model once, and does what it says."""
        turn.step += 1
        self.sink(StepStarted(turn.step, turn.max_steps))
        system, temperature = self._help.system_prompt(), self._help.temperature
        reply, parsed = self.requests.complete(self.conversation, system, temperature)
        if turn.has_step_left and self.requests.context.has_lost:
            self.sink(RetryScheduled("The server has read a part of the prompt alone.", 0.0, 2))
            return None
        if self.runner.tells_only(parsed.calls):  # a diff in an answer shows what was done
            parsed = parse_reply(reply.text, self.runner.tools, notations=False)
        if turn.has_step_left and is_stopped_short(parsed, reply):
            self.requests.avoid_stop()
            self.sink(RetryScheduled("The endpoint may have stopped the reply too soon.", 0.0, 2))
            return None
        return self._help.after_reply(turn, reply, judge_end(parsed, reply))

    def act(self, turn: Turn, reply: Reply, parsed: ParsedReply) -> TurnFinished | None:
        """Stores the reply, and runs its calls or takes it for the answer."""
        self._store(reply, parsed)
        finished = self._run_calls(turn, reply, parsed) if parsed.calls else self._end(turn, reply, parsed)
        return finished or self._stop_repeating(turn, parsed)

    def _begin(self, turn: Turn, attached: Iterable[str]) -> None:
        """Adds the request, behind the project if this is the first that the model hears of it."""
        try:
            self.requests.context.learn_limit()
            self._help = self.make_help(self)
            self.runner.tools.hold_edits_to(self._help.edit_policy)
            view = None
            if self.settings.project_view and not self.conversation.messages:
                view = self._help.show_project(turn)
                self.conversation.add_user(view.text)
            self._help.before_turn(turn, view)
        finally:
            before = len(self.conversation.messages)
            self.conversation.add_user(turn.request, "request")
            for text in attached:
                self.conversation.add_user(self.runner.adopt(text))
            turn.asked = self.conversation.messages[before:]

    def answered(self, turn: Turn, answer: str) -> TurnFinished:
        """Ends the turn with an answer; the user is told beside it what is not as it says."""
        judgement = self._judge(turn, answer)
        remarks = dict.fromkeys([*judgement.untrue, *(judgement.missing if self.settings.unattended else ())])
        for remark in filter(None, [*remarks, self._help.remark()]):
            self.sink(Notice(f"({remark})"))
        finished = self.finished(turn, "answered", answer=answer)
        unfulfilled = judgement.unfulfilled or self._help.is_undone()
        return replace(finished, remarks=tuple(remarks), unfulfilled=unfulfilled)

    def finished(
        self, turn: Turn, status: TurnStatus, *, answer: str = "", message: str = ""
    ) -> TurnFinished:
        """How the turn ended, with what it has cost."""
        spent = self.ledger.turn
        return TurnFinished(
            status,
            answer,
            message,
            turn.step,
            turn.denied_write,
            spent.usage,
            self.ledger.cost(spent),
            self.ledger.line(spent),
            turn.commands,
            turn.exit_code if turn.commands else None,
        )

    def begin_again(self, turn: Turn, notes: Sequence[str]) -> None:
        """Puts `notes`, and the request behind them, in the place of the conversation."""
        self.conversation.replace([*(Message("user", text) for text in notes), *turn.asked])
        self.tell_replaced()

    def run_own(self, turn: Turn, call: ToolCall) -> ToolResult:
        """Runs a call that the model has not made."""
        return self.calls.run_own(call, turn, self.conversation)

    def _store(self, reply: Reply, parsed: ParsedReply) -> None:
        """Makes the reply a part of the conversation."""
        self.sink(ReplyFinished(reply, parsed))
        if parsed.repetition:
            self.sink(Notice("(cut here: the model said the same over and over)"))
        elif parsed.invented_at is not None:
            self.sink(Notice("(cut here: the model began to make up a result)"))
        self.conversation.add_assistant(reply.text[: parsed.ends_at])

    def _run_calls(self, turn: Turn, reply: Reply, parsed: ParsedReply) -> TurnFinished | None:
        """Runs the reply's calls; all results go back in one message."""
        results = turn.results = self.calls.run(parsed.calls, reply.text, turn, self.conversation)
        notes = []
        if parsed.invented_at is not None:
            notes.append(fill_template("discarded", count=len(reply.text) - parsed.invented_at))
        if parsed.repetition:
            notes.append(render_repetition(parsed.repetition.text))
        self.conversation.add_results(results, *notes)
        malformed = [call for call in parsed.calls if isinstance(call, MalformedCall)]
        if not malformed:
            turn.corrections = 0
            return self._stop_circling(turn, results[-1].name)
        return self._correct(turn, cut=malformed[-1].cut, error=malformed[-1].error)

    def _end(self, turn: Turn, reply: Reply, parsed: ParsedReply) -> TurnFinished | None:
        """Decides what a reply without a call is: the answer, a cut one, or nothing that can be used."""
        answer = parsed.prose.strip()
        if parsed.repetition:
            self.conversation.add_user(render_repetition(parsed.repetition.text))
            return None
        if reply.stop_reason == "refusal":
            return self.finished(turn, "filtered", answer=answer, message=FILTERED)
        if was_cut(reply, answer):
            message = describe_cut(reply, parsed, self.requests.max_tokens, self.settings.max_tokens)
            return self.finished(turn, "cut", answer=answer, message=message)
        if note := why_no_answer(reply, parsed, self.conversation.messages[-2]):
            error = "the reply holds neither a call nor an answer"
            note = correct_reply(note, error, self.runner.tools, turn.corrections)
            self.conversation.add_user(note)
            return self._correct(turn, cut=False, error=error)
        if objection := self._objection(turn, own_words(reply.text, parsed.parts)):
            self.sink(Notice("(the work is not done: the model is asked to go on)"))
            self.conversation.add_user(objection)
            return None
        return self.answered(turn, answer)

    def _objection(self, turn: Turn, words: str) -> str:
        """What speaks against ending with this answer, if a step is left."""
        if not turn.has_step_left:
            return ""
        untrue = self._judge(turn, words).untrue
        objection = self._objection_to(turn, words, untrue) or self._help.before_end(turn)
        # A person who sits there can say so himself.
        if objection or not self.settings.unattended:
            return objection
        return describe_unfinished(turn, words)

    def _judge(self, turn: Turn, words: str) -> Judgement:
        if turn.commands and not turn.changed:
            turn.changed = turn.changed_unseen = wrote_since(self.runner.workspace.root, turn.started)
        before = list(takewhile(lambda message: message not in turn.asked, self.conversation.messages))
        has_past = any(message.kind in ("results", "summary") for message in before)
        heard = [message.content for message in self.conversation.messages if message.role == "user"]
        return judge_answer(turn, words, heard, self._text_of, has_past=has_past)

    def _text_of(self, path: str) -> str:
        return text_of(self.runner.workspace, path)

    def _objection_to(self, turn: Turn, words: str, facts: Sequence[str]) -> str:
        """Tells the model once what is true instead."""
        if not facts:
            return ""
        shown = shown_files(turn.task, words, self._text_of)
        return turn.first_new({"untrue": render_objection(turn, facts, shown, self.runner.tools)})

    def _correct(self, turn: Turn, *, cut: bool, error: str) -> TurnFinished | None:
        """Goes on after the model was told what was wrong, a limited number of times in a row."""
        turn.corrections += 1
        if turn.corrections <= MAX_CORRECTIONS:
            return None
        message = f"stopped after {MAX_CORRECTIONS} corrections in a row: {error.rstrip('.')}."
        return self.finished(turn, "cut" if cut else "malformed", message=message)

    def _stop_circling(self, turn: Turn, name: str) -> TurnFinished | None:
        if not self.runner.is_circling:
            return None
        message = (
            f"stopped: no progress: the model repeats the same call ({name}), and the result does not change."
        )
        return self.finished(turn, "no progress", message=message)

    def _stop_repeating(self, turn: Turn, parsed: ParsedReply) -> TurnFinished | None:
        turn.repetitions += parsed.repetition is not None
        if turn.repetitions < MAX_REPETITIONS:
            return None
        message = "stopped: no progress: the model says the same over and over without end."
        return self.finished(turn, "no progress", message=message)
