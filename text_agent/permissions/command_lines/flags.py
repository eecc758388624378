"""How programs read their flags, where not all of them are known."""

from __future__ import annotations

from collections.abc import Sequence

from text_agent.permissions.command_lines.words import Word


def means(text: str, flag: str) -> bool:
    """Whether a text is a long flag, which programs take in shortened forms, too."""
    name = text.partition("=")[0]
    return len(name) > 2 and name.startswith("--") and flag.startswith(name)


def has_letter(text: str, letters: str) -> bool:
    """Whether a text is a group of short flags with one of `letters` among them."""
    return text.startswith("-") and not text.startswith("--") and any(char in text for char in letters)


def split_flags(words: Sequence[Word]) -> tuple[list[str], list[Word]]:
    """The flags among words, and what is none; behind `--` there are no flags."""
    end = next((at for at, word in enumerate(words) if word.text == "--"), len(words))
    flags = [word.text for word in words[:end] if word.text.startswith("-")]
    operands = [word for word in words[:end] if not word.text.startswith("-")]
    return flags, [*operands, *words[end + 1 :]]
