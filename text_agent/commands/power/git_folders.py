"""The parts of git's folders that make git run programs: hooks, and settings other than the usual ones."""

from __future__ import annotations

import os
from collections.abc import Iterator

from text_agent.config.limits import EDIT_MAX_BYTES
from text_agent.lazy_regex import late_pattern

# In these it looks for settings; the last one leads to a folder with others.
_SETTINGS = ("config", "config.worktree")
_LEADS_ON = "commondir"
# What that holds in the folder of a further work tree: the repository in which it lies.
_WORK_TREE = ".git/worktrees/"
_TO_ITS_OWN = b"../.."
# The folder of a submodule's repository names the place of its files.
_SUBMODULE, _PLACE = ".git/modules/", "core.worktree"
_HOOKS = "hooks"
# What git writes there as examples, and never runs.
_EXAMPLE = ".sample"
_HEADER = late_pattern(r'\s*\[\s*([\w.-]+)(?:\s+"(?:[^"\\]|\\.)*")?\s*\]')
_KEY = late_pattern(r"\s*([\w-]+)")
# What git writes itself, and what runs nothing; any other setting may.
_HARMLESS = late_pattern(
    r"advice\..+|branch\..+|core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase"
    r"|precomposeunicode|symlinks|autocrlf|eol|safecrlf)|fetch\.prune|init\.defaultbranch|lfs\.repositoryformatversion"
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
    """Whether a running part holds settings or leads to some: most of them run nothing."""
    return path.rpartition("/")[2] in (*_SETTINGS, _LEADS_ON)


def running_settings(path: str, content: bytes) -> list[str]:
    """The lines of settings that may make git run a program or read further settings."""
    if path.endswith(f"/{_LEADS_ON}"):
        return [] if _WORK_TREE in path and content.strip() == _TO_ITS_OWN else [repr(content)]
    section, found = "", []
    for line in content.decode("utf-8", "surrogateescape").splitlines():
        while header := _HEADER.match(line):
            section, line = header[1].lower(), line[header.end() :]
        if not line.strip() or line.strip().startswith(("#", ";")):
            continue
        key = _KEY.match(line)
        name = f"{section}.{key[1].lower()}" if key else ""
        is_harmless = _HARMLESS.fullmatch(name) or (name == _PLACE and _SUBMODULE in path)
        if not is_harmless or _RUNNING_URL in line:
            found.append(f"{section}: {line.strip()}")
    return found


def leads_to_the_workspaces_own(root: str, path: str) -> bool:
    """Whether a file `.git` leads into the repository of the workspace, as those of work trees do."""
    try:
        with open(f"{root}/{path}", "rb") as file:  # noqa: PTH123 - texts throughout
            target = os.fsdecode(file.read(EDIT_MAX_BYTES)).removeprefix("gitdir: ").strip()
        place = os.path.join(os.path.dirname(f"{root}/{path}"), target)  # noqa: PTH118, PTH120 - the same
        return os.path.realpath(place).startswith(f"{root}/.git/")
    except (OSError, ValueError):
        return False
