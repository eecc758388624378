"""Texts in a command that may be lines for a shell: values of flags, settings, strings in other languages."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from text_agent.lazy_regex import late_pattern
from text_agent.permissions.command_lines.danger_table import INTERPRETERS, RUNNING_FLAGS
from text_agent.permissions.command_lines.lines import Command
from text_agent.permissions.command_lines.programs import program_of

# What may stand before a line in a value: `exec=rm x`, `ProxyCommand=nc`, `+!ls`, `|lesspipe`.
_BEFORE_LINE = late_pattern(r"(?:exec=|\w*Command=|[+:|!])+")
# Variables that name a program which others run.
_RUNNING_NAME = late_pattern(
    r"(?:\w*(?:PAGER|EDITOR|BROWSER|COMMAND|_CMD|_RSH|ASKPASS)|GIT_\w+|LESS(?:OPEN|CLOSE)|VISUAL)="
)
_DECLARING = frozenset({"declare", "export", "local", "readonly", "typeset"})
# Commands of git's that take lines among their words.
_GIT_TAKING = frozenset({"bisect", "difftool", "mergetool", "rebase", "submodule"})
# Programs whose words with a plus sign are commands of theirs.
_PLUS = frozenset({"ex", "less", "more", "nvim", "vi", "view", "vim"})
_RUNS = late_pattern(r"system|popen|exec|spawn|subprocess|`|%x|\bsh\b|\|\s*[\"']")
_STRING = late_pattern(r"'([^'\n]*)'|\"([^\"\n]*)\"|`([^`\n]*)`")


def perhaps_lines(command: Command) -> Iterator[str]:
    """The texts, without what stands before the line in them; most are none."""
    program, texts = program_of(command), [word.text for word in command.words[1:]]
    found = list(_settings(command))
    found += _values_of(RUNNING_FLAGS.get(program, ()), texts)
    if program in _PLUS:
        found += [text for text in texts if text.startswith("+")]
    if program == "git":
        found += [after.partition("=")[2] for before, after in itertools.pairwise(texts) if before == "-c"]
        found += [text for text in texts if " " in text and _GIT_TAKING.intersection(texts)]
    if program in INTERPRETERS:
        found += [string for text in texts if _RUNS.search(text) for string in _strings(text)]
    yield from (_BEFORE_LINE.sub("", text, count=1) for text in found if " " in text)


def _settings(command: Command) -> Iterator[str]:
    words = command.words[1:] if program_of(command) in _DECLARING else command.assignments
    yield from (word.text.partition("=")[2] for word in words if _RUNNING_NAME.match(word.text))


def _values_of(flags: tuple[str, ...], texts: list[str]) -> Iterator[str]:
    yield from (after for before, after in itertools.pairwise(texts) if before in flags)
    for text in texts:
        for flag in flags:
            if text.startswith(f"{flag}=" if flag.startswith("--") else flag):
                yield text[len(flag) :].removeprefix("=")


def _strings(code: str) -> Iterator[str]:
    """The strings in a program, at whatever quotes."""
    for found in _STRING.finditer(code):
        yield next(filter(None, found.groups()), "")
