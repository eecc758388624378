"""Repositories whose settings start a trap wherever git lets them, in all forms that a clone brings."""

from __future__ import annotations

import atexit
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

# Settings that name a program (TRAP), or make git start one; reading commands are kept from them.
KEPT_OFF: Mapping[str, str] = {
    "core.fsmonitor": "TRAP", "core.hooksPath": "HOOKS", "core.sshCommand": "TRAP", "core.pager": "TRAP",
    "pager.log": "TRAP", "pager.status": "TRAP", "core.editor": "TRAP", "core.askPass": "TRAP",
    "core.gitProxy": "TRAP", "diff.external": "TRAP", "diff.evil.textconv": "TRAP",
    "diff.evil.command": "TRAP",
    "credential.helper": "!TRAP", "alias.log": "!TRAP", "alias.status": "!TRAP", "merge.evil.driver": "TRAP",
    "log.diffMerges": "remerge", "log.showSignature": "true", "format.pretty": "%h %G? %s",
    "remote.origin.url": "ext::TRAP", "remote.origin.uploadpack": "TRAP", "remote.origin.receivepack": "TRAP",
    "remote.origin.vcs": "evil", "protocol.ext.allow": "always", "uploadpack.packObjectsHook": "TRAP",
    "sequence.editor": "TRAP", "submodule.sub.update": "!TRAP", "status.submoduleSummary": "true",
    "submodule.recurse": "true", "diff.submodule": "log", "trailer.evil.command": "TRAP",
    "interactive.diffFilter": "TRAP", "difftool.evil.cmd": "TRAP", "mergetool.evil.cmd": "TRAP",
    "browser.evil.cmd": "TRAP", "gc.recentObjectsHook": "TRAP", "sendemail.sendmailCmd": "TRAP",
}  # fmt: skip
# Settings that no flag prevents: with one of these, a reading command asks, and git is asked nothing more.
RUNNING: Mapping[str, Mapping[str, str]] = {
    "signatures": {"gpg.program": "TRAP", "log.showSignature": "true"},
    "signatures of ssh": {"gpg.ssh.program": "TRAP", "log.showSignature": "true"},
    "signatures of x509": {"gpg.x509.program": "TRAP", "log.showSignature": "true"},
    "clean": {"filter.evil.clean": "TRAP"},
    "smudge": {"filter.evil.smudge": "TRAP"},
    "process": {"filter.evil.process": "TRAP"},
    "partial clone": {
        "extensions.partialClone": "origin", "core.repositoryFormatVersion": "1", "core.sshCommand": "TRAP",
        "remote.origin.url": "ssh://host/x", "remote.origin.promisor": "true",
    },
    "promisor": {
        "remote.origin.promisor": "true", "remote.origin.url": "ext::TRAP", "protocol.ext.allow": "always",
    },
    "alternates": {"core.alternateRefsCommand": "TRAP"},
    "work tree outside": {"core.worktree": "/"},
    "large files": {"filter.lfs.clean": "git-lfs clean -- %f", "lfs.extension.evil.clean": "TRAP"},
    "included": {"include.path": "INCLUDED"},
}  # fmt: skip
LINES = (
    "git status", "git diff HEAD", "git diff", "git log -p", "git log -m -p", "git show", "git blame a.txt",
    "git grep one", "git describe --always --dirty", "git stash list", "git branch -vv", "git ls-files -m",
)  # fmt: skip
_SIGNED = """tree {tree}
parent {parent}
author x <x@example.org> 1 +0000
committer x <x@example.org> 1 +0000
gpgsig -----BEGIN {kind}-----
 
 iQ
 -----END {kind}-----

signed
"""
_HOOKS = ("post-index-change", "fsmonitor-watchman", "post-checkout", "reference-transaction", "pre-auto-gc")


@dataclass(frozen=True, slots=True)
class TrappedRepository:
    """A repository.

    Attributes:
        folder: where one works.
        config: the file with its settings.
        trap: a program that leaves a mark.
    """

    folder: Path
    config: Path
    trap: Path

    @property
    def mark(self) -> Path:
        """What the trap leaves."""
        return self.trap.with_name("mark")

    def set(self, settings: Mapping[str, str]) -> None:
        """Writes settings, with the trap where they say `TRAP`."""
        included = self.trap.with_name("included")
        for name, value in settings.items():
            filled = value.replace("TRAP", str(self.trap)).replace("HOOKS", str(self.trap.parent / "hooks"))
            if value == "INCLUDED":
                run_git(self.folder, "config", "-f", str(included), "filter.evil.clean", str(self.trap))
                filled = str(included)
            run_git(self.folder, "config", "-f", str(self.config), name, filled)


def run_git(folder: Path, *words: str, given: str = "") -> str:
    """Runs git before any trap is set, and returns what it prints."""
    identity = ("-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "protocol.file.allow=always")
    argv = ["git", *identity, *words]
    return subprocess.run(
        argv, cwd=folder, input=given, check=True, capture_output=True, text=True
    ).stdout.strip()


def trap_in(folder: Path) -> Path:
    """Makes the trap, and a folder of hooks that are traps."""
    (folder / "hooks").mkdir(parents=True)
    trap = folder / "trap"
    for program in (trap, *(folder / "hooks" / name for name in _HOOKS)):
        program.write_text(f'#!/bin/sh\necho "$0 $*" >> "{folder}/mark"\n')
        program.chmod(0o755)
    return trap


def _fill(folder: Path) -> None:
    """Makes a repository with signed commits and a merge, a change, and attributes that name the drivers."""
    shutil.copytree(_filled(), folder, symlinks=True, dirs_exist_ok=True)
    run_git(folder, "reset", "-q")
    (folder / "a.txt").write_text("four\n")


@cache
def _filled() -> Path:
    """The repository without the change, which is made once and goes when the process does."""
    folder = Path(mkdtemp())
    atexit.register(shutil.rmtree, folder)
    run_git(folder, "init", "-q", "-b", "main")
    (folder / "a.txt").write_text("one\n")
    (folder / ".gitattributes").write_text("*.txt diff=evil filter=evil merge=evil\n")
    run_git(folder, "add", ".")
    run_git(folder, "commit", "-qm", "first")
    parent, tree = run_git(folder, "rev-parse", "HEAD", "HEAD^{tree}").split()
    for kind in ("PGP SIGNATURE", "SSH SIGNATURE", "SIGNED MESSAGE"):
        text = _SIGNED.format(tree=tree, parent=parent, kind=kind)
        parent = run_git(folder, "hash-object", "-t", "commit", "-w", "--stdin", given=text)
    sides = []
    for text in ("two\n", "three\n"):
        run_git(folder, "reset", "-q", "--hard", parent)
        (folder / "a.txt").write_text(text)
        run_git(folder, "commit", "-qam", text)
        sides.append(run_git(folder, "rev-parse", "HEAD"))
    merge = run_git(
        folder, "commit-tree", "-p", sides[0], "-p", sides[1], "-m", "merge", f"{sides[1]}^{{tree}}"
    )
    run_git(folder, "reset", "-q", "--hard", merge)
    return folder


def _root(base: Path) -> tuple[Path, Path]:
    _fill(base)
    return base, base / ".git/config"


def _bare_below(base: Path) -> tuple[Path, Path]:
    _fill(base)
    run_git(base, "clone", "-q", "--bare", ".", "sub")
    return base / "sub", base / "sub/config"


def _git_file(base: Path) -> tuple[Path, Path]:
    work = base / "work"
    work.mkdir()
    _fill(work)
    (work / ".git").rename(base / "work/store")
    (work / ".git").write_text("gitdir: store\n")
    return work, work / "store/config"


def _submodule(base: Path) -> tuple[Path, Path]:
    _fill(base)
    run_git(base, "submodule", "--quiet", "add", str(base), "module")
    (base / "module/a.txt").write_text("four\n")
    return base / "module", base / ".git/modules/module/config"


def _linked(base: Path) -> tuple[Path, Path]:
    _fill(base)
    run_git(base, "worktree", "add", "-q", "linked")
    (base / "linked/a.txt").write_text("four\n")
    return base / "linked", base / ".git/config"


def _settings_of_work_tree(base: Path) -> tuple[Path, Path]:
    _fill(base)
    run_git(base, "config", "extensions.worktreeConfig", "true")
    return base, base / ".git/config.worktree"


PLACES: Mapping[str, Callable[[Path], tuple[Path, Path]]] = {
    "the root": _root,
    "a bare repository below": _bare_below,
    "a .git file": _git_file,
    "a submodule": _submodule,
    "a linked work tree": _linked,
    "settings of a work tree": _settings_of_work_tree,
}


def trapped(place: str, base: Path) -> TrappedRepository:
    """Makes a repository in one of the `PLACES`; its settings are not set yet."""
    trap = trap_in(base.parent / "trap")
    folder, config = PLACES[place](base)
    return TrappedRepository(folder, config, trap)
