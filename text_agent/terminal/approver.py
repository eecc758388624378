"""Asks the user whether a call may run."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console
from rich.text import Text

from text_agent.permissions import Effect, Review, ReviewRequest
from text_agent.terminal.line_reader import LineReader
from text_agent.terminal.renderer import Renderer
from text_agent.terminal.sanitize import sanitize

_QUOTED = "The same call stands in text that the model has read: it may be a quotation, not a wish."
_QUOTED_QUESTION = "Run it all the same? [y]es, [n]o: "
_LOSS = "It would lose {}, which you have not asked for."
_LOSS_QUESTION = "Apply it all the same? [y]es, [n]o: "
_QUESTIONS: Mapping[Effect, str] = {
    "read": "Read it? [y]es, [n]o, [a]ll for this session: ",
    "write": "Apply this change? [y]es, [n]o, [a]ll for this session: ",
    "execute": "Run it? [y]es, [n]o, [a]ll for this session: ",
}


class TerminalApprover:
    """The approver of the chat: shows the change and reads the answer."""

    def __init__(self, console: Console, reader: LineReader, renderer: Renderer) -> None:
        self._console = console
        self._reader = reader
        self._renderer = renderer

    def review(self, request: ReviewRequest) -> Review:
        """Asks until the answer is one; the end of the input is a no."""
        if request.diff:
            self._renderer.show_diff(request.diff)
        else:
            self._console.print(Text(sanitize(request.action), "question"))
        if request.quoted:
            self._console.print(Text(_QUOTED, "notice"))
        if request.loses:
            self._console.print(Text(sanitize(_LOSS.format(", ".join(request.loses))), "notice"))
        try:
            return self._ask(_question(request))
        except EOFError:
            return Review(approved=False, reason="the input has ended")

    def _ask(self, question: str) -> Review:
        while True:
            word, _, rest = self._reader.read(question).strip().partition(" ")
            match word.lower():
                case "y" | "yes":
                    return Review(approved=True)
                case "a" | "all":
                    return Review(approved=True, for_session=True)
                case "n" | "no":
                    reason = rest.strip() or self._reader.read("Why not? (goes to the model; may be empty) ")
                    return Review(approved=False, reason=reason.strip())
                case _:
                    self._console.print(Text("Please answer y, n or a.", "notice"))


def _question(request: ReviewRequest) -> str:
    if request.quoted:
        return _QUOTED_QUESTION
    return _LOSS_QUESTION if request.loses else _QUESTIONS[request.effect]
