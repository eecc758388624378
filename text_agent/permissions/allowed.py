"""The commands that the user has allowed for good: for the session, or for all sessions in one project."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from text_agent.errors import ConfigError
from text_agent.files.kept_file import KeptFile
from text_agent.files.problems import reason_of


@dataclass(slots=True)
class _Rules:
    commands: set[str] = field(default_factory=set)
    prefixes: set[str] = field(default_factory=set)

    def allow(self, command: str) -> bool:
        from text_agent.permissions.command_lines.assessment import (
            begins_with,  # large, and needed by the first command
        )

        return command in self.commands or any(begins_with(command, prefix) for prefix in self.prefixes)

    def lines(self, scope: str) -> list[str]:
        return [
            *(f"{scope}: {command}" for command in sorted(self.commands)),
            *(f"{scope}: {prefix} ..." for prefix in sorted(self.prefixes)),
        ]


class AllowedCommands:
    """What was allowed, in this session and, in a file of the user's, for this project."""

    def __init__(
        self, root: Path, file: Path | None = None, tell: Callable[[str], None] = lambda _: None
    ) -> None:
        """Reads what was allowed for the project `root` before. Raises `ConfigError`: `file` is unreadable.

        `file` has all projects' rules; None: only in this session. It is never in the project, where whoever
        changes the project's files could allow himself something. `tell` is told what cannot be remembered.
        """
        self._root = str(root)
        is_outside = file is not None and not file.resolve().is_relative_to(root)
        self._file = KeptFile(file, is_precious=True) if file and is_outside else None
        self._tell = tell
        self._session = _Rules()
        self._project = self._load()

    @property
    def lasts(self) -> bool:
        """Whether something can be remembered for the project."""
        return self._file is not None

    def allow(self, command: str) -> bool:
        """Whether a command was allowed."""
        return self._session.allow(command) or self._project.allow(command)

    def add(self, command: str, *, prefix: str = "", for_project: bool = False) -> None:
        """Allows a command, or all that begin with `prefix`."""
        rules = self._project if for_project else self._session
        if prefix:
            rules.prefixes.add(prefix)
        else:
            rules.commands.add(command)
        if for_project:
            self._save()

    def forget(self) -> None:
        """Takes back all that was allowed, for the project, too."""
        self._session = _Rules()
        if self._project.lines(""):
            self._project = _Rules()
            self._save()

    def lines(self) -> list[str]:
        """What is allowed, a line each, for the user."""
        return [*self._session.lines("this session"), *self._project.lines("this project")]

    def _load(self) -> _Rules:
        mine = self._read().get(self._root, {})
        return _Rules(set(mine.get("commands", ())), set(mine.get("prefixes", ())))

    def _save(self) -> None:
        if self._file is None:
            return
        rules = {"commands": sorted(self._project.commands), "prefixes": sorted(self._project.prefixes)}
        try:
            self._read()
            self._file.keep(self._root, rules)
        except ConfigError as error:
            self._tell(f"It holds for this session only: {error}")
        except OSError as error:
            self._tell(f"It holds for this session only: cannot write {self._file.path}: {reason_of(error)}.")

    def _read(self) -> Mapping[str, Mapping[str, list[str]]]:
        """The rules of all projects. Raises `ConfigError`: the file cannot be used, nor replaced."""
        if self._file is None:
            return {}
        why = "it does not hold lists of commands by folder, in JSON. Mend it or remove it"
        try:
            content = self._file.read()
        except OSError as error:
            raise ConfigError(f"cannot read {self._file.path}: {reason_of(error)}.") from error
        except (ValueError, RecursionError) as error:
            raise ConfigError(f"cannot read {self._file.path}: {why}.") from error
        if not all(map(_are_rules, content.values())):
            raise ConfigError(f"cannot read {self._file.path}: {why}.")
        return content


def _are_rules(entry: object) -> bool:
    return isinstance(entry, dict) and all(
        isinstance(texts, list) and all(isinstance(text, str) for text in texts) for texts in entry.values()
    )
