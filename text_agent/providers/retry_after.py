"""How long an endpoint asks to wait, in the many forms in which endpoints write it."""

from __future__ import annotations

import email.utils
import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime

from text_agent.config.limits import RETRY_AFTER_SENSE_SECONDS
from text_agent.lazy_regex import late_pattern

# A length of time with its units, such as 20s, 1m30s and 500 ms.
_LENGTH = late_pattern(r"(?:\d+(?:\.\d+)?\s*(?:ms|[hms])[a-z]*\s*)+", re.IGNORECASE)
_PART = late_pattern(r"(\d+(?:\.\d+)?)\s*(ms|[hms])", re.IGNORECASE)
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def retry_after_seconds(headers: Mapping[str, str], *, now: float) -> float | None:
    """How long the endpoint asks to wait; None if it does not, or in no way that makes sense.

    Args:
        headers: of the answer; their names in any case.
        now: the time in seconds since the epoch, for a header that names a moment.
    """
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        text = headers.get(name, "").strip()
        for seconds in (_wait(_number(text), unit, now), _length(text), _moment(text) - now):
            if seconds < RETRY_AFTER_SENSE_SECONDS:
                return max(0.0, seconds)
    return None


def http_date(text: str) -> float:
    """A header's date in seconds since the epoch; not a number if it is none, or one that no calendar has."""
    date = email.utils.parsedate_tz(text)
    try:
        return email.utils.mktime_tz(date) if date else math.nan
    except (ValueError, OverflowError):
        return math.nan


def _wait(number: float, unit: float, now: float) -> float:
    """The seconds that a number stands for: a wait, or a moment; in its unit, or in milliseconds.

    The first that makes sense is taken.
    """
    if number * unit < RETRY_AFTER_SENSE_SECONDS:
        return number * unit
    for moment in (number, number / 1000):
        if abs(moment - now) < RETRY_AFTER_SENSE_SECONDS:
            return moment - now
    return number / 1000


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _length(text: str) -> float:
    if not _LENGTH.fullmatch(text):
        return math.nan
    return sum(float(number) * _UNITS[unit.lower()] for number, unit in _PART.findall(text))


def _moment(text: str) -> float:
    """A date in seconds since the epoch, as HTTP or as ISO 8601 writes it; not a number if it is none."""
    if not math.isnan(date := http_date(text)):
        return date
    try:
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return math.nan
