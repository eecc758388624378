"""Where settings come from, and what is found there."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from text_agent.config.key_places import KeptKey
from text_agent.config.settings import VARIABLES
from text_agent.config.table import Row, shown
from text_agent.errors import ConfigError

COMMAND_LINE = "the command line"
_PREFIX = "TEXT_AGENT_"
# How alike two names are, from 0 to 1, of which one may be a slip of the other.
_LIKENESS = 0.6


@dataclass(frozen=True, slots=True)
class Source:
    """A place that settings come from, strongest first in a list of them.

    Attributes:
        name: how the user knows it.
        values: by variable; flags stand here under the variable that they replace.
        trusted: the user wrote it; a project's `.env` may come with somebody else's repository.
        is_found: nobody wrote it: it is what answers on this machine.
        is_chosen: the user has chosen it from a list.
        by_name: it calls settings by their names, not by their variables.
        kept_keys: keys that are kept elsewhere, by variable.
    """

    name: str
    values: Mapping[str, str]
    trusted: bool = True
    is_found: bool = False
    is_chosen: bool = False
    by_name: bool = False
    kept_keys: Mapping[str, KeptKey] = field(default_factory=dict)

    def sets(self, variable: str) -> bool:
        """Whether it has a value; an empty one is none."""
        return bool(self.values.get(variable, "").strip()) or variable in self.kept_keys

    def value(self, variable: str) -> str:
        """The value that it has. Raises `ConfigError` for a key that cannot be read."""
        kept = self.kept_keys.get(variable)
        return kept.read() if kept else self.values[variable].strip()


@dataclass(frozen=True, slots=True)
class Found:
    """The value of a setting, and where it comes from."""

    row: Row
    variable: str
    value: str
    source: Source

    @property
    def origin(self) -> str:
        """What has set it, such as `--base-url` or `OPENAI_BASE_URL in the environment`."""
        if self.source.name == COMMAND_LINE:
            return self.row.option
        if self.source.is_found:
            return self.source.name
        return f"{self._label} in {self.source.name}"

    def parsed(self) -> Any:
        """The value. Raises `ConfigError` where it cannot be right."""
        try:
            return self.row.kind.parse(self.value)
        except ValueError:
            raise self._error() from None

    def _error(self) -> ConfigError:
        value, place = repr(shown(self.row, self.value)), f"(from {self.source.name})"
        expected = self.row.kind.expected
        if self.row.kind.choices:
            what = self.row.name.replace("_", " ")
            hint = f"Choose {expected} for {self._label}."
            return ConfigError(f"the {what} {value} {place} does not exist.", hint=hint)
        return ConfigError(f"{self._label} {place} is {value}, not {expected}.")

    @property
    def _label(self) -> str:
        if self.source.name == COMMAND_LINE:
            return self.row.option
        return self.row.name if self.source.by_name else self.variable


@dataclass(frozen=True, slots=True)
class Wish:
    """What a project's file asks for, and the user has to agree to.

    Attributes:
        variable: which setting it is about.
        text: what would be done, for the user; no key is in it.
        content: what exactly is agreed to.
    """

    variable: str
    text: str
    content: str = field(repr=False)

    @property
    def digest(self) -> str:
        """Stands for the wish where answers are kept: it may be about a key."""
        import hashlib

        return hashlib.sha256(json.dumps([self.variable, self.content]).encode()).hexdigest()


class Finder:
    """Finds values in sources, and notes what the user has to agree to.

    Attributes:
        sources: strongest first.
        wishes: what the project's file has decided so far, and may not without the user's yes.
    """

    def __init__(self, sources: Sequence[Source]) -> None:
        self.sources = sources
        self.wishes: dict[str, Wish] = {}

    def find(self, row: Row, provider: str | None = None) -> Found | None:
        """The value from the strongest source; an empty value is an unset one.

        Args:
            row: the setting.
            provider: whose variables count beside our own; None: nobody's.

        Raises:
            ConfigError: it stands in a file of the project, which must not decide it; or it is a key that
                cannot be read.
        """
        for source in self.sources:
            for variable in row.variables(provider or ""):
                if source.sets(variable):
                    return self.used(Found(row, variable, source.value(variable), source))
        return None

    def used(self, found: Found) -> Found:
        """Notes that a value decides something."""
        if found.source.trusted or found.row.project == "free":
            return found
        if found.row.project != "asked":
            raise ConfigError(
                f"{found.variable} must not stand in {found.source.name}: it may come from somebody else.",
                hint=f"Set it for yourself: text-agent config set {found.row.name} VALUE.",
            )
        self.wish(found.variable, f"{found.variable}={shown(found.row, found.value)}", found.value)
        return found

    def wish(self, variable: str, text: str, content: str) -> None:
        """Notes what the user has to agree to."""
        wish = Wish(variable, text, content)
        self.wishes[wish.digest] = wish


def unknown_variables(sources: Iterable[Source]) -> Iterator[str]:
    """A sentence for each name that looks like a setting and is none, with the nearest that is one."""
    for source in sources:
        for name in source.values:
            if name.upper().startswith(_PREFIX) and name not in VARIABLES:
                near = nearest(
                    name[len(_PREFIX) :].upper(), [each.removeprefix(_PREFIX) for each in VARIABLES]
                )
                meant = f" Did you mean {_PREFIX}{near}?" if near else ""
                yield f"{name} (in {source.name}) is no setting of text-agent.{meant}"


def nearest(word: str, known: Iterable[str], likeness: float = _LIKENESS) -> str | None:
    """The one of the known words that was probably meant; None where none is like it.

    Args:
        word: as it was written.
        known: the words that there are.
        likeness: how alike two words have to be, from 0 to 1.
    """
    import difflib

    return next(iter(difflib.get_close_matches(word, list(known), n=1, cutoff=likeness)), None)


def read_env_file(path: Path) -> Mapping[str, str]:
    """Reads a file of `NAME=value` lines; a file that does not exist is empty.

    Values are taken as they are: `${OTHER}` is not expanded, so that a project's file cannot pick up
    what is in the user's environment.

    Raises:
        ConfigError: the file is there and cannot be read.
    """
    from dotenv import dotenv_values

    if not path.is_file():
        return {}
    try:
        values = dotenv_values(path, interpolate=False, encoding="utf-8-sig")
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"cannot read {path}: it is not UTF-8 text.") from error
    return {name: value for name, value in values.items() if value is not None}
