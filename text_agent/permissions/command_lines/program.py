"""The form of the table of programs: one row says what is known of a program, or of a command of one.

Whoever decides about a command asks its row, and nothing else; a program without a row may do anything.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

Operands = Literal["paths", "pattern and paths", "text"]
Style = Literal["cluster", "alone", "next"]
Language = Literal["", "shell", "line", "code", "editor", "recipes"]


@dataclass(frozen=True, slots=True)
class Program:
    """One row. Where phrases of its arguments are written, `says` reads them."""

    # Told nothing but these, as `options` describes them, it only reads; None: nobody knows.
    flags: str | None = None
    # How short flags are written: several letters in a word (`cluster`), each in a word of its own (`alone`),
    # or in a word, with their values in the words behind it (`next`).
    style: Style = "cluster"
    operands: Operands = "paths"  # what the words are that belong to no flag
    pattern: str = ""  # a regular expression for the pattern, or the script, that is the first operand
    never: str = ""  # a regular expression for operands, and flags with their values, with which it does more
    needs: str = ""  # flags one of which must be there for it to only read
    # How many operands it may have to only read; a further one would be written to, or set something.
    most: int | None = None
    shows: bool = True  # it shows what is in files, not only that they are there
    deep: str = ""  # flags with which it reads all files of a folder; `*` where it always does
    follows: bool = False  # in a folder, it reads what links lead to, too
    skips_hidden: bool = False  # in a folder, it reads no hidden file
    lists: bool = False  # it prints names of files, which others may be given
    added: str = ""  # words behind its name that keep it, when it reads, from running other programs
    built_in: bool = False  # shells have it built in: no program of this name is looked for
    # The operands that it may write to; `told`: what it is told to.
    writes: Literal["", "all", "last", "told"] = ""
    loses: bool = False  # what these held before is lost
    deletes: Literal["", "all", "sources"] = ""  # the operands that it deletes, or moves away
    packs: str = ""  # flags with which it takes whole folders into a copy; `*` where it always does
    unpacks: str = ""  # phrases with which it writes files that an archive names
    # How many words of its own stand before the command that it starts; None if it starts none.
    starts: int | None = None
    finds: bool = False  # it looks for files, and gives them to the program behind a flag such as `-exec`
    eats: bool = False  # it gives what it reads from its input to the program that it starts, or to the shell
    language: Language = ""  # what the texts are written in that it runs
    lines: str = ""  # flags whose values are command lines; `+`: words with a plus sign are
    fetches: bool = False  # it downloads
    ends: Literal["", "named", "numbered"] = ""  # it ends programs: `named` ones, or `numbered` ones
    mounts: str = ""  # flags that give a container something of the machine
    # What it does for good, by the phrases that make it do so; the empty one: always.
    dangers: Mapping[str, str] = field(default_factory=dict)
    powers: str = ""  # phrases with which it sets up what other programs run later
    secrets: str = ""  # phrases with which it prints secrets of its own or of other programs
    many_sided: bool = False  # it does many things: its name alone says nothing
    options: str = ""  # flags that may stand before the name of one of its commands
    commands: Mapping[str, Program] = field(default_factory=dict)  # the commands that it has

    @property
    def is_harmless(self) -> bool:
        """Whether it changes no file, whatever it is told."""
        return self.flags is not None and not self.writes and not self.needs

    @property
    def wraps(self) -> bool:
        """Whether all that it does is to run another program."""
        return self.starts is not None and not self.many_sided


def table(rows: Mapping[str, Program]) -> dict[str, Program]:
    """Returns the rows by the name of a program: each may be for several, with blanks between their names."""
    return {name: row for names, row in rows.items() for name in names.split()}


def says(texts: Sequence[str], phrases: str) -> bool:
    """Whether a program's arguments say one of some phrases, between which `|` stands.

    A phrase is some flags, wherever they stand, in the forms that programs take, and the first words that are
    no flags, or behind `*` words at any place. The empty phrase is said always. Behind `~` there is one
    regular expression instead.
    """
    if phrases.startswith("~"):
        return re.search(phrases[1:], " ".join(texts)) is not None
    return any(_says(texts, phrase.split()) for phrase in phrases.split("|"))


def _says(texts: Sequence[str], phrase: Sequence[str]) -> bool:
    if not all(has_flag(texts, word) for word in phrase if word.startswith("-")):
        return False
    wanted = [word for word in phrase if not word.startswith("-")]
    if wanted[:1] == ["*"]:
        return set(wanted[1:]) <= set(texts)
    return any(words[: len(wanted)] == wanted for words in _without_flags(texts))


def has_flag(texts: Sequence[str], flag: str) -> bool:
    """Whether a flag is among some arguments: in a group of letters, or in one of its shortened forms."""
    if flag == "--" or len(flag) == 1 or (len(flag) > 2 and not flag.startswith("--")):
        return flag in texts
    if flag.startswith("--"):
        return any(means(text, flag) for text in texts)
    return any(has_letter(text, flag[1]) for text in texts)


def means(text: str, flag: str) -> bool:
    """Whether a text is a long flag, which programs take in shortened forms, too."""
    name = text.partition("=")[0]
    return len(name) > 2 and name.startswith("--") and flag.startswith(name)


def has_letter(text: str, letters: str) -> bool:
    """Whether a text is a group of short flags with one of `letters` among them."""
    return text.startswith("-") and not text.startswith("--") and any(char in text for char in letters)


def _without_flags(texts: Sequence[str]) -> tuple[list[str], list[str]]:
    """The arguments without flags, with or without those behind flags, which may be values of theirs."""
    flags = [text.startswith(("-", "+")) for text in texts]
    behind = [False, *flags[:-1]]
    plain = [text for text, is_flag in zip(texts, flags, strict=True) if not is_flag]
    return plain, [text for text, *marks in zip(texts, flags, behind, strict=False) if not any(marks)]
