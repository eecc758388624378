"""What a command line meets where it runs: the workspace, its secrets, the programs, the user's git."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from text_agent.files.secret_names import has_secret_name
from text_agent.files.secrets import Secrets
from text_agent.lazy_regex import late_pattern
from text_agent.permissions.command_lines.words import Word

# File names that one pattern is looked at for; a pattern with more asks.
_MAX_NAMES = 1000
# What may stand before a path in one word: `--file=.env`, `if=.env`, `HEAD:.env`, `@.env`.
_SEPARATORS = late_pattern(r"[=:@,]")
# A flag with one letter, and its value in the same word: `-d.git`.
_SHORT_FLAG = late_pattern(r"-\w.")
_ANSI_STRING = late_pattern(r"\$'((?:[^'\\]|\\.)*)'", re.DOTALL)
_ESCAPE = late_pattern(r"\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,6}|[0-7]{1,3}|.)", re.DOTALL)
_SIGNS = dict(zip("ntreEabfv", "\n\t\r\x1b\x1b\a\b\f\v", strict=True))
# What stands for a variable that is not set, or that is.
_DEFAULT = late_pattern(r"\$\{\w+(?:\[[^]]*\])?:?[-=+]([^{}]*)\}")
_ALTERNATIVES = late_pattern(r"\{([^{}]*,[^{}]*|[^{}]*\.\.[^{}]*)\}")
# Texts that one word is looked at for; nobody means more.
_MAX_TEXTS = 100
_SPECIAL = late_pattern(r"[*?]+|\[\w+\]|[\[\]{].*", re.ASCII)
_PLAIN = late_pattern(r"(?:[^*?\[\](){}|\\]|\*(?!\*)|\?(?!\()|\[[a-zA-Z0-9_]+\])*", re.ASCII)

GitSettings = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a command line meets where it runs."""

    root: Path  # the workspace, links resolved; commands start there
    secrets: Secrets  # its secret files
    # Where a program of some name is, as the shell would find it; None for nowhere.
    find_program: Callable[[str], str | None]
    # The values of git's settings by name, all in small letters; None if git cannot tell.
    git_settings: Callable[[], GitSettings | None]
    # Whether git knows a secret file of the workspace, now or from its history.
    tracks_secrets: Callable[[], bool]
    hides_secrets: bool = False  # a sandbox keeps secret files from commands
    is_posix: bool = True  # the shell is one that this package can read
    # Whether some files hold what no commit does, and what is older than this session.
    is_unsaved: Callable[[Sequence[str]], bool] = lambda _: False

    def is_outside(self, text: str) -> bool:
        """Whether a path leads out of the workspace."""
        return not self._resolve(text).is_relative_to(self.root)

    def is_folder(self, text: str) -> bool:
        """Whether a path is that of a folder of the workspace."""
        return not self.is_outside(text) and self._resolve(text).is_dir()

    def is_secret(self, text: str) -> bool:
        """Whether a path, or the file that a link of this name leads to, is secret."""
        return has_secret_name(text) or (self.is_there(text) and self.secrets.is_secret(self._resolve(text)))

    def is_there(self, text: str) -> bool:
        """Whether there is a file, a folder or a link of this name."""
        return os.path.lexists(self.root / text)

    def expand(self, word: Word) -> Iterator[str]:
        """The word, and the file names that a shell may take it for."""
        for text in texts_of(word):
            yield text
            if word.glob >= 0 or (word.computed and text != word.text):
                yield from itertools.islice(_names_of(text, self.root), _MAX_NAMES)

    def paths_of(self, words: Iterable[Word]) -> Iterator[str]:
        """The words' texts, and what in them may be a path of its own."""
        for text in (text for word in words for text in self.expand(word)):
            yield text
            if _SHORT_FLAG.match(text):
                yield text[2:]
            yield from (part for part in _SEPARATORS.split(text) if part and part != text)

    def real_name(self, text: str) -> str:
        """What a path leads to, links resolved: relative to the workspace if it lies there; with `/`."""
        path = self._resolve(text)
        return (path.relative_to(self.root) if path.is_relative_to(self.root) else path).as_posix()

    def has_too_many_names(self, word: Word) -> bool:
        """Whether a pattern fits more files than are looked at."""
        return sum(1 for _ in self.expand(word)) > _MAX_NAMES

    def secrets_below(self, places: Sequence[str], *, hidden: bool = True) -> Iterator[Path]:
        """The secret files in folders of the workspace that no sandbox hides.

        Without `hidden`, only those of which no dot, from these folders on, hides the name.
        """
        for folder in map(self._resolve, places or (".",)):
            named = () if self.hides_secrets else self.secrets.files(folder)
            for path in itertools.chain(named, self.secrets.keys(folder)):
                if hidden or not any(part.startswith(".") for part in path.relative_to(folder).parts):
                    yield path

    def links_below(self, places: Sequence[str]) -> Iterator[str]:
        """The links in folders of the workspace."""
        for place in places:
            for parent, folders, files in os.walk(self._resolve(place)):
                paths = (os.path.join(parent, name) for name in (*folders, *files))  # noqa: PTH118 - many
                yield from filter(os.path.islink, paths)

    def git_alias(self, name: str) -> str | None:
        """What git's settings say that a command of this name stands for."""
        values = (self.git_settings() or {}).get(f"alias.{name.lower()}", ())
        return values[-1] if values else None

    def _resolve(self, text: str) -> Path:
        return Path(os.path.realpath(self.root / text))


def texts_of(word: Word) -> Iterator[str]:
    """The word's own text, and what quotes of the form `$'...'`, defaults of variables and braces make of it.

    What a sequence in braces gives is written as the pattern `*`.
    """
    yield word.text
    if not word.computed:
        return
    waiting, count = [_ANSI_STRING.sub(_decoded, word.text)], 0
    while waiting and count < _MAX_TEXTS:
        text, count = waiting.pop(), count + 1
        if default := _DEFAULT.search(text):
            waiting.append(text[: default.start()] + default[1] + text[default.end() :])
        elif found := _ALTERNATIVES.search(text):
            alternatives = found[1].split(",") if "," in found[1] else ["*"]
            waiting += [text[: found.start()] + each + text[found.end() :] for each in alternatives]
        elif text != word.text:
            yield text


def is_plain_pattern(word: Word) -> bool:
    """Whether all shells read the patterns in a word alike."""
    return word.bare and _PLAIN.fullmatch(word.text) is not None


def _names_of(text: str, root: Path) -> Iterator[str]:
    """The files that some shell may take a pattern for, as paths from `root` if it is one from there.

    Shells read patterns in different ways, by their options and the user's language: all of them count.
    """
    start = "/" if text.startswith("/") else ""
    yield from _names(start, [part for part in text.split("/") if part], root)


def _names(before: str, parts: Sequence[str], root: Path) -> Iterator[str]:
    if not parts:
        yield before
        return
    part, rest = parts[0], parts[1:]
    found = [part] if not _SPECIAL.search(part) else sorted(_fitting(part, root / before))
    for name in found:
        if os.path.lexists(root / before / name):
            yield from _names(f"{before}{name}" + ("/" if rest else ""), rest, root)


def _fitting(part: str, folder: Path) -> list[str]:
    """The names in a folder that fit a part of a pattern; a dot at the beginning must be written."""
    pieces = [re.escape(piece) for piece in _SPECIAL.split(part)]
    fits = re.compile(".*".join(pieces), re.DOTALL)
    try:
        names = os.listdir(folder)  # noqa: PTH208 - the folder may be no path that Python takes
    except (OSError, ValueError):
        return []
    return [name for name in names if (part[0] == "." or name[0] != ".") and fits.fullmatch(name)]


def _decoded(string: re.Match[str]) -> str:
    return _ESCAPE.sub(lambda found: _sign(found[1]), string[1]).replace("\0", "")


def _sign(text: str) -> str:
    if text[0] in "xuU" and len(text) > 1:
        return chr(min(int(text[1:], 16), 0x10FFFF))
    return chr(int(text, 8) & 0xFF) if text[0] in "01234567" else _SIGNS.get(text, text)
