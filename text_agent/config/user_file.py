"""The user's config file: settings by their names, and profiles of them in tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from text_agent.config.key_places import KEY_PLACES, KeptKey, KeyPlace
from text_agent.config.settings import SETTINGS
from text_agent.config.sources import Finder, Source, nearest
from text_agent.config.table import HEADERS, Row
from text_agent.errors import ConfigError

CONFIG_FILE = "config.toml"
# Of settings as variables: weaker, from before there was the other one.
ENV_FILE = "config.env"


@dataclass(frozen=True, slots=True)
class Entry:
    """What a name in the file means.

    Attributes:
        row: the setting of that name.
        sets: the setting that it gives a value; another one, where it names the place of a key.
        place: of the key; empty: it is the value itself.
    """

    row: Row
    sets: Row
    place: str = ""

    @property
    def variable(self) -> str:
        """What stands for the setting among the sources."""
        return next(self.sets.variables())

    def text(self, value: Any, label: str) -> str:
        """A value of the file as variables have it. Raises `ConfigError` where it is of another type."""
        match value:
            case str():
                return value.strip()
            case bool():
                return "on" if value else "off"
            case int() | float():
                return str(value)
            case list() if self.row.is_repeated and all(isinstance(each, str) for each in value):
                return "\n".join(value)
            case dict() if self.row.kind is HEADERS and all(isinstance(each, str) for each in value.values()):
                return "\n".join(f"{name}: {each}" for name, each in value.items())
        raise ConfigError(f"{label} is not {self.row.kind.expected}.")


def _place_entry(row: Row, name: str, place: KeyPlace) -> Entry:
    own = Row(
        place.kind, f"{place.help} {row.help}", row.group, example=place.example, name=f"{row.name}_{name}"
    )
    return Entry(own, row, name)


_PLACES = [_place_entry(row, *each) for row in SETTINGS if row.is_secret for each in KEY_PLACES.items()]
# All names that may stand in the file.
ENTRIES: Mapping[str, Entry] = {
    entry.row.name: entry for entry in [*(Entry(row, row) for row in SETTINGS), *_PLACES]
}


@dataclass(frozen=True, slots=True)
class UserFile:
    """What the file says.

    Attributes:
        path: where it is.
        values: its settings, by name.
        profiles: those of each profile.
    """

    path: Path
    values: Mapping[str, Any] = field(default_factory=dict)
    profiles: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def source(self, environment: Mapping[str, str], profile: str | None = None) -> Source:
        """The settings of a profile, or those that stand outside of all profiles.

        Args:
            environment: of the user; a setting may name a variable that holds the key.
            profile: one that there is.

        Raises:
            ConfigError: one of them cannot be read.
        """
        values = self.values if profile is None else self.profiles[profile]
        name = self._place(profile)
        texts: dict[str, str] = {}
        kept: dict[str, KeptKey] = {}
        for key, value in values.items():
            entry, label = ENTRIES.get(key), f"{key} in {name}"
            if entry is None or not (text := entry.text(value, label)):
                continue
            if entry.variable in texts.keys() | kept.keys():
                raise ConfigError(f"{entry.sets.name} is set twice in {name}: keep {key}, or the other one.")
            if entry.place:
                kept[entry.variable] = KeptKey(entry.place, text, label, self.path.parent, environment)
            else:
                texts[entry.variable] = text
        return Source(name, texts, by_name=True, kept_keys=kept)

    def keys(self, environment: Mapping[str, str]) -> Iterator[str]:
        """The keys of all profiles, as far as nobody has to be asked for them."""
        for values in (self.values, *self.profiles.values()):
            for key, value in values.items():
                entry = ENTRIES.get(key)
                if entry and entry.sets.is_secret and isinstance(value, str):
                    yield from {"": (value,), "env": (environment.get(value, ""),)}.get(entry.place, ())

    def unknown(self) -> Iterator[str]:
        """A sentence for each name that is no setting, with the nearest that is one."""
        outside: list[tuple[str | None, Mapping[str, Any]]] = [(None, self.values)]
        for profile, values in [*outside, *self.profiles.items()]:
            for name in values:
                if not is_entry(name, profile):
                    yield f"{name} (in {self._place(profile)}) is no setting of text-agent.{meant(name)}"

    def _place(self, profile: str | None) -> str:
        return str(self.path) if profile is None else f"profile {profile} in {self.path}"


def read_user_file(path: Path) -> UserFile:
    """Reads the file; one that does not exist is empty. Raises `ConfigError` where it cannot be read."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except (FileNotFoundError, NotADirectoryError):
        return UserFile(path)
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"cannot read {path}: it is not UTF-8 text.") from error
    return parse_user_file(path, text)


def parse_user_file(path: Path, text: str) -> UserFile:
    """What the text of the file says. Raises `ConfigError` where it is no TOML."""
    import tomllib

    try:
        content = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path} is no TOML: {error}.", hint="text-agent config edit opens it.") from error
    profiles = {
        name: value for name, value in content.items() if isinstance(value, dict) and name not in ENTRIES
    }
    values = {name: value for name, value in content.items() if name not in profiles}
    return UserFile(path, values, profiles)


def with_profile(sources: Sequence[Source], user: UserFile, environment: Mapping[str, str]) -> list[Source]:
    """The sources with the profile that one of them chooses: right behind that one, and as strong.

    One that the user's file itself chooses goes before what else stands there.

    Raises:
        ConfigError: there is no such profile, or it is chosen where it must not be.
    """
    found = Finder(sources).find(ENTRIES["profile"].row)
    if found is None:
        return [*sources]
    if found.value not in user.profiles:
        raise missing_profile(found.value, f" ({found.origin})", user)
    place = sources.index(found.source) + (not found.source.by_name)
    return [*sources[:place], user.source(environment, found.value), *sources[place:]]


def missing_profile(name: str, origin: str, user: UserFile) -> ConfigError:
    """The error for a profile that does not exist."""
    near = nearest(name, user.profiles)
    advice = f"Did you mean {near}? " if near else ""
    known = f"There are: {', '.join(user.profiles)}." if user.profiles else "There is none yet."
    make = "text-agent config set NAME.model MODEL makes one."
    return ConfigError(
        f"there is no profile {name!r}{origin} in {user.path}.", hint=f"{advice}{known} {make}"
    )


def endpoint_line(values: Mapping[str, Any]) -> str:
    """Where the settings of a profile lead, in a line; no key is in it."""
    told = ((ENTRIES[name].row, values.get(name)) for name in ("model", "base_url", "provider"))
    return ", ".join(row.kind.shown(value) for row, value in told if isinstance(value, str))


def is_entry(name: str, profile: str | None) -> bool:
    """Whether a setting of that name may stand in a profile, or outside of all: no profile chooses one."""
    return name in ENTRIES and (profile is None or name != "profile")


def meant(name: str) -> str:
    """A sentence with the setting that was probably meant; empty where none is like it."""
    near = nearest(name, ENTRIES)
    return f" Did you mean {near}?" if near else ""
