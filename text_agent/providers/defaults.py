"""What is taken where the user named nothing."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable

# Sent where no key is needed: the SDKs insist on one, and so do some servers that never look at it.
PLACEHOLDER_KEY = "no-key-needed"


def newest_alias(models: Iterable[str], family: str, *, retired: Container[str] = ()) -> str:
    """The model of a family with the highest version, by a name without a date.

    Args:
        models: names such as `claude-sonnet-4-5` and `claude-sonnet-4-5-20250929`.
        family: what stands before the version.
        retired: names that are not taken.

    Raises:
        ValueError: none of the names is one of the family.
    """
    # A part of a version has at most two digits; a date has eight.
    pattern = re.compile(re.escape(family) + r"((?:-\d{1,2})+)")
    versions = {
        tuple(int(part) for part in match[1].split("-")[1:]): name
        for name in models
        if name not in retired and (match := pattern.fullmatch(name))
    }
    return versions[max(versions)]
