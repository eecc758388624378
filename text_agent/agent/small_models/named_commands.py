"""The command that a request names, if what it runs exists in the project: tests, a script, a target."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from text_agent.agent.project_view import text_of
from text_agent.agent.small_models.objections import interpreter_of
from text_agent.errors import ToolError
from text_agent.files.index.reader import read_units
from text_agent.files.kinds import is_test
from text_agent.files.ripgrep import list_paths
from text_agent.files.workspace import Workspace
from text_agent.lazy_regex import late_pattern
from text_agent.permissions.command_lines.assessment import plain_words
from text_agent.tools.search import find_lines

# A file of Python, perhaps with the test in it.
_NODE = late_pattern(r"(?<![\w.-])([\w./-]*\w\.py)((?:::\w+(?:\[[^\]\s]*\])?)*)(?![\w-])")
_TEST_NAME = late_pattern(r"(?<![\w./:-])test_\w+(?![\w/-]|\.\w)")
_QUOTED = late_pattern(r"`([^`\n]{3,200})`|^[ \t]*\$ +([^\n]{3,200})$|^(?: {4}|\t)([a-z./][^\n]{3,200})$", 8)
# Without quotes, only the first words of a command can be told from those of the sentence.
_BARE = late_pattern(
    r"(?<![\w./-])(?:(?:python3?|node|ruby|perl|php|bash|sh) [\w./-]+|(?:make|npm|go|cargo) test)\b"
)
_INTERPRETERS = frozenset({"python", "python3", "node", "ruby", "perl", "php", "bash", "sh"})
# Tests that one run is given, and characters of the lines that are looked through for their definitions.
_MOST_TESTS = 5
_DEFINITIONS_MAX_CHARS = 2_000


def named_command(workspace: Workspace, request: str) -> str:
    """Returns the command line that runs what a request names; empty if it names nothing that exists.

    Args:
        workspace: the project.
        request: as the user wrote it.
    """
    tests = list(dict.fromkeys(_named_tests(workspace, request)))[:_MOST_TESTS]
    if tests:
        return " ".join(
            [f"{interpreter_of(workspace.root)} -m pytest -q --tb=short -p no:cacheprovider", *tests]
        )
    quoted = [next(filter(None, groups)) for groups in _QUOTED.findall(request)]
    commands = (each.strip() for each in (*quoted, *_BARE.findall(_QUOTED.sub("", request))))
    return next((each for each in commands if _exists(workspace.root, plain_words(each))), "")


def _named_tests(workspace: Workspace, request: str) -> Iterator[str]:
    nodes, names = _NODE.findall(request), set(_TEST_NAME.findall(request))
    if not nodes and not names:
        return
    paths = _paths(workspace) if nodes else []
    found = [(_only(paths, named), test) for named, test in nodes]
    found = [(path, test) for path, test in found if is_test(path)]
    yield from (path + test for path, test in found if test)
    defined = list(_defining(workspace, names)) if names else []
    yield from defined
    # A file is run as a whole where no test of it is named.
    yield from (
        path for path, test in found if not test and not any(each.startswith(path) for each in defined)
    )


def _paths(workspace: Workspace) -> list[str]:
    try:
        return list_paths(workspace.root)
    except ToolError:
        return []


def _only(paths: Sequence[str], named: str) -> str:
    """The one file that is named, by its end or from the root of the system on; empty if there is none."""
    fitting = [each for each in paths if f"/{each}".endswith(f"/{named}") or named.endswith(f"/{each}")]
    return named if named in paths else fitting[0] if len(fitting) == 1 else ""


def _defining(workspace: Workspace, names: set[str]) -> Iterator[str]:
    pattern = rf"^\s*(?:async\s+)?def (?:{'|'.join(sorted(names))})\("
    for line in find_lines(workspace, pattern, _DEFINITIONS_MAX_CHARS):
        if is_test(line.path):
            units = read_units(line.path, text_of(workspace, line.path))
            names_here = (each.full_name for each in units if each.line == line.number)
            yield from (f"{line.path}::{name.replace('.', '::')}" for name in names_here)


def _exists(root: Path, words: Sequence[str]) -> bool:
    """Whether a command runs something that the project has."""
    if not words:
        return False
    first, second = words[0], "".join(words[1:2])
    # A path alone names a file as a rule; written so, it is started.
    if first.startswith("./"):
        return _is_inside(root, first) and os.access(root / first, os.X_OK)
    if first in _INTERPRETERS or first.endswith("/python"):
        return (second == "-m" and words[2:3] == ["pytest"]) or _is_inside(root, second)
    if first in _TARGETS:
        file, has = _TARGETS[first]
        return (
            second == "test" and (root / file).is_file() and has((root / file).read_text("utf-8", "replace"))
        )
    return first == "pytest"


def _is_inside(root: Path, word: str) -> bool:
    path = (root / word).resolve()
    return path.is_file() and path.is_relative_to(root.resolve())


def _has_script(text: str) -> bool:
    try:
        return "test" in json.loads(text)["scripts"]
    except (ValueError, LookupError, TypeError):
        return False


# What runs the project's tests, where the project says how.
_TARGETS: Mapping[str, tuple[str, Callable[[str], bool]]] = {
    "make": ("Makefile", lambda text: f"\n{text}".find("\ntest:") >= 0),
    "npm": ("package.json", _has_script),
    "go": ("go.mod", bool),
    "cargo": ("Cargo.toml", bool),
}
