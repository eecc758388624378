"""The user's config file as it is changed: as little as can be, so that its comments and its order stay."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from text_agent.config.sources import Found, Source, read_env_file
from text_agent.config.table import URL
from text_agent.config.user_file import (
    CONFIG_FILE,
    ENTRIES,
    ENV_FILE,
    Entry,
    UserFile,
    is_entry,
    meant,
    missing_profile,
    parse_user_file,
    read_user_file,
)
from text_agent.errors import ConfigError
from text_agent.files.atomic_write import write_atomically
from text_agent.files.problems import reason_of
from text_agent.text.sanitize import sanitize

TEMPLATE = """\
# Settings of text-agent, for you alone. Take the # away where you need a line.
# A profile is a table at the end, such as [work], with the same settings: text-agent --profile work.
"""


@dataclass(frozen=True, slots=True)
class Name:
    """The name of a setting, perhaps in a profile: `model`, `work.model`.

    Attributes:
        key: the setting's own name.
        profile: None: outside of all profiles.
    """

    key: str
    profile: str | None = None

    def __str__(self) -> str:
        return self.key if self.profile is None else f"{self.profile}.{self.key}"

    @property
    def entry(self) -> Entry:
        """What it means. Raises `ConfigError` where it is no setting."""
        if self.profile in ENTRIES:
            raise ConfigError(f"{self.profile} is the name of a setting: no profile can be called so.")
        if not is_entry(self.key, self.profile):
            raise ConfigError(f"there is no setting {str(self)!r}.{meant(self.key)}")
        return ENTRIES[self.key]


class ConfigFile:
    """The file, in the user's config folder.

    Args:
        folder: where it is.
        environment: of the user.

    Attributes:
        path: of the file.
    """

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self.path = folder / CONFIG_FILE
        self._older = folder / ENV_FILE
        self._environment = environment

    def read(self) -> UserFile:
        """What it says. Raises `ConfigError` where it cannot be read."""
        return read_user_file(self.path)

    def exists(self) -> bool:
        """Whether the user has settings of his own, in the older file or in this one."""
        return self.path.exists() or self._older.exists()

    def set(self, texts: Mapping[Name, str]) -> None:
        """Writes settings. Raises `ConfigError` where one is wrong: the file is as it was."""
        import tomlkit

        user, document = self.read(), tomlkit.parse(self.text())
        values = {name: checked(name, text, user) for name, text in texts.items()}
        for name, value in values.items():
            table: Any = document
            if name.profile is not None:
                table = document.setdefault(name.profile, tomlkit.table())
            if not isinstance(table, dict):
                raise ConfigError(f"{name.profile} in {self.path} is no profile.")
            table[name.key] = value
        text = tomlkit.dumps(document)
        for profile in {name.profile for name in values}:
            parse_user_file(self.path, text).source(self._environment, profile)
        self.write(text)

    def unset(self, name: Name) -> None:
        """Takes a setting out, or a whole profile. Raises `ConfigError` where it is not there."""
        import tomlkit

        user, document = self.read(), tomlkit.parse(self.text())
        is_profile = name.profile is None and name.key in user.profiles
        if not is_profile:
            _ = name.entry
        table: Any = document.get(name.profile, {}) if name.profile is not None else document
        if name.key not in table:
            older = self._in_older_file(name)
            raise ConfigError(
                f"{name} is not set in {self.path}{f', but in {self._older}' if older else ''}."
            )
        del table[name.key]
        self.write(tomlkit.dumps(document))

    def get(self, name: Name) -> str | None:
        """The value of a setting, as it may be shown; None where the user's files have none."""
        entry = name.entry
        values = self._values(name.profile)
        if name.key in values:
            return _shown(entry, entry.text(values[name.key], f"{name} in {self.path}"), self.path)
        older = self._in_older_file(name)
        return _shown(entry, older, self._older) if older else None

    def lines(self) -> Iterator[str]:
        """All settings of the user's files, a line each below the name of their file."""
        user = self.read()
        names = [Name(key) for key in user.values]
        names += [Name(key, profile) for profile, values in user.profiles.items() for key in values]
        yield f"{self.path}:"
        yield from (f"  {name} = {self.get(name)}" for name in names if is_entry(name.key, name.profile))
        yield from (f"  # {line}" for line in map(sanitize, user.unknown()))
        older = [Name(key) for key in ENTRIES if self._in_older_file(Name(key)) and key not in user.values]
        if older:
            yield f"{self._older}:"
            yield from (f"  {name} = {self.get(name)}" for name in older)

    def text(self) -> str:
        """The file's text, which has been read before; empty without the file."""
        return self.path.read_bytes().decode("utf-8-sig") if self.path.exists() else ""

    def write(self, text: str) -> None:
        """Replaces the file's text at once; only the user can read it.

        Raises:
            ConfigError: it cannot be written; it is as it was.
        """
        folder = self.path.parent
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            with contextlib.suppress(OSError):  # it may be somebody else's
                folder.chmod(0o700)
            # A link stays one: people keep such files in a folder of their own.
            write_atomically(self.path.resolve(), text.encode(), mode=0o600)
        except OSError as error:
            raise ConfigError(f"cannot write {self.path}: {reason_of(error)}.") from error

    def check(self, text: str) -> None:
        """Raises `ConfigError` where a text is no such file, or a setting in it is wrong."""
        user = parse_user_file(self.path, text)
        for profile in (None, *user.profiles):
            user.source(self._environment, profile)
            for key, value in (user.values if profile is None else user.profiles[profile]).items():
                if is_entry(key, profile):
                    checked(name := Name(key, profile), name.entry.text(value, f"{name}"), user)

    def _values(self, profile: str | None) -> Mapping[str, Any]:
        user = self.read()
        if profile is None:
            return user.values
        if profile not in user.profiles:
            raise missing_profile(profile, "", user)
        return user.profiles[profile]

    def _in_older_file(self, name: Name) -> str:
        if name.profile is not None or name.entry.place:
            return ""
        values = read_env_file(self._older)
        return next(filter(None, (values.get(each) for each in name.entry.row.variables())), "")


def checked(name: Name, text: str, user: UserFile) -> Any:
    """The value to write for a text. Raises `ConfigError` where it is wrong."""
    from text_agent.providers.urls import openai_base_url

    row = name.entry.row
    if not text.strip():
        raise ConfigError(f"{name} needs a value; text-agent config unset {name} takes it out.")
    if row.name == "profile" and text not in user.profiles:
        raise missing_profile(text, "", user)
    if row.kind is URL:
        openai_base_url(text)
    if row.is_secret and not (len(text.split()) == 1 and text.isascii() and text.isprintable()):
        raise ConfigError("this is no key: one has no blank, no line break and no letter outside ASCII.")
    value = Found(row, row.variable, text, Source("this command", {}, by_name=True)).parsed()
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, str | bool | int | float) else text


def template() -> str:
    """A file to begin with: every setting, with what it is and an example, commented out."""
    import tomlkit

    parts = [TEMPLATE]
    for name, entry in ENTRIES.items():
        row = entry.row
        example = tomlkit.item(row.kind.parse(row.example) if row.kind.choices else row.example).as_string()
        parts.append(f"# {row.help[:1].upper()}{row.help[1:]}.\n# {name} = {example}\n")
    return "\n".join(parts)


def _shown(entry: Entry, text: str, file: Path) -> str:
    return f"set, from {file}" if entry.row.is_secret else sanitize(entry.row.kind.shown(text))
