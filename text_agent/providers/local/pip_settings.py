"""The package index that the user has set for pip, read as pip documents it, without pip."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from configparser import Error, RawConfigParser
from dataclasses import dataclass
from pathlib import Path

import platformdirs

DEFAULT_INDEX = "https://pypi.org/simple"
# The sections that hold for `pip download`, the weaker first.
_SECTIONS = ("global", "download")
_FILE_NAME = "pip.ini" if sys.platform == "win32" else "pip.conf"


@dataclass(frozen=True, slots=True)
class PipSettings:
    """What pip's settings say of package indexes.

    Attributes:
        indexes: their URLs, perhaps with a password; the first that has a file is taken.
        ca_file: certificates to trust, or empty.
        proxy: the URL of a proxy, or empty.
    """

    indexes: tuple[str, ...] = (DEFAULT_INDEX,)
    ca_file: str = ""
    proxy: str = ""


def read_pip_settings(environment: Mapping[str, str]) -> PipSettings:
    """Reads the settings from pip's files, and from its variables, which are stronger."""
    options = _options(environment)
    first = options.get("index-url") or DEFAULT_INDEX
    indexes = (
        () if _is_on(options.get("no-index", "")) else (first, *options.get("extra-index-url", "").split())
    )
    # pip also reads folders; nothing is fetched from one.
    return PipSettings(
        tuple(index.rstrip("/") for index in indexes if index.startswith(("http://", "https://"))),
        options.get("cert", ""),
        options.get("proxy", ""),
    )


def _options(environment: Mapping[str, str]) -> Mapping[str, str]:
    options: dict[str, str] = {}
    files = [_read(file) for file in _files(environment)]
    for section in _SECTIONS:
        for file in files:
            if file.has_section(section):
                options |= {name.replace("_", "-"): value for name, value in file.items(section)}
    for name, value in environment.items():
        if name.startswith("PIP_") and value:
            options[name.removeprefix("PIP_").lower().replace("_", "-")] = value
    return options


def _files(environment: Mapping[str, str]) -> Iterator[Path]:
    """The files, the weaker first: for all users, the user's, the environment's, the one that is named."""
    named = environment.get("PIP_CONFIG_FILE", "")
    if named == os.devnull:
        return
    folders = platformdirs.site_config_dir("pip", appauthor=False, multipath=True).split(os.pathsep)
    yield from (Path(folder) / _FILE_NAME for folder in reversed(folders))
    if sys.platform != "win32":
        yield Path("/etc") / _FILE_NAME
    yield Path.home() / ("pip" if sys.platform == "win32" else ".pip") / _FILE_NAME
    yield platformdirs.user_config_path("pip", appauthor=False, roaming=True) / _FILE_NAME
    yield Path(sys.prefix) / _FILE_NAME
    if named:
        yield Path(named)


def _read(file: Path) -> RawConfigParser:
    """A file's settings; one that is missing or damaged has none."""
    parser = RawConfigParser()
    try:
        parser.read(file, encoding="utf-8")
    except (Error, OSError, UnicodeDecodeError):
        return RawConfigParser()
    return parser


def _is_on(value: str) -> bool:
    return value.lower() in ("1", "true", "yes", "on")
