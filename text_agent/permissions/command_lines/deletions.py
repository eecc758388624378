"""What in a line deletes, or changes rights, outside the workspace."""

from __future__ import annotations

import itertools
import os
from collections.abc import Sequence
from pathlib import Path

from text_agent.lazy_regex import late_pattern
from text_agent.permissions.command_lines.danger_table import FINDERS
from text_agent.permissions.command_lines.flags import has_letter, means, split_flags
from text_agent.permissions.command_lines.lines import Command
from text_agent.permissions.command_lines.programs import program_of
from text_agent.permissions.command_lines.words import Word

# Flags of `find` that stand before the places where it looks.
_FINDERS_OWN = late_pattern(r"-[HLP]|-O\d?|--")
_DELETING = frozenset({"rm", "rmdir", "shred", "unlink"})


class Places:
    """Where a line's commands may run: a path leads out if it does so from one of the places."""

    def __init__(self, root: Path, commands: Sequence[Command]) -> None:
        self.root = root
        self._folders = [root]
        for command in commands:
            self._follow(command)
        self.names_come_from_outside = any(map(self._lists_outside, commands))

    def lead_out(self, word: Word, *, or_all: bool) -> bool:
        """Whether a path may be outside the workspace; with `or_all`, or the workspace itself."""
        if word.computed:
            return True
        # The folder before a pattern is known, and the names below it lie in it, unless they lead up.
        cut = len(word.text) if word.glob < 0 else word.text.rfind("/", 0, word.glob) + 1
        pattern = word.text[cut:]
        if ".." in pattern.split("/"):
            return True
        # `*.pyc` is some of the workspace, `*` is all of it.
        or_all = or_all and not pattern.strip("*?./")
        targets = [Path(os.path.realpath(folder / word.text[:cut])) for folder in self._folders]
        return any(not each.is_relative_to(self.root) or (or_all and each == self.root) for each in targets)

    def _lists_outside(self, command: Command) -> bool:
        """Whether a command names files that lie outside, for another one to delete."""
        if program_of(command) not in (*FINDERS, "ls", "grep", "rg", "locate", "echo", "printf"):
            return False
        places = [word for word in command.words[1:] if word.text.startswith(("/", "~", "..", "$"))]
        return program_of(command) == "locate" or any(self.lead_out(word, or_all=False) for word in places)

    def _follow(self, command: Command) -> None:
        """Notes where a `cd` may lead to; where nobody can say, to the root of the disk."""
        program = program_of(command)
        if program in ("cd", "pushd"):
            target = command.words[-1]
            is_known = len(command.words) == 2 and not target.computed and target.text != "-"
            self._folders.append(self._folders[-1] / target.text if is_known else Path("/"))
        elif program == "env" and any(word.text.startswith(("-C", "--")) for word in command.words):
            self._folders.append(Path("/"))


def find_deletion(command: Command, places: Places) -> str | None:
    """What a command deletes, or changes, that lies outside the workspace."""
    program = program_of(command)
    flags, operands = split_flags(command.words[1:])
    deep = any(has_letter(flag, "rR") or means(flag, "--recursive") for flag in flags)
    if program in ("rm", "rmdir", "unlink", "trash"):
        # One computed name is a file like another; a computed folder may be any.
        suspects = [word for word in operands if deep or not word.computed]
        is_outside = any(places.lead_out(word, or_all=deep) for word in suspects)
        return "deletes outside the workspace, or all of it" if is_outside else None
    if program == "mv":
        known = [word for word in operands[:-1] if not word.computed or word.text.startswith(("~", "$HOME"))]
        is_outside = any(places.lead_out(word, or_all=True) for word in known)
        return "moves away what lies outside the workspace, or all of it" if is_outside else None
    if program in ("xargs", "parallel") and _DELETING.intersection(word.text for word in command.words):
        return "deletes what is named outside the workspace" if places.names_come_from_outside else None
    if program in ("chmod", "chown", "chgrp") and deep:
        is_outside = any(places.lead_out(word, or_all=False) for word in operands[1:])
        return "changes rights outside the workspace" if is_outside else None
    if program == "rsync" and any(flag.startswith("--del") for flag in flags):
        return "deletes what its source does not have"
    return _found_deletion(command, places) if program in FINDERS else None


def _found_deletion(command: Command, places: Places) -> str | None:
    texts = [word.text for word in command.words]
    if "-delete" not in texts and not _DELETING.intersection(texts):
        return None
    words = [word for word in command.words[1:] if not _FINDERS_OWN.fullmatch(word.text)]
    named = itertools.takewhile(lambda word: not word.text.startswith(("-", "(", "!")), words)
    is_outside = any(places.lead_out(word, or_all=False) for word in named)
    return "deletes outside the workspace" if is_outside else None
