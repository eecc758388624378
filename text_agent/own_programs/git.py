"""Runs git for this program itself, on repositories whose settings are not to be trusted.

Whatever the user, the repository or a repository in it has set, git starts no program of theirs and reaches
no network. What no flag prevents is told by `RUNNING_SETTING`: a repository with such a setting is asked
nothing further.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from text_agent.own_programs.git_folders import lies_in_git_folder
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
