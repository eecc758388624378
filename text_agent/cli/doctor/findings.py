"""What an examination finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from text_agent.errors import ProviderError

Status = Literal["ok", "warning", "failed"]


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of one check.

    Attributes:
        status: `failed` if the agent cannot work with it.
        check: what was looked at, in a word.
        sentence: what was found.
        remedy: what the user can do about it; empty where there is nothing to be done.
    """

    status: Status
    check: str
    sentence: str
    remedy: str = ""

    @property
    def line(self) -> str:
        """The finding in one line."""
        words = f"{self.sentence} {self.remedy}".split()
        return f"{self.status:<8} {self.check + ':':<11} {' '.join(words)}"


def ok(check: str, sentence: str) -> Finding:
    """Returns that something works."""
    return Finding("ok", check, sentence)


def warning(check: str, sentence: str, remedy: str = "") -> Finding:
    """Returns that something works less well than it might."""
    return Finding("warning", check, sentence, remedy)


def failure(check: str, error: ProviderError, *, remedy: str = "") -> Finding:
    """What an error means that ends the examination."""
    return Finding("failed", check, _sentence(str(error)), remedy or error.hint)


def _sentence(text: str) -> str:
    """The text with a capital and a full stop, unless it begins with a URL."""
    head = text if text.startswith("http") else text[:1].upper() + text[1:]
    return head if head.endswith((".", "!", "?")) else f"{head}."
