"""Runs git for this program itself, on repositories whose settings are not to be trusted.

Whatever the user, the repository or a repository in it has set, git starts no program of theirs and reaches
no network. What no flag prevents is told by `RUNNING_SETTING`: a repository with such a setting is asked
nothing further.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path, PurePosixPath

from text_agent.own_programs.processes import find_program, own_environment, run

# Seconds for a question to git; whoever waits longer is asked instead.
_SECONDS = 10.0
# No file can be started under this name, whatever lies on the PATH.
_NOTHING = "/dev/null"
# For commands of the model's that only read, too: the monitor of the file system, hooks, what checks
# signatures, drivers that merge again to show a merge, and repositories in repositories.
READING_SETTINGS: Mapping[str, str] = {
    "core.fsmonitor": "false", "core.hooksPath": _NOTHING, "log.showSignature": "false",
    "log.diffMerges": "separate", "gpg.program": _NOTHING, "gpg.openpgp.program": _NOTHING,
    "gpg.x509.program": _NOTHING, "gpg.ssh.program": _NOTHING, "status.submoduleSummary": "false",
    "submodule.recurse": "false", "safe.bareRepository": "explicit",
}  # fmt: skip
# What needs the network, an editor or a pager: none of our own questions does.
OWN_SETTINGS: Mapping[str, str] = {
    **READING_SETTINGS, "core.pager": _NOTHING, "core.editor": _NOTHING, "core.askPass": _NOTHING,
    "core.sshCommand": _NOTHING, "core.gitProxy": _NOTHING, "core.alternateRefsCommand": _NOTHING,
    "credential.helper": "", "diff.external": _NOTHING, "protocol.allow": "never", "gc.auto": "0",
    "maintenance.auto": "false",
}  # fmt: skip
# `GIT_ALLOW_PROTOCOL` goes before all settings of protocols, also those of single ones.
GIT_VARIABLES: Mapping[str, str] = {
    "GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C",
}  # fmt: skip
# Those of the user's variables that say which settings count.
_SETTINGS_OF_USER = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_COUNT")
_SETTING_OF_USER = ("GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_")
# With one of these, git takes another repository, or other parts of one, than lies in the folder.
REDIRECTING = frozenset({
    "GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_CONFIG", "GIT_CONFIG_PARAMETERS", "GIT_EXEC_PATH",
    "GIT_REPLACE_REF_BASE", "GIT_ATTR_SOURCE",
})  # fmt: skip
_SPELLED = {"head": "HEAD"}
# Folders that git takes for repositories have these parts, whatever they are called; or those of a linked
# work tree, which names where the others lie. Their settings name programs that git starts.
_PARTS = ({"head", "objects", "refs"}, {"head", "commondir"})
Confine = Callable[[Sequence[str]], Sequence[str]]


def reading_flags() -> list[str]:
    """Returns what a reading command of git is told before its name, whoever gives it."""
    return _flags(READING_SETTINGS)


def own_flags() -> list[str]:
    """Returns what a command of git is told before its name where this program gives it."""
    return _flags(OWN_SETTINGS)


def own_git_environment(environment: Mapping[str, str], root: Path) -> dict[str, str]:
    """Returns the variables that git gets: the user's own for its settings, and what keeps it quiet."""
    settings = {
        name: value
        for name, value in environment.items()
        if name in _SETTINGS_OF_USER or name.startswith(_SETTING_OF_USER)
    }
    return {**own_environment(environment, root), **settings, **GIT_VARIABLES}


def ask_git(
    root: Path, environment: Mapping[str, str], words: Sequence[str], confine: Confine | None = None
) -> str | None:
    """Asks git about the repository that the workspace `root`, links resolved, lies in.

    `environment` is the user's; `words` are a command that only reads, and its arguments; `confine` turns
    arguments into those that start a program in the sandbox. Returns what it prints; None if it cannot tell.
    """
    program = find_program("git", root, environment.get("PATH", ""))
    if program is None or REDIRECTING & environment.keys() or lies_in_git_folder(root):
        return None
    argv = [program, *own_flags(), *words]
    try:
        done = run(
            confine(argv) if confine else argv, own_git_environment(environment, root), root, seconds=_SECONDS
        )
    except (OSError, ValueError):
        return None
    return done.stdout.decode("utf-8", "surrogateescape") if done.returncode == 0 else None


def _flags(settings: Mapping[str, str]) -> list[str]:
    pairs = (word for name, value in settings.items() for word in ("-c", f"{name}={value}"))
    return ["--no-pager", "--no-optional-locks", *pairs]


def is_git_folder(folder: Path, new: AbstractSet[str] = frozenset()) -> bool:
    """Tells whether git takes the folder itself, not a `.git` in it, for a repository, with `new` in it."""
    names = new | {name for parts in _PARTS for name in parts if (folder / _SPELLED.get(name, name)).exists()}
    return any(parts <= names for parts in _PARTS)


def is_git_listing(names: Iterable[str]) -> bool:
    """Tells the same of a folder in which these names stand."""
    found = {name.lower() for name in names}
    return any(parts <= found for parts in _PARTS)


def lies_in_git_folder(folder: Path) -> bool:
    """Tells whether git, started in the folder, comes upon such a folder before it comes upon a `.git`."""
    for each in (folder, *folder.parents):
        if (each / ".git").exists():
            return False
        if is_git_folder(each):
            return True
    return False


def is_own_work_tree(folder: Path, work_tree: str) -> bool:
    """Tells whether the setting `core.worktree` names the place where git is anyway, as in submodules."""
    top = _top_of(folder)
    return top is not None and (_git_folder_of(top) / work_tree).resolve() == top


def leads_to_its_own(folder: Path, *, is_named: bool = False) -> bool:
    """Tells whether the `.git` that counts in the folder is there, or knows that it belongs to this place.

    Otherwise a `.git` that came in an archive could show the history of any repository of the user's.
    `is_named`: its settings name this place, as those of submodules do.
    """
    top = _top_of(folder)
    if top is None:
        return True
    git_folder = _git_folder_of(top)
    common = (git_folder / _text_of(git_folder / "commondir")).resolve()
    if not git_folder.is_relative_to(common):
        return False
    return (
        is_named
        or git_folder.is_relative_to(top)
        or Path(_text_of(git_folder / "gitdir")).resolve() == top / ".git"
    )


def _top_of(folder: Path) -> Path | None:
    return next((each for each in (folder, *folder.parents) if (each / ".git").exists()), None)


def _git_folder_of(top: Path) -> Path:
    link = top / ".git"
    return (link if link.is_dir() else top / _text_of(link).removeprefix("gitdir: ")).resolve()


def _text_of(file: Path) -> str:
    """Returns the text of a file without blanks around it; empty if it cannot be read."""
    try:
        return file.read_text("utf-8", "replace").strip()
    except OSError:
        return ""


def makes_git_folder(root: Path, paths: Iterable[str]) -> str:
    """Returns the first of `paths`, relative to `root`, that makes or changes such a folder; else ""."""
    parts = [(path, *place) for path in paths for place in _places(path)]
    for path, folder, _ in parts:
        new = {part.lower() for _, other, part in parts if other == folder}
        if is_git_folder(root / folder, new):
            return path
    return ""


def _places(path: str) -> Iterator[tuple[str, str]]:
    """Yields each folder above a file, with the next part of the path."""
    parts = PurePosixPath(path).parts
    yield from (("/".join(parts[:at]), part) for at, part in enumerate(parts))
