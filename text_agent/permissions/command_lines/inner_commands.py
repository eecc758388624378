"""All commands of a line: those that it gives to shells, and to programs that run others, too."""

from __future__ import annotations

import contextlib
import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from text_agent.lazy_regex import late_pattern
from text_agent.permissions.command_lines.lines import parse_line
from text_agent.permissions.command_lines.programs import PROGRAMS, Told, is_code, tell
from text_agent.permissions.command_lines.words import UnreadableLineError, Word

# Lines within lines within lines (`sh -c "sh -c '...'"`), and commands of one line: more is a trick.
_MAX_DEPTH = 8
_MAX_COMMANDS = 1000
# Flags behind which programs that look for files name one to run.
EXECUTING_FLAGS = frozenset({"-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"})
_GIT_ALIAS = late_pattern(r"alias\.\S+?=(.*)", re.DOTALL)
_SPLIT_FLAG = late_pattern(r"-\w*S|--split-string=")
_ASSIGNMENT_OR_NUMBER = late_pattern(r"\w+=.*|[\d.]+[smhd]?", re.DOTALL)
# What may stand before a line in a value: `exec=rm x`, `ProxyCommand=nc`, `+!ls`, `|lesspipe`.
_BEFORE_LINE = late_pattern(r"(?:exec=|\w*Command=|[+:|!])+")
# Variables that name a program which others run.
_RUNNING_NAME = late_pattern(
    r"(?:\w*(?:PAGER|EDITOR|BROWSER|COMMAND|_CMD|_RSH|ASKPASS)|GIT_\w+|LESS(?:OPEN|CLOSE)|VISUAL)="
)
_DECLARING = frozenset({"declare", "export", "local", "readonly", "typeset"})
# Commands of git's that take lines among their words.
_GIT_TAKING = frozenset({"bisect", "difftool", "mergetool", "rebase", "submodule"})
_RUNS = late_pattern(r"system|shell|popen|exec|spawn|subprocess|`|%x|\bsh\b|\|\s*[\"']")
# What an editor's script, and a recipe of make's, gives to a shell.
_IN_SCRIPT = late_pattern(r"(?:(?:^|[\s;{}\d$/!])e\s+|!)(.+)", re.MULTILINE)
_BEFORE_RECIPE = " \t@+-"
_STRING = late_pattern(r"'([^'\n]*)'|\"([^\"\n]*)\"|`([^`\n]*)`")

Aliases = Callable[[str], str | None]


def all_commands(text: str, aliases: Aliases = lambda _: None) -> list[Told]:
    """Every command of a line, at whatever depth; `aliases` says what an unknown command of git's stands for.

    Raises `UnreadableLineError`: a part of it cannot be read, or there are too many.
    """
    found = _Finder(aliases).commands(text, 0, piped=False)
    commands = list(itertools.islice(found, _MAX_COMMANDS + 1))
    if len(commands) > _MAX_COMMANDS:
        raise UnreadableLineError("it has too many commands")
    return commands


class _Finder:
    def __init__(self, aliases: Aliases) -> None:
        self._aliases = aliases

    def commands(self, text: str, depth: int, *, piped: bool, fed: bool = False) -> Iterator[Told]:
        for command in parse_line(text, piped=piped).commands:
            yield from self._with_inner(tell(command, fed=fed), depth)

    def _with_inner(self, told: Told, depth: int) -> Iterator[Told]:
        if depth > _MAX_DEPTH:
            raise UnreadableLineError("it is nested too deeply")
        yield told
        command, fed = told.command, told.fed or told.row.eats
        for text in (*_lines_given_by(told), *self._stands_for(told)):
            yield from self.commands(text, depth + 1, piped=command.piped, fed=fed)
        for text in _perhaps_lines(told):
            with contextlib.suppress(UnreadableLineError):
                yield from self.commands(text, depth + 1, piped=False)
        for words in _started_by(told):
            inner = replace(command, words=words, redirections=())
            yield from self._with_inner(tell(inner, fed=fed), depth + 1)

    def _stands_for(self, told: Told) -> Iterator[str]:
        """The line for which an alias of git's stands."""
        if told.program != "git":
            return
        given = [found[1] for word in told.before if (found := _GIT_ALIAS.match(word.text))]
        name = told.name.partition(" ")[2]
        if name and name not in told.top.commands and not given:
            given = list(filter(None, [self._aliases(name)]))
        yield from (text[1:] if text.startswith("!") else f"git {text}" for text in given)


def _lines_given_by(told: Told) -> Iterator[str]:
    if told.row.language == "shell":
        if is_code(told):
            yield from (text for text in told.texts if not text.startswith("-"))
        yield from documents(told)
    elif told.row.language == "line":
        yield " ".join(told.texts)
    elif told.row.wraps:
        yield from (_SPLIT_FLAG.sub("", text) for text in told.texts if " " in text.strip())
    elif told.program == "alias":
        yield from (text.partition("=")[2] for text in told.texts)


def documents(told: Told) -> Iterator[str]:
    """The texts that a command gets from the line as its input."""
    yield from (each.target.text for each in told.command.redirections if each.operator in ("<<", "<<<"))


def _started_by(told: Told) -> Iterator[tuple[Word, ...]]:
    """The words that may be the command that another one starts.

    What follows a flag is its value, or that program: nobody knows all the flags.
    """
    if told.row.finds:
        yield from (told.words[at:] for at, text in enumerate(told.texts[:-1], 1) if text in EXECUTING_FLAGS)
    own_words = -1 if told.row.starts is None else told.row.starts
    for before, (at, text) in itertools.pairwise([(-1, ""), *enumerate(told.texts)]):
        if own_words < 0:
            return
        if text.startswith("-") or _ASSIGNMENT_OR_NUMBER.fullmatch(text):
            continue
        yield told.words[at:]
        own_words -= not before[1].startswith("-")


def _perhaps_lines(told: Told) -> Iterator[str]:
    """Texts that may be lines, without what stands before the line in them; most are none."""
    texts = told.texts
    found = [*_settings(told), *_values_of(told.row.lines.split("|"), texts)]
    if told.program == "git":
        found += [word.text.partition("=")[2] for word in told.before]
        found += [text for text in texts if " " in text and told.name.split()[-1] in _GIT_TAKING]
    if told.row.language == "code":
        running = [list(_strings(text)) for text in texts if _RUNS.search(text)]
        # A program may be given its words one by one.
        found += [line for strings in running for line in (*strings, *_joined(strings))]
    yield from (_BEFORE_LINE.sub("", text, count=1) for text in found if " " in text)
    given = [*texts, *documents(told)]
    if told.row.language == "editor":
        yield from (line for text in given for line in _IN_SCRIPT.findall(text))
    elif told.row.language == "recipes":
        yield from (line.lstrip(_BEFORE_RECIPE) for text in given for line in re.split("[;\n]", text))
    elif told.row.lines and not told.row.is_harmless:
        yield from documents(told)


def _settings(told: Told) -> Iterator[str]:
    words = told.words if told.program in _DECLARING else told.command.assignments
    yield from (word.text.partition("=")[2] for word in words if _RUNNING_NAME.match(word.text))


def _values_of(flags: list[str], texts: list[str]) -> Iterator[str]:
    yield from (after for before, after in itertools.pairwise(texts) if before in flags)
    for text, flag in itertools.product(texts, filter(None, flags)):
        if text.startswith(f"{flag}=" if flag.startswith("--") else flag):
            yield text[len(flag) :].removeprefix("=")


def _joined(words: list[str]) -> Iterator[str]:
    """The lines of which the words may be those, with a known program at the beginning."""
    yield from (" ".join(words[at:]) for at, word in enumerate(words) if word in PROGRAMS)


def _strings(code: str) -> Iterator[str]:
    for found in _STRING.finditer(code):
        yield next(filter(None, found.groups()), "")
