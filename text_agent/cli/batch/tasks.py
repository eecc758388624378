"""The tasks of a file: what each may say, and whether all of it can be run."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, TextIO

from text_agent.cli.batch.flags import read_task_flags
from text_agent.config.sources import nearest
from text_agent.errors import ConfigError
from text_agent.files.problems import reason_of

# It names a folder, on every file system.
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+@=-]{0,119}")
_URL = re.compile(r"[a-z][a-z0-9+.-]*://|[\w.-]+@[\w.-]+:")
# No option of git's, and nothing that means more than one commit.
_REF = re.compile(r"[A-Za-z0-9_@][^\s\x00-\x1f:?*\[\\]*")


@dataclass(frozen=True, slots=True)
class Task:
    """One task. What a line of the file may say stands in `_FIELDS`."""

    id: str  # its name, which no other task of the run has
    prompt: str  # what the model is asked
    workspace: str = ""  # a folder that is copied; empty: none is
    repository: str = ""  # the folder or URL of a git repository whose `ref` is checked out; empty: none is
    ref: str = "HEAD"  # a branch, tag or commit of the repository
    files: Mapping[str, str] = field(default_factory=dict)  # texts by path, written into the copy
    check: str = ""  # a command line that ends with 0 if the task is solved; empty: there is none
    max_steps: int | None = None  # of the model
    max_seconds: float | None = None  # for the model; waiting for an endpoint that asks to slow down counts
    max_cost: float | None = None  # of the model
    flags: tuple[str, ...] = ()  # of text-agent, for this task alone

    @property
    def digest(self) -> str:
        """Tells whether a task of this name is still the same, but for its limits."""
        same = {name: value for name, value in asdict(self).items() if not name.startswith("max_")}
        text = json.dumps(same, sort_keys=True)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    @property
    def is_remote(self) -> bool:
        """Whether the repository has to be fetched."""
        return is_url(self.repository)


@dataclass(frozen=True, slots=True)
class _Field:
    """What a field of a task must be: in words, and as a test of a JSON value."""

    expected: str
    test: Callable[[Any], bool]


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip()) and "\0" not in value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < float("inf")


_TEXT = _Field("a text that is not empty", _is_text)
_NUMBER = _Field("a number above 0", _is_number)
_FIELDS: Mapping[str, _Field] = {
    "id": _Field(
        "a name of letters, digits and ._+@=-", lambda value: _is_text(value) and bool(_ID.fullmatch(value))
    ),
    "prompt": _TEXT,
    "workspace": _TEXT,
    "repository": _Field(
        "a folder or a URL", lambda value: _is_text(value) and not value.startswith("-")
    ),
    "ref": _Field("a branch, tag or commit", lambda value: _is_text(value) and bool(_REF.fullmatch(value))),
    "files": _Field(
        "an object of texts by path, inside the workspace and outside .git",
        lambda value: isinstance(value, dict)
        and all(_is_path(path) and isinstance(text, str) for path, text in value.items()),
    ),
    "check": _TEXT,
    "max_steps": _Field("a whole number above 0", lambda value: _is_number(value) and isinstance(value, int)),
    "max_seconds": _NUMBER,
    "max_cost": _NUMBER,
    "flags": _Field("a list of texts", lambda value: isinstance(value, list) and all(map(_is_text, value))),
}  # fmt: skip
_REQUIRED = ("id", "prompt")


def is_url(repository: str) -> bool:
    """Tells whether a repository is not a folder of this machine."""
    return bool(_URL.match(repository))


def _is_path(path: str) -> bool:
    parts = PurePosixPath(path).parts
    is_inside = bool(parts) and not path.startswith("/") and not path.endswith("/") and ".." not in parts
    return is_inside and "\0" not in path and ".git" not in map(str.lower, parts)


def check_tasks(file: TextIO, out: Path) -> int:
    """Checks all tasks of a file before any is run, and returns how many there are.

    The file is at its beginning, before and afterwards; `out` is the folder of the run, which no workspace
    may hold. Raises `ConfigError`: a line is wrong; it is told by its number.
    """
    seen: dict[str, int] = {}
    checked_flags: set[tuple[str, ...]] = set()
    for number, task in _numbered(file):
        if (first := seen.setdefault(task.id.lower(), number)) != number:
            raise _wrong(file, number, f"the id {task.id!r} stands in line {first}, too")
        if problem := _problem_of_source(task, out):
            raise _wrong(file, number, problem)
        if task.flags not in checked_flags:
            _check_flags(file, number, task.flags)
            checked_flags.add(task.flags)
    file.seek(0)
    if not seen:
        raise ConfigError(f"{file.name} holds no task.")
    return len(seen)


def read_tasks(file: TextIO) -> Iterator[Task]:
    """Yields the tasks of a file. Raises `ConfigError` for a line that is none."""
    yield from (task for _, task in _numbered(file))


def open_tasks(path: str) -> TextIO:
    """Opens a file of tasks. Raises `ConfigError`: it cannot be read."""
    try:
        return Path(path).open(encoding="utf-8-sig")
    except OSError as error:
        raise ConfigError(f"cannot read the tasks in {path}: {reason_of(error)}.") from error


def _numbered(file: TextIO) -> Iterator[tuple[int, Task]]:
    folder = Path(file.name).absolute().parent
    number = 0
    try:
        for number, line in enumerate(file, 1):
            if line.strip():
                yield number, _task(file, number, line, folder)
    except UnicodeDecodeError:
        raise _wrong(file, number + 1, "it is not UTF-8 text") from None
    except OSError as error:
        raise ConfigError(f"cannot read the tasks in {file.name}: {reason_of(error)}.") from error


def _task(file: TextIO, number: int, line: str, folder: Path) -> Task:
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        raise _wrong(file, number, "it is no JSON object") from None
    if problem := _problem_of_fields(fields):
        raise _wrong(file, number, problem)
    # Paths are relative to the file that names them.
    for name in ("workspace", "repository"):
        if name in fields and not is_url(fields[name]):
            fields[name] = str(folder / Path(fields[name]).expanduser())
    return Task(**{**fields, "flags": tuple(fields.get("flags", ()))})


def _problem_of_fields(fields: Any) -> str:
    if not isinstance(fields, dict):
        return "it is no JSON object"
    for name, value in fields.items():
        if name not in _FIELDS:
            near = nearest(name, _FIELDS)
            return f"a task has no {name!r}" + (f"; did you mean {near!r}?" if near else "")
        if not _FIELDS[name].test(value):
            return f"{name!r} is not {_FIELDS[name].expected}"
    if missing := [name for name in _REQUIRED if name not in fields]:
        return f"{missing[0]!r} is missing"
    if "workspace" in fields and "repository" in fields:
        return "'workspace' and 'repository' say different things"
    if "ref" in fields and "repository" not in fields:
        return "'ref' needs a 'repository'"
    return ""


def _problem_of_source(task: Task, out: Path) -> str:
    """Why the folder that a task begins with cannot be taken; empty if it can."""
    source = task.workspace or ("" if task.is_remote else task.repository)
    if not source:
        return ""
    folder = Path(source)
    if not folder.is_dir():
        return f"{source} " + ("is not a folder" if folder.exists() else "does not exist")
    if task.repository:
        return ""
    if out.resolve().is_relative_to(folder.resolve()):
        return (
            f"{source} holds the run's own folder, which cannot be copied into itself: choose another --out"
        )
    if (folder / ".git").is_file():
        return f"the copy of {source} would share its repository: name it as 'repository', with a 'ref'"
    return ""


def _check_flags(file: TextIO, number: int, flags: Iterable[str]) -> None:
    try:
        if read_task_flags(flags).max_cost is not None:
            raise ConfigError("--max-cost is to be the field 'max_cost'")
    except ConfigError as error:
        raise _wrong(file, number, f"in its flags, {error}") from error


def _wrong(file: TextIO, number: int, problem: str) -> ConfigError:
    return ConfigError(f"{file.name}, line {number}: {problem}.")
