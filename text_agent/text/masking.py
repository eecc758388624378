"""Takes the user's keys out of every text that leaves: to the model, the screen, a file or a log."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass, replace
from functools import cached_property
from typing import Any, TextIO

from text_agent.errors import TextAgentError
from text_agent.events import EventSink
from text_agent.text.escaped import MOST_ESCAPED_CHARS, EscapedText, encoded_forms

MASK = "[key]"
# A shorter key, such as `none` or `ollama` for a server that needs no key, stands in texts for other reasons.
_MIN_CHARS = 12


class Masker:
    """Masks some keys, in every form in which programs write them; without any, every text stays as it is."""

    def __init__(self, keys: Iterable[str] = (), *, shortest: int = _MIN_CHARS) -> None:
        """`shortest`: how many characters a text must have to be taken for a key."""
        self._keys = sorted({key for key in keys if len(key) >= shortest}, key=len, reverse=True)

    def __call__(self, text: str) -> str:
        """The text, with a mark where a key stood."""
        parts, done = [], 0
        for start, end in self._spans(text):
            parts += [text[done:start], MASK]
            done = end
        return "".join([*parts, text[done:]]) if parts else text

    def learn(self, keys: Iterable[str]) -> None:
        """Masks these keys as well from now on."""
        known = vars(self.with_keys(keys))
        vars(self).clear()
        vars(self).update(known)

    def with_keys(self, keys: Iterable[str], *, shortest: int = _MIN_CHARS) -> Masker:
        """A masker that masks other keys as well."""
        return Masker([*self._keys, *keys], shortest=shortest)

    def values(self, text: str) -> list[str]:
        """What a mark stands for in a text, and the marks that stand in it by themselves, in order."""
        spans = [*self._spans(text), *(match.span() for match in re.finditer(re.escape(MASK), text))]
        return [text[start:end] for start, end in sorted(spans)]

    def begun(self, text: str) -> int:
        """How many characters at the end of a text may be the beginning of a key."""
        longest = min(len(text), MOST_ESCAPED_CHARS * len(self._keys[0])) if self._keys else 0
        ends = (length for length in range(longest, 0, -1))
        return next((length for length in ends if self._begins(text[-length:])), 0)

    def _begins(self, text: str) -> bool:
        return any(literal.startswith(text) for literal in self._literals) or any(
            key.may_begin(text) for key in self._escaped
        )

    def _spans(self, text: str) -> list[tuple[int, int]]:
        """Where keys stand in a text, in order; where two overlap, they are one."""
        if not self._keys:
            return []
        found = [match.span() for match in self._pattern.finditer(text)]
        merged: list[tuple[int, int]] = []
        for start, end in sorted([*found, *(span for key in self._escaped for span in key.spans(text))]):
            if merged and start < merged[-1][1]:
                merged[-1] = (merged[-1][0], max(merged[-1][1], end))
            else:
                merged.append((start, end))
        return merged

    @cached_property
    def _literals(self) -> list[str]:
        literals = {*self._keys, *(form for key in self._keys for form in encoded_forms(key))}
        return sorted(literals, key=len, reverse=True)

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile("|".join(map(re.escape, self._literals)))

    @cached_property
    def _escaped(self) -> list[EscapedText]:
        return [EscapedText(key) for key in self._keys]


class StreamMasker:
    """Masks a text that comes in pieces, with a key perhaps in two of them."""

    def __init__(self, mask: Masker) -> None:
        self._mask = mask
        self._held = ""

    def feed(self, piece: str) -> str:
        """Returns what is certain so far."""
        text = self._mask(self._held + piece)
        held = self._mask.begun(text)
        self._held = text[len(text) - held :]
        return text[: len(text) - held]

    def finish(self) -> str:
        """Returns the rest."""
        rest, self._held = self._held, ""
        return rest


def mask_log(mask: Masker, stream: TextIO) -> None:
    """Lets the program's own log go to `stream`, without keys; only from warnings on."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(MaskingFormatter(mask))
    logging.getLogger("text_agent").handlers = [handler]


class MaskingFormatter(logging.Formatter):
    """Formats the program's own log, tracebacks included, without keys."""

    def __init__(self, mask: Masker) -> None:
        super().__init__("%(levelname)s: %(message)s")
        self._mask = mask

    def format(self, record: logging.LogRecord) -> str:
        """The record's text."""
        return self._mask(super().format(record))


@contextmanager
def masked_errors(mask: Masker) -> Iterator[None]:
    """Takes keys out of what goes wrong meanwhile: servers like to repeat the one that they refuse."""
    try:
        yield
    except TextAgentError as error:
        error.args = (mask(str(error)),)
        error.hint = mask(error.hint)
        raise


def mask_events(mask: Masker, sink: EventSink) -> EventSink:
    """Returns a sink that tells `sink` every event without keys: in each text, however deep it stands.

    The pieces of a reply come without them from the provider: a key may be in two of them. Raises
    `TypeError`: from the sink, for an event of which not every text is within reach.
    """
    return lambda event: sink(map_texts(event, mask))


def map_texts(value: Any, change: Callable[[str], str]) -> Any:
    """A value with every text in it changed, however deep it stands: in collections and in dataclasses.

    Raises `TypeError`: something in it is neither of these nor a number: a text in it would be passed over.
    """
    match value:
        case str():
            return change(value)
        case None | bool() | int() | float():
            return value
        case Mapping():
            return {map_texts(key, change): map_texts(each, change) for key, each in value.items()}
        case list() | tuple() | set() | frozenset():
            return type(value)(map_texts(each, change) for each in value)
    if is_dataclass(value) and not isinstance(value, type):
        given = {each.name: getattr(value, each.name) for each in fields(value) if each.init}
        return replace(value, **{name: map_texts(each, change) for name, each in given.items()})
    raise TypeError(f"no text can be changed in a {type(value).__name__}")
