"""Completion at the prompt: commands behind `/`, files and folders behind `@`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from text_agent.lazy_regex import late_pattern
from text_agent.terminal.input.mentions import BEGUN_MENTION, write_mention
from text_agent.text.sanitize import reveal

if TYPE_CHECKING:
    from text_agent.terminal.slash.slash_commands import SlashCommand

# What is offered at once; who wants another one types a letter more.
_MAX_OFFERS = 50
_COMMAND = late_pattern(r"/\w*\Z")
_ARGUMENT = late_pattern(r"(?P<name>/\w+) +(?P<begun>\S*)\Z")


class ChatCompleter(Completer):
    """Completes the words that mean something to the chat.

    `list_commands`: tells them by their names. `list_paths`: the files of the workspace, relative to it.
    `list_models`: the names of the models that the endpoint has.
    """

    def __init__(
        self,
        list_commands: Callable[[], Mapping[str, SlashCommand]],
        list_paths: Callable[[], Sequence[str]],
        list_models: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        self._list_commands = list_commands
        self._list_paths = list_paths
        self._list_models = list_models
        self._paths: list[str] | None = None
        self._models: Sequence[str] | None = None

    def forget(self) -> None:
        """Lists the files and the models anew when they are needed next."""
        self._paths = self._models = None

    @staticmethod
    def applies(document: Document) -> bool:
        """Whether the cursor stands behind something that can be completed."""
        text = document.text_before_cursor
        return bool(_COMMAND.match(text) or _ARGUMENT.match(text) or BEGUN_MENTION.search(text))

    def get_completions(self, document: Document, _event: CompleteEvent) -> Iterable[Completion]:
        """What may be meant, the likeliest first."""
        text = document.text_before_cursor
        if _COMMAND.match(text):
            yield from self._offer_commands(text)
        elif argument := _ARGUMENT.match(text):
            yield from self._offer_choices(argument["name"], argument["begun"])
        elif mention := BEGUN_MENTION.search(text):
            for path in _best(mention["quoted"] or mention["plain"] or "", self._all_paths())[:_MAX_OFFERS]:
                yield Completion(write_mention(path), -len(mention[0]), display=reveal(path))

    def _offer_commands(self, text: str) -> Iterator[Completion]:
        for name, command in self._list_commands().items():
            if name.startswith(text.lower()):
                yield Completion(name, -len(text), display_meta=command.help)

    def _offer_choices(self, name: str, begun: str) -> Iterator[Completion]:
        command = self._list_commands().get(name.lower())
        choices: Sequence[str] = command.choices if command else ()
        if command and command.takes_model:
            choices = self._all_models()
        for choice in choices:
            if choice.lower().startswith(begun.lower()):
                yield Completion(choice, -len(begun))

    def _all_models(self) -> Sequence[str]:
        if self._models is None:
            self._models = self._list_models()
        return self._models

    def _all_paths(self) -> list[str]:
        if self._paths is None:
            files = self._list_paths()
            self._paths = sorted({*files, *(folder for path in files for folder in _folders(path))})
        return self._paths


def _folders(path: str) -> Iterator[str]:
    """The folders in which a file lies, with a slash behind them."""
    parts = path.split("/")[:-1]
    return ("/".join(parts[:count]) + "/" for count in range(1, len(parts) + 1))


def _best(typed: str, paths: Iterable[str]) -> list[str]:
    """The paths that hold what was typed: those that begin with it first, then those whose name does."""
    wanted = typed.lower()

    def rank(path: str) -> tuple[int, int]:
        name = path.rstrip("/").rpartition("/")[2]
        place = 0 if path.lower().startswith(wanted) else 1 if name.lower().startswith(wanted) else 2
        return place, path.rstrip("/").count("/")

    return sorted((path for path in paths if wanted in path.lower()), key=rank)
