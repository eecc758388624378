"""What git may lose that cannot be brought back."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from text_agent.permissions.command_lines.danger_table import DANGEROUS_GIT, GIT_VALUE_FLAGS
from text_agent.permissions.command_lines.flags import has_letter, means
from text_agent.permissions.command_lines.lines import Command
from text_agent.permissions.command_lines.programs import program_of
from text_agent.permissions.command_lines.words import Word


def find_git_danger(command: Command, root: Path) -> str | None:
    """What a command of git may lose, or None."""
    if program_of(command) != "git":
        return None
    words = after_globals(command.words[1:])
    if not words:
        return None
    if words[0].computed:
        return "hides which command of git it runs"
    name, texts = words[0].text, [word.text for word in words[1:]]
    is_hidden = name in ("push", "reset", "checkout") and any(word.computed for word in words[1:])
    if is_hidden or _loses(name, texts, root):
        return f"may lose work for good (git {name})"
    return None


def after_globals(words: Sequence[Word]) -> Sequence[Word]:
    """The words behind git's own flags: its command first."""
    at = 0
    while at < len(words) and words[at].text.startswith("-"):
        at += 2 if words[at].text in GIT_VALUE_FLAGS else 1
    return words[at:]


def _loses(name: str, texts: Sequence[str], root: Path) -> bool:
    if name == "clean":
        return not _is_dry(texts)
    if name == "restore":
        only_staged = any(text in ("-S", "--staged") for text in texts)
        return not only_staged or any(text in ("-W", "--worktree") for text in texts)
    if name == "checkout" and not {"-b", "-B", "--orphan"} & set(texts) and _names_file(texts, root):
        return True
    if name == "push" and any(text.startswith(("+", ":")) for text in texts):
        return True
    marks = DANGEROUS_GIT.get(name)
    return marks is not None and (not marks or any(_fits(text, mark) for text in texts for mark in marks))


def _is_dry(texts: Sequence[str]) -> bool:
    """Whether `git clean` is told only to say what it would do; what follows `-e` is its value."""
    flags = texts[: texts.index("--")] if "--" in texts else texts
    if any(re.fullmatch(r"-\w*e|--exclude", text) for text in flags):
        return False
    letters = "".join(text.partition("e")[0] for text in flags if has_letter(text, "n"))
    return "n" in letters or any(means(text, "--dry-run") for text in flags)


def _names_file(texts: Sequence[str], root: Path) -> bool:
    """Whether one of the words may be a file, or a pattern of files, and not a branch."""
    names = [text for text in texts if not text.startswith("-")]
    return any(text.startswith(":") or "*" in text or os.path.lexists(root / text) for text in names)


def _fits(text: str, mark: str) -> bool:
    if mark.startswith("--") and mark != "--":
        return means(text, mark)
    if mark.startswith("-") and mark != "--":
        return has_letter(text, mark[1:])
    return text == mark
