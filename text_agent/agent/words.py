"""The words of many languages by which replies and requests are judged, from `words.toml`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any


@cache
def tables() -> Mapping[str, Mapping[str, Any]]:
    """The words by language; each entry is a list of patterns."""
    file = resources.files("text_agent") / "agent" / "words.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


@cache
def words(name: str, language: str = "") -> re.Pattern[str]:
    """A pattern for one entry of a language, or of all."""
    chosen = [tables()[language]] if language else tables().values()
    return re.compile("|".join(text for table in chosen for text in table.get(name, ())), re.IGNORECASE)
