"""What a model is helped with during a turn.

The loop knows only this: `NoHelp`, the plain loop, is one implementation, `small_models` the other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, Protocol

from text_agent.agent.project_view import ProjectView
from text_agent.agent.turn import Turn
from text_agent.events import TurnFinished
from text_agent.messages import Reply
from text_agent.protocol.types import ParsedReply
from text_agent.tools.editing.documents import PLAIN_EDITS, EditPolicy

if TYPE_CHECKING:
    from text_agent.agent.loop import TurnLoop


class ModelHelp(Protocol):
    """Help for a model through its turns.

    Attributes:
        edit_policy: what the model's changes of files are held to.
        temperature: of its replies, where the user has set none; None leaves it to the endpoint.
    """

    edit_policy: ClassVar[EditPolicy]
    temperature: ClassVar[float | None]

    def show_project(self, turn: Turn, /) -> ProjectView:
        """What the model is shown before its first reply: the project, and what is found out about it."""
        ...

    def before_turn(self, turn: Turn, view: ProjectView | None, /) -> None:
        """Prepares a turn; `view` is what the model was shown of the project, None for nothing."""
        ...

    def system_prompt(self) -> str:
        """The system prompt of the next request; empty for the usual one."""
        ...

    def after_reply(self, turn: Turn, reply: Reply, parsed: ParsedReply) -> TurnFinished | None:
        """Takes a reply; returns how the turn ended, None if it goes on."""
        ...

    def before_end(self, turn: Turn, /) -> str:
        """What speaks against ending the turn, for the model; empty for nothing."""
        ...

    def remark(self) -> str:
        """What the user should know when the turn ends with an answer; empty for nothing."""
        ...

    def is_undone(self) -> bool:
        """Whether a check shows that what was asked for is not done."""
        ...


MakeHelp = Callable[["TurnLoop"], ModelHelp]


class NoHelp:
    """The plain loop, for models that need no help."""

    edit_policy: ClassVar[EditPolicy] = PLAIN_EDITS
    temperature: ClassVar[float | None] = None

    def __init__(self, loop: TurnLoop) -> None:
        self._loop = loop

    def show_project(self, turn: Turn, /) -> ProjectView:
        """Its files, and the texts of those that there is room for."""
        return self._loop.runner.show_project(turn.request)

    def before_turn(self, _turn: Turn, _view: ProjectView | None, /) -> None:
        """Prepares nothing."""

    def system_prompt(self) -> str:
        """The usual one."""
        return ""

    def after_reply(self, turn: Turn, reply: Reply, parsed: ParsedReply) -> TurnFinished | None:
        """Does what the reply says."""
        return self._loop.act(turn, reply, parsed)

    def before_end(self, _turn: Turn, /) -> str:
        """Objects to nothing."""
        return ""

    def remark(self) -> str:
        """Remarks nothing."""
        return ""

    def is_undone(self) -> bool:
        """Checks nothing."""
        return False
