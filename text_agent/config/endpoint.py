"""What odd endpoints need to be told, as settings: read from texts, and checked."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass

from text_agent.config.secret_values import is_secret_name
from text_agent.errors import ConfigError
from text_agent.lazy_regex import late_pattern

# A line break or a semicolon ends a header if another one follows; values such as cookies hold semicolons.
_BETWEEN = late_pattern(r"[\n;]\s*(?=[\w!#$%&'*+.^`|~-]+\s*:)", re.ASCII)
_NAME = late_pattern(r"[\w!#$%&'*+.^`|~-]+", re.ASCII)
# Of whole numbers: more would be too large to reckon with.
_MOST_DIGITS = 15

# Headers that say where a request ends: a wrong one breaks it.
_FRAMING = ("content-length", "transfer-encoding")

# The text of a variable, and where it comes from; None if it is set nowhere.
Find = Callable[[str], tuple[str, str] | None]


@dataclass(frozen=True, slots=True)
class EndpointSettings:
    """What requests carry or obey beyond the usual.

    Attributes:
        headers: sent with every request, names and values.
        temperature: of the model; None leaves it to the endpoint.
        ca_file: a file of certificates that are trusted beside the system's, or empty.
        log: a file that all requests and answers are written to, or empty.
        retries: how often a failed request is sent again; None takes what the failure deserves.
        grammar: a grammar holds the model to well-formed calls; None: where it is known to be obeyed.
    """

    headers: tuple[tuple[str, str], ...] = ()
    temperature: float | None = None
    ca_file: str = ""
    log: str = ""
    retries: int | None = None
    grammar: bool | None = None

    @property
    def secrets(self) -> tuple[str, ...]:
        """The values of headers that look like keys: none may be seen."""
        return tuple(value.split()[-1] for name, value in self.headers if is_secret_name(name))


def read_endpoint_settings(find: Find) -> EndpointSettings:
    """Reads the settings from their variables.

    Raises:
        ConfigError: a value cannot be right.
    """
    temperature = find("TEXT_AGENT_TEMPERATURE")
    return EndpointSettings(
        headers=_headers(find("TEXT_AGENT_HEADERS")),
        temperature=_temperature(*temperature) if temperature else None,
        ca_file=(find("TEXT_AGENT_CA_FILE") or ("",))[0],
        log=(find("TEXT_AGENT_LOG") or ("",))[0],
        retries=whole_number(find, "TEXT_AGENT_RETRIES", at_least=0),
        grammar=switch(find, "TEXT_AGENT_GRAMMAR"),
    )


def switch(find: Find, variable: str) -> bool | None:
    """Whether a variable is on or off; None where it is not set.

    Raises:
        ConfigError: it is neither.
    """
    value, source = find(variable) or ("", "")
    if value.lower() not in ("", "on", "off"):
        raise ConfigError(f"{variable} is {value!r} (from {source}).", hint="Set it to on or off.")
    return value.lower() == "on" if value else None


def whole_number(find: Find, variable: str, *, at_least: int) -> int | None:
    """A variable's number; None where it is not set.

    Raises:
        ConfigError: it is no whole number, or too small.
    """
    found = find(variable)
    if found is None:
        return None
    text, source = found
    if len(text) > _MOST_DIGITS:
        raise ConfigError(f"{variable} (from {source}) has more digits than any number that makes sense.")
    # `isdecimal` knows digits of other scripts, and so does `int`.
    if not text.isdecimal() or int(text) < at_least:
        raise ConfigError(
            f"{variable} (from {source}) is {text!r}, not a whole number of at least {at_least}."
        )
    return int(text)


def _temperature(text: str, source: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 <= number <= 2:
        raise ConfigError(f"the temperature (from {source}) is {text!r}, not a number from 0 to 2.")
    return number


def _headers(found: tuple[str, str] | None) -> tuple[tuple[str, str], ...]:
    if found is None:
        return ()
    text, source = found
    headers = []
    for line in _BETWEEN.split(text):
        name, colon, value = (part.strip() for part in line.partition(":"))
        # The value may be a key: it is not told.
        if not (colon and value and _NAME.fullmatch(name) and value.isascii() and value.isprintable()):
            raise ConfigError(
                f"a header (from {source}) is not of the form 'Name: value' in ASCII letters.",
                hint="Write it as in --header 'X-Team: blue'; in TEXT_AGENT_HEADERS, put ; between two.",
            )
        if name.lower() in _FRAMING:
            raise ConfigError(f"the header {name} (from {source}) belongs to the connection: leave it out.")
        headers.append((name, value))
    return tuple(headers)
