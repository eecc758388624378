"""The parts of git's folders that make git run programs: hooks, and settings other than the usual ones."""

from __future__ import annotations

import os
from collections.abc import Iterator

from text_agent.lazy_regex import late_pattern

# In these it looks for settings; the last one leads to a folder with others.
_SETTINGS = ("config", "config.worktree")
_LEADS_ON = "commondir"
_HOOKS = "hooks"
# What git writes there as examples, and never runs.
_EXAMPLE = ".sample"
_HEADER = late_pattern(r'\s*\[\s*([\w.-]+)(?:\s+"(?:[^"\\]|\\.)*")?\s*\]')
_KEY = late_pattern(r"\s*([\w-]+)")
# What git writes itself, and what runs nothing; any other setting may.
_HARMLESS = late_pattern(
    r"advice\..+|branch\..+|core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase"
    r"|precomposeunicode|symlinks|autocrlf|eol|safecrlf)|fetch\.prune|init\..+|lfs\.repositoryformatversion"
    r"|merge\.conflictstyle|pull\..+|push\..+|rebase\.auto\w+|remote\.(?:url|fetch|pushurl|tagopt)"
    r"|rerere\..+|submodule\.(?:url|active|branch)|user\.(?:name|email)"
)
_RUNNING_URL = "ext::"


def running_parts(root: str, folder: str, names: frozenset[str]) -> Iterator[str]:
    """The paths in one of git's folders that decide which programs it runs, relative to `root`.

    Args:
        root: a folder above it.
        folder: where it is, relative to `root`; empty for `root` itself.
        names: what stands in it.
    """
    prefix = folder and f"{folder}/"
    yield from (f"{prefix}{name}" for name in (*_SETTINGS, _LEADS_ON) if name in names)
    if os.path.islink(f"{root}/{prefix}{_HOOKS}"):  # noqa: PTH114 - texts, as there may be very many paths
        yield f"{prefix}{_HOOKS}"
    for parent, _, files in os.walk(f"{root}/{prefix}{_HOOKS}"):
        below = parent.removeprefix(f"{root}/")
        yield from (f"{below}/{name}" for name in files if not name.endswith(_EXAMPLE))


def is_settings(path: str) -> bool:
    """Whether a running part holds settings, most of which run nothing."""
    return path.rpartition("/")[2] in _SETTINGS


def running_settings(content: bytes) -> list[str]:
    """The lines of settings that may make git run a program or read further settings."""
    section, found = "", []
    for line in content.decode("utf-8", "surrogateescape").splitlines():
        while header := _HEADER.match(line):
            section, line = header[1].lower(), line[header.end() :]
        if not line.strip() or line.strip().startswith(("#", ";")):
            continue
        key = _KEY.match(line)
        name = f"{section}.{key[1].lower()}" if key else ""
        if not _HARMLESS.fullmatch(name) or _RUNNING_URL in line:
            found.append(f"{section}: {line.strip()}")
    return found
