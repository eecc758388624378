"""A conversation with one model, turn by turn."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from text_agent.agent.context.keeper import ContextKeeper
from text_agent.agent.conversation import Conversation
from text_agent.agent.help import MakeHelp, NoHelp
from text_agent.agent.ledger import Ledger
from text_agent.agent.loop import TurnLoop
from text_agent.agent.numbered_calls import NumberedCalls
from text_agent.agent.requests import Requests
from text_agent.agent.runner import ToolRunner
from text_agent.agent.turn import Turn
from text_agent.config.settings import Settings
from text_agent.events import (
    ContextMeasured,
    ConversationCompacted,
    ConversationReplaced,
    Event,
    EventSink,
    MessageAdded,
    ModelChanged,
    TurnFinished,
    TurnStarted,
)
from text_agent.files.checkpoints.recorder import Checkpoints
from text_agent.files.workspace import Workspace
from text_agent.messages import Message
from text_agent.permissions.policy import PermissionPolicy
from text_agent.providers.base import Provider
from text_agent.tools.registry import ToolRegistry


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
        make_help: MakeHelp = NoHelp,
    ) -> None:
        """`make_help` makes the help that the model gets in each turn."""
        self.provider = provider
        self._make_help = make_help
        self.conversation = Conversation(tell=self._tell_message)
        self._runner = runner
        self._settings = settings
        self._sink = sink
        self._calls = NumberedCalls(runner, sink)
        self._context = ContextKeeper(provider, runner, system_prompt, settings, self._tell_context)
        self._requests = Requests(provider, runner.tools, self._context, sink)

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

        Raises `ProviderError`: the model could not be asked; the conversation is as it was.
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
        self._requests.allow_stop()
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

        `messages`: the conversation's. `marks`: what the echo guard remembered, as `ForeignCallsSeen` told
        it. `calls_answered`: how many calls have been answered so far: numbers go on from there.
        """
        self._runner.forget()
        self._runner.echo_guard.restore(marks)
        self.conversation = Conversation(messages, tell=self._tell_message)
        self._calls.answered = calls_answered

    def run_turn(
        self, text: str, pasted: Iterable[str] = (), attached: Iterable[str] = (), task: str = ""
    ) -> TurnFinished:
        """Runs one turn: from the user's text to the model's answer, or to the reason why there is none.

        Ctrl-C ends the turn, not the program; the conversation stays valid and says what happened. Raises
        `ProviderError`: a request failed. The conversation is kept; another turn may follow.

        Args:
            text: what the user wrote.
            pasted: parts of it that come from elsewhere: a call among them is a quotation.
            attached: texts from elsewhere that the model reads behind it.
            task: the part of the text that says what is to be done; all of it by default.
        """
        text = self._runner.begin_turn(text, pasted)
        self.ledger.begin_turn()
        self._sink(TurnStarted(text))
        finished = self._loop().run_turn(Turn(text, self._settings.max_steps, task=task), attached)
        self._sink(finished)
        return finished

    def _loop(self) -> TurnLoop:
        return TurnLoop(
            self.conversation,
            self._runner,
            self._calls,
            self._requests,
            self.ledger,
            self._settings,
            self._sink,
            self._tell_replaced,
            self._make_help,
        )

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
