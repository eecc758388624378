"""Asks the user whether a call may run."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console
from rich.text import Text

from text_agent.permissions.policy import Effect, Review, ReviewRequest
from text_agent.terminal.input.line_reader import LineReader
from text_agent.terminal.output.renderer import Renderer
from text_agent.text.sanitize import reveal

_QUOTED = "The same call stands in text that the model has read: it may be a quotation, not a wish."
_LOSS = "It would lose {}, which you have not asked for."
_QUESTIONS: Mapping[Effect, str] = {
    "read": "Let the model read it?",
    "write": "Apply this change?",
    "execute": "Run it?",
}
_ALL_THE_SAME: Mapping[Effect, str] = {
    "read": "Let the model read it all the same?",
    "write": "Apply it all the same?",
    "execute": "Run it all the same?",
}
_ANSWERS: Mapping[str, Review] = {
    "y": Review(approved=True),
    "a": Review(approved=True, for_session=True),
    "p": Review(approved=True, for_session=True, by_prefix=True),
    "r": Review(approved=True, for_project=True),
    "rp": Review(approved=True, for_project=True, by_prefix=True),
}
_WORDS: Mapping[str, str] = {"yes": "y", "all": "a", "always": "a", "no": "n"}


class TerminalApprover:
    """The approver of the chat: shows the change or the command, and reads the answer."""

    def __init__(self, console: Console, reader: LineReader, renderer: Renderer) -> None:
        self._console = console
        self._reader = reader
        self._renderer = renderer

    def review(self, request: ReviewRequest) -> Review:
        """Asks until the answer is one; the end of the input is a no."""
        with self._renderer.paused(shown=not request.diff):
            if request.diff:
                self._renderer.show_diff(request.diff)
            else:
                self._say(_shown(request, self._console.encoding), "question")
            for notice in _notices(request):
                self._say(notice, "notice")
            try:
                with self._reader.dialog():
                    return self._ask(_question(request), _choices(request))
            except EOFError:
                return Review(approved=False, reason="the input has ended")

    def _ask(self, question: str, choices: Mapping[str, str]) -> Review:
        prompt = f"{question} {', '.join(choices.values())}: "
        while True:
            word, _, rest = self._reader.ask(prompt).strip().partition(" ")
            answer = _WORDS.get(word.lower(), word.lower())
            if answer == "n":
                reason = rest.strip() or self._reader.ask("Why not? (goes to the model; may be empty) ")
                return Review(approved=False, reason=reason.strip())
            if answer in choices:
                return _ANSWERS[answer]
            *others, last = choices
            self._say(f"Please answer {', '.join(others)} or {last}.", "notice")

    def _say(self, text: str, style: str) -> None:
        self._console.print(Text(text, style))


def _shown(request: ReviewRequest, encoding: str) -> str:
    """What would be done, with nothing of it hidden."""
    if not request.command:
        return reveal(request.action, encoding)
    return "\n".join(f"$ {line}" for line in reveal(request.command, encoding).split("\n"))


def _notices(request: ReviewRequest) -> list[str]:
    """What the user should know before the answer."""
    notices = [_QUOTED] if request.quoted else []
    if request.loses:
        notices.append(reveal(_LOSS.format(", ".join(request.loses))))
    if request.cause != "mode":
        notices.append(f"Careful: {reveal(request.reason)}.")
    return notices


def _is_usual(request: ReviewRequest) -> bool:
    """Whether a yes may be for more than this once."""
    return request.cause == "mode" and not request.quoted and not request.loses


def _question(request: ReviewRequest) -> str:
    is_plain = _is_usual(request) or (request.cause == "secret" and request.effect == "read")
    return (_QUESTIONS if is_plain else _ALL_THE_SAME)[request.effect]


def _choices(request: ReviewRequest) -> Mapping[str, str]:
    """The answers that there are, as the question names them."""
    choices = {"y": "[y]es", "n": "[n]o"}
    if request.cause == "secret" and request.effect == "read":
        return {**choices, "a": "[a]lways in this session"}
    if not _is_usual(request):
        return choices
    if not request.command:
        return {**choices, "a": "[a]ll for this session"}
    choices["a"] = "[a]lways this command"
    kind = f'"{reveal(request.prefix)} ..."' if request.prefix else ""
    if kind:
        choices["p"] = f"[p] always {kind}"
    if request.lasts:
        choices["r"] = "[r]emember it for this project"
    if request.lasts and kind:
        choices["rp"] = f"[rp] {kind} for this project"
    return choices
