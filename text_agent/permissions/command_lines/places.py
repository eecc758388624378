"""Where a line's commands may run, and what the words of it stand for there."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from text_agent.lazy_regex import late_pattern
from text_agent.permissions.command_lines.programs import Told
from text_agent.permissions.command_lines.surroundings import Surroundings
from text_agent.permissions.command_lines.words import Word

_VARIABLE = late_pattern(r"\$(?:\{(\w+)(?:\[[^\]]*\])?\}|(\w+|[@*]))")
_SUBSTITUTION = late_pattern(r"\$\(|`")
# The workspace as the beginning of a path, and a file that nobody had before.
_HERE = late_pattern(r"(?:\$\{?PWD\}?|\$\(pwd\)|`pwd`)/")
_NEW_FILE = late_pattern(r"\$\(mktemp\b[^)]*\)")
# What narrows a pattern of names: more than dots and what stands for anything.
_NARROW = late_pattern(r"[^\W_]")
_ANYTHING = late_pattern(r"\[[^\]]*\]|[*?./!]")
# Tests of `find` that narrow what it finds by name; with these words, nobody can tell.
_BY_NAME = ("-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex")
_UNSURE = frozenset({"-o", "-or", "-not", "!", ","})
# Flags of `find` that stand before the places where it looks.
_FINDERS_OWN = late_pattern(r"-[HLP]|-O\d?|--")


class Places:
    """Where a line's commands may run: a path leads out if it does so from one of the places."""

    def __init__(self, around: Surroundings, commands: Sequence[Told]) -> None:
        self.around = around  # where the line starts
        self._commands = commands
        self.folders = [around.root]  # where its commands may run
        for told in commands:
            self._follow(told)
        self._values = self._assigned()

    def lead_out(self, word: Word, *, or_all: bool) -> bool:
        """Whether a path may be outside the workspace; with `or_all`, or the workspace, or all in it."""
        if word.computed:
            return True
        # The folder before a pattern is known, and the names below it lie in it, unless they lead up.
        glob = word.glob if word.glob >= 0 else word.text.find("*")  # some programs read patterns themselves
        cut = len(word.text) if glob < 0 else word.text.rfind("/", 0, glob) + 1
        pattern = word.text[cut:]
        if ".." in pattern.split("/"):
            return True
        # `*.pyc` is some of the workspace, `*` is all of it.
        or_all = or_all and not _ANYTHING.sub("", pattern)
        root = self.around.root
        targets = [Path(os.path.realpath(folder / word.text[:cut])) for folder in self.folders]
        return any(not each.is_relative_to(root) or (or_all and each == root) for each in targets)

    def take_all(self, words: Sequence[Word]) -> bool:
        """Whether some paths together are all that lies in the workspace, hidden files aside."""
        if len(words) < 2 and not any(word.glob >= 0 or word.computed for word in words):
            return False
        named = {text.removeprefix("./").rstrip("/") for word in words for text in self.around.expand(word)}
        names = {path.name for path in self.around.root.iterdir() if not path.name.startswith(".")}
        return len(names) > 1 and names <= named

    def meant_by(self, words: Sequence[Word]) -> list[Word]:
        """The words, with what a variable among them has been set to in the line instead of it."""
        values = (value for word in words for value in self._values.get(_variable(word), [word]))
        return [_from_here(value) for value in values if not _NEW_FILE.fullmatch(value.text)]

    def are_fed(self, words: Sequence[Word]) -> bool:
        """Whether words stand for what other commands of the line print, or read."""
        feeds = any(told.row.eats or told.row.finds for told in self._commands)
        return any(
            word.computed and (_SUBSTITUTION.search(word.text) or (feeds and "$" in word.text))
            for word in words
        )

    def feed_all(self) -> bool:
        """Whether what the line's commands name may be all of the workspace, or outside of it."""
        listing = [told for told in self._commands if told.row.lists and not _narrows(told)]
        if any(map(self.lists_outside, listing)):
            return True
        if len(listing) < 2 and any(_narrows(told) for told in self._commands):
            return False
        return not listing or any(self.lists_all(told) for told in listing)

    def lists_outside(self, told: Told) -> bool:
        """Whether a command names files that lie outside."""
        places = [word for word in told.words if word.text.startswith(("/", "~", "..", "$"))]
        return told.program == "locate" or any(self.lead_out(word, or_all=False) for word in places)

    def lists_all(self, told: Told) -> bool:
        """Whether what a command names may be all of the workspace."""
        if told.row.finds:
            return self._finds_all(told)
        named = [word for word in told.operands() if self._is_path(word)]
        return not named or self._are_all(named)

    def _is_path(self, word: Word) -> bool:
        """Whether a word, or a part of it, names files; another one may be a commit, say."""
        return word.computed or "*" in word.text or any(map(self.around.is_there, word.text.split()))

    def _are_all(self, words: Sequence[Word]) -> bool:
        return any(self.lead_out(word, or_all=True) for word in words) or self.take_all(words)

    def _finds_all(self, told: Told) -> bool:
        """Whether a finder looks through all of the workspace, and for all names."""
        places = places_of(told)
        return finds_any_name(told) and (not places or self._are_all(places))

    def _assigned(self) -> dict[str | None, list[Word]]:
        """What the line sets variables to: in an assignment, and for a loop."""
        values: dict[str | None, list[Word]] = {}
        for told in self._commands:
            for word in told.command.assignments:
                name, _, value = word.text.partition("=")
                values.setdefault(name, []).append(_part(word, value))
            if told.program == "for" and told.texts[1:2] == ["in"]:
                values.setdefault(told.texts[0], []).extend(told.words[2:])
            # `read x`, `mapfile x`: what else it has been set to is no longer all that it may be.
            for word in told.words if told.row.eats else ():
                values.setdefault(word.text, []).append(replace(word, text=f"${word.text}", computed=True))
        return values

    def _follow(self, told: Told) -> None:
        """Notes where a `cd` may lead to; where nobody can say, to the root of the disk."""
        if told.program in ("cd", "pushd"):
            is_known = len(told.words) == 1 and not told.words[0].computed and told.texts != ["-"]
            self.folders.append(self.folders[-1] / told.texts[0] if is_known else Path("/"))
        elif told.program == "env" and any(text.startswith(("-C", "--")) for text in told.texts):
            self.folders.append(Path("/"))


def places_of(told: Told) -> list[Word]:
    """The folders in which `find` looks."""
    if told.program != "find":
        return []
    words = [word for word in told.words if not _FINDERS_OWN.fullmatch(word.text)]
    return list(itertools.takewhile(lambda word: not word.text.startswith(("-", "(", "!")), words))


def finds_any_name(told: Told) -> bool:
    """Whether a finder is told of no names, or of any."""
    pairs = list(itertools.pairwise(("", *told.texts)))
    if told.program == "find":
        names = (
            ["empty"] if "-empty" in told.texts else [text for before, text in pairs if before in _BY_NAME]
        )
        return not any(map(_is_narrow, names)) or bool(_UNSURE.intersection(told.texts))
    # A word behind a flag may be its value.
    patterns = [text for before, text in pairs if not before.startswith("-") and not text.startswith("-")]
    return not any(map(_is_narrow, patterns[:1]))


def _is_narrow(pattern: str) -> bool:
    """Whether a pattern of names says more than that there are some."""
    return _NARROW.search(_ANYTHING.sub("", pattern)) is not None


def _narrows(told: Told) -> bool:
    """Whether a command lets only some of the names that it reads through."""
    if told.program not in ("grep", "egrep", "fgrep", "rg") or not told.command.piped:
        return False
    patterns = [text for text in told.texts if not text.startswith("-")][:1]
    is_inverted = any(re.match(r"-\w*v|--inv", text) for text in told.texts)
    return not is_inverted and any(map(_is_narrow, patterns))


def _variable(word: Word) -> str | None:
    found = _VARIABLE.fullmatch(word.text) if word.computed else None
    return (found[1] or found[2]) if found else None


def _from_here(word: Word) -> Word:
    """The word, with a path that begins with the workspace's name as one from there."""
    found = _HERE.match(word.text) if word.computed else None
    rest = word.text[found.end() :] if found else "$"
    return word if "$" in rest or "`" in rest else replace(_part(word, rest), computed=False)


def _part(word: Word, text: str) -> Word:
    """The end of a word as a word of its own."""
    cut = len(word.text) - len(text)
    glob = next((at for at, char in enumerate(text) if char in "*?["), -1) if word.glob >= cut else -1
    return Word(text, word.end, word.computed, glob, word.bare)
