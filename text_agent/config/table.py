"""What a row of the table of settings says, and how the rows are declared."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlsplit, urlunsplit

from text_agent.lazy_regex import late_pattern

# What a file of the project may do with a setting: nothing; once the user has agreed to its value; all.
ProjectUse = Literal["never", "asked", "free"]

# Of whole numbers: more would be too large to reckon with.
_MOST_DIGITS = 15
# More is no amount of money, and sums of it would not be numbers any more.
_MOST_MONEY = 1e15
# A line break or a semicolon ends a header if another one follows; values such as cookies hold semicolons.
_BETWEEN_HEADERS = late_pattern(r"[\n;]\s*(?=[\w!#$%&'*+.^`|~-]+\s*:)", re.ASCII)
_HEADER_NAME = late_pattern(r"[\w!#$%&'*+.^`|~-]+", re.ASCII)
# Headers that say where a request ends: a wrong one breaks it.
_FRAMING = ("content-length", "transfer-encoding")
_SHOWN_CHARS = 200
_HIDDEN = "[key]"


@dataclass(frozen=True, slots=True)
class Kind:
    """A type of settings.

    Attributes:
        expected: what a text has to be, for an error message.
        parse: returns the value of a text. Raises `ValueError` where the text is not as expected.
        choices: all texts that are allowed, if they are few.
        shown: returns as much of a text as anybody may see.
    """

    expected: str
    parse: Callable[[str], Any] = str
    choices: tuple[str, ...] = ()
    shown: Callable[[str], str] = str


@dataclass(frozen=True, slots=True)
class Row:
    """A setting.

    Attributes:
        kind: its type.
        help: what it is, in a phrase that begins small and has no full stop.
        group: who uses it: the heading of its flag in `--help`.
        details: more about it, in sentences, for whoever writes a file of settings.
        example: a value.
        project: what a project's `.env` may do with it; where nobody has thought of that, nothing.
        metavar: what `--help` calls the value.
        vendors: variables of vendors that set it as well, by the provider that they belong to.
        flag: of the command line, where it is not called after the name; empty: there is none.
        short: a flag of one letter that means the same.
        is_endpoint: it says where requests go, or what they need there.
        is_bare: the flag takes no value: `--name` and `--no-name`.
        is_repeated: the flag may be given several times.
        name: its flag and its variable are called after it; that of the attribute, unless given.
        has_variable: it has a variable of our own.
    """

    kind: Kind
    help: str
    group: str
    details: str = ""
    example: str = ""
    project: ProjectUse = "never"
    metavar: str | None = None
    vendors: Mapping[str, str] = field(default_factory=dict)
    flag: str | None = None
    short: str = ""
    is_endpoint: bool = False
    is_bare: bool = False
    is_repeated: bool = False
    has_variable: bool = True
    name: str = ""

    @property
    def variable(self) -> str:
        """Its own variable; also the name of its value among the flags."""
        return f"TEXT_AGENT_{self.name.upper()}"

    @property
    def option(self) -> str:
        """Its flag; empty: there is none."""
        return f"--{self.name.replace('_', '-')}" if self.flag is None else self.flag

    @property
    def is_secret(self) -> bool:
        """Whether its values are keys."""
        return self.kind is SECRET

    def variables(self, provider: str | None = None) -> Iterator[str]:
        """The variables that set it, strongest first: for one provider, or all of them."""
        if self.has_variable:
            yield self.variable
        yield from (name for owner, name in self.vendors.items() if provider in (None, owner))


def setting(default: Any, kind: Kind, help_text: str, group: str, **more: Any) -> Any:
    """Declares an attribute of a dataclass as a setting; see `Row`.

    Args:
        default: its value where nobody sets it.
        kind: its type.
        help_text: what it is.
        group: who uses it.
        more: other attributes of the row.
    """
    return field(default=default, metadata={"row": Row(kind, help_text, group, **more)})


def choice(*choices: str) -> Kind:
    """One of several words, in letters of any case."""
    return Kind(f"{', '.join(choices[:-1])} or {choices[-1]}", lambda text: _chosen(text, choices), choices)


def whole_number(at_least: int) -> Kind:
    """A whole number."""

    def parse(text: str) -> int:
        # `isdecimal` knows digits of other scripts, and so does `int`.
        if len(text) > _MOST_DIGITS or not text.isdecimal() or int(text) < at_least:
            raise ValueError
        return int(text)

    return Kind(f"a whole number of at least {at_least} and at most {_MOST_DIGITS} digits", parse)


def number(expected: str, at_most: float) -> Kind:
    """A number from 0 on."""

    def parse(text: str) -> float:
        value = float(text)
        if math.isnan(value) or not 0 <= value <= at_most:
            raise ValueError
        return value

    return Kind(expected, parse)


def split_headers(text: str) -> tuple[tuple[str, str], ...]:
    """The names and values of headers in one text. Raises `ValueError` where one is not well-formed."""
    headers = []
    for line in _BETWEEN_HEADERS.split(text):
        name, colon, value = (part.strip() for part in line.partition(":"))
        is_text = value.isascii() and value.isprintable()
        if not (colon and value and is_text and _HEADER_NAME.fullmatch(name)) or name.lower() in _FRAMING:
            raise ValueError
        headers.append((name, value))
    return tuple(headers)


def shown(row: Row, value: str) -> str:
    """A value in one line, as anybody may see it."""
    text = row.kind.shown(value)
    # A letter that looks like another one could stand in the name of a host.
    line = "".join(char if char.isascii() and char.isprintable() else f"<U+{ord(char):04X}>" for char in text)
    return line if len(line) <= _SHOWN_CHARS else f"{line[:_SHOWN_CHARS]}..."


def without_credentials(url: str) -> str:
    """A URL as it may be shown: without a user name, password, query or fragment."""
    try:
        parts = urlsplit(url)
    except ValueError:  # half an IPv6 address
        return _HIDDEN
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _chosen(text: str, choices: tuple[str, ...]) -> str:
    if text.lower() not in choices:
        raise ValueError
    return text.lower()


def _header_names(text: str) -> str:
    """The headers without their values, which may be keys."""
    try:
        return "; ".join(f"{name}: {_HIDDEN}" for name, _ in split_headers(text))
    except ValueError:
        return _HIDDEN


# Or the name of a model, which may be a file.
FILE = Kind("the path of a file")
NAME = Kind("a name")
URL = Kind("a URL", shown=without_credentials)
SECRET = Kind("a key", shown=lambda _: _HIDDEN)
SWITCH = Kind("on or off", lambda text: _chosen(text, ("on", "off")) == "on", ("on", "off"))
MONEY = number("an amount of money", _MOST_MONEY)
HEADERS = Kind(
    "of the form 'Name: value' in ASCII letters (with ; between two), without a header that belongs to the "
    "connection",
    split_headers,
    shown=_header_names,
)
