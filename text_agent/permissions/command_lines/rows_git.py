"""Rows of git's commands: those that only read, with the flags that keep them so; those that lose work."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import replace

from text_agent.own_programs.git import reading_flags
from text_agent.permissions.command_lines.program import Program

_DIFF = (
    "-p -u -U: -s -z -w -b -W -a -R -M? -C? -D -B? -S: -G: --patch --no-patch --stat? --numstat --shortstat"
    " --summary --compact-summary --dirstat? --name-only --name-status --raw --unified: --color? --no-color"
    " --word-diff? --color-words? --color-moved? --diff-filter: --ignore-all-space --ignore-space-change"
    " --ignore-blank-lines --ignore-cr-at-eol --ignore-space-at-eol --minimal --patience --histogram"
    " --diff-algorithm: --find-renames? --find-copies? --no-renames --full-index --binary --abbrev?"
    " --relative? --function-context --text --check --inter-hunk-context: --pickaxe-all --pickaxe-regex"
    " --no-prefix --src-prefix: --dst-prefix: --no-ext-diff --no-textconv --exit-code --quiet"
    " --patch-with-stat"
)
_COMMITS = (
    "-n: -# -i -E -F -P -g --all --branches? --tags? --remotes? --max-count: --skip: --since:"
    " --until: --after: --before: --author: --committer: --grep: --invert-grep --all-match"
    " --regexp-ignore-case --merges --no-merges --first-parent --reverse --topo-order --date-order"
    " --author-date-order --left-right --cherry-pick --cherry-mark --left-only --right-only --ancestry-path"
    " --simplify-by-decoration --full-history --boundary --count --walk-reflogs --no-walk? --oneline --graph"
    " --decorate? --no-decorate --abbrev-commit --no-abbrev-commit --format: --pretty? --date:"
    " --relative-date --follow --parents --children --root --no-notes --no-mailmap --source"
    " --min-parents: --max-parents: --no-expand-tabs"
)
# With these alone, `git log` tells of commits and names of files, and shows nothing of what is in them.
QUIET_FLAGS = frozenset(
    flag.rstrip("=:?")
    for flag in f"""{_COMMITS} --stat --numstat --shortstat --summary --compact-summary --dirstat --name-only
        --name-status --raw -s --no-patch --color --no-color -z -M -C --find-renames --no-renames
        --diff-filter""".split()
)
_REFS = (
    "--sort: --format: --color? --no-color --points-at: --merged? --no-merged? --contains? --no-contains? -i"
)
# A placeholder of a format for which git runs the program that checks signatures.
_SIGNATURES = r".*(?:%G|%\(signature).*"
# Files that no commit holds are reached by these.
_OUTSIDE = "--no-index|--untracked|--no-exclude-standard"


def _names(flags: str = "", most: int | None = None, added: str = "") -> Program:
    """A command that only reads, and shows names and commits."""
    return Program(flags, most=most, shows=False, added=added, never=_SIGNATURES, writes="told")


def _shows(flags: str, added: str = "", most: int | None = None) -> Program:
    """A command that only reads, and shows what is in files."""
    return replace(_names(flags, most, added), shows=True)


def _loses(name: str, phrases: str, row: Program) -> Program:
    """A command that may lose work for good if it is told `phrases`; without any, always."""
    return replace(row, dangers={phrases: f"may lose work for good (git {name})"})


def _diffs(flags: str = "", most: int | None = None) -> Program:
    added = "--no-ext-diff --no-textconv --ignore-submodules=dirty --submodule=short"
    return replace(_shows(f"{_DIFF} {flags}", added, most), deep=_OUTSIDE)


_READING: Mapping[str, Program] = {
    "status": _names(
        "-s -b -u? -z --short --branch --porcelain? --long --show-stash --untracked-files? --ignored?"
        " --renames --no-renames --ahead-behind --no-ahead-behind --column? --no-column",
        added="--ignore-submodules=dirty",
    ),
    "diff": _diffs("--cached --staged --merge-base"),
    "log": _diffs(f"{_COMMITS} -c -m -t --cc"),
    "show": _diffs(f"{_COMMITS} -c -m -t --cc"),
    "diff-tree": _diffs("-r -t --root --no-commit-id"),
    "diff-index": _diffs("--cached -m"),
    "diff-files": _diffs(),
    "stash list": _names(_COMMITS, 0, added="--no-ext-diff --no-textconv"),
    "stash show": _diffs(most=1),
    "blame": _shows(
        "-b -c -e -f -l -n -p -s -t -w -L: -M? -C? --porcelain --line-porcelain --incremental --date:"
        " --since: --abbrev: --show-name --show-number --show-email --root --show-stats --color-lines"
        " --color-by-age",
        "--no-textconv",
    ),
    "grep": replace(
        _shows(
            "-a -c -E -e: -F -G -H -h -I -i -l -L -n -o -P -p -q -v -W -w -z -A: -B: -C: -m: -#"
            " --after-context: --before-context: --context: --all-match --and --or --not --break --heading"
            " --cached --color? --no-color --column --count --extended-regexp --basic-regexp --fixed-strings"
            " --perl-regexp --files-with-matches --files-without-match --name-only --full-name --ignore-case"
            " --invert-match --line-number --max-count: --max-depth: --only-matching --quiet --show-function"
            " --function-context --text --word-regexp",
            "--no-textconv --no-recurse-submodules",
        ),
        operands="pattern and paths", deep=_OUTSIDE,
    ),
    "cat-file": _shows("-e -p -s -t"),
    "ls-files": replace(
        _names(
            "-c -d -i -k -m -o -s -t -u -v -x: -z --cached --deleted --modified --others --ignored --stage"
            " --killed --unmerged --exclude: --exclude-standard --error-unmatch --full-name --abbrev?"
            " --directory --eol --deduplicate --no-empty-directory",
        ),
        lists=True,
    ),
    "ls-tree": replace(
        _names("-d -l -r -t -z --abbrev? --full-name --full-tree --long --name-only --name-status"
               " --object-only"),
        lists=True,
    ),
    "rev-parse": _names(
        "-q --abbrev-ref? --short? --verify --quiet --symbolic --symbolic-full-name --all --branches?"
        " --tags? --remotes? --git-dir --git-common-dir --absolute-git-dir --show-toplevel --show-prefix"
        " --show-cdup --show-object-format --is-inside-work-tree --is-inside-git-dir --is-bare-repository"
        " --is-shallow-repository",
    ),
    "rev-list": _names(_COMMITS),
    "branch": _names(f"-a -l -r -v --all --list --remotes --show-current --verbose --abbrev? --column?"
                     f" {_REFS}", 0),
    "tag": _names(f"-l -n? --list --column? {_REFS}", 0),
    "for-each-ref": _names(f"{_REFS} --count: --shell --python"),
    "show-ref": _names("-d -h -q -s --abbrev? --dereference --hash? --head --heads --quiet --tags --verify"),
    "remote": replace(_names("-v --verbose", 0), powers=r"~^(?:add|set-url) .*ext::"),
    "remote get-url": _names("--all --push", 1),
    "worktree list": _names("-v -z --porcelain --verbose", 0),
    "reflog": _names(_COMMITS, 0),
    "reflog show": _names(_COMMITS),
    "shortlog": _names("-c -e -n -s --all --author: --email --group: --no-merges --numbered --since:"
                       " --summary --until:"),
    "describe": _names("--abbrev: --all --always --candidates: --contains --debug --exact-match --exclude:"
                       " --first-parent --long --match: --tags"),
    "merge-base": _names("-a --all --fork-point --independent --is-ancestor --octopus"),
    "name-rev": _names("--all --always --name-only --no-undefined --refs: --tags"),
    "check-ignore": _names("-n -q -v -z --no-index --non-matching --quiet --verbose"),
    "check-attr": _names("-a -z --all --cached"),
    "count-objects": _names("-H -v --human-readable --verbose", 0),
    "cherry": _names("-v --abbrev?"),
    "version": _names("--build-options", 0),
}  # fmt: skip

_LOSING: Mapping[str, str] = {
    "branch": "-C|-D|-M|-f|--force",
    "checkout": "-B|-f|--force|--|* .|--pathspec-from-file",
    "checkout-index": "-f|--force|-a|--all",
    "filter-branch": "",
    "filter-repo": "",
    "gc": "--prune",
    "prune": "",
    "push": "-f|--force|--force-with-lease|--mirror|--delete|-d|--prune",
    "read-tree": "-u|--reset",
    "reflog": "* expire|* delete",
    "reset": "--hard|--merge",
    "rm": "-f|--force",
    "stash": "* drop|* clear",
    "sparse-checkout": "* set",
    "submodule": "* deinit|-f|--force",
    "switch": "-f|--force|--discard-changes|-C|--force-create|--orphan",
    "tag": "-d|--delete|-f|--force",
    "update-ref": "",
    "worktree": "-f|--force",
}

GIT = Program(
    "--version --no-pager --no-optional-locks --literal-pathspecs --glob-pathspecs",
    needs="--version", most=0, writes="told", many_sided=True,
    options="-C= -c: --git-dir= --work-tree= --namespace: --config-env: --super-prefix: --exec-path? -p -P"
            " --paginate --no-pager --no-optional-locks --literal-pathspecs --glob-pathspecs --bare --version"
            " --no-replace-objects --no-lazy-fetch --noglob-pathspecs --icase-pathspecs --list-cmds?",
    added=shlex.join(reading_flags()),
    powers="lfs install|maintenance start|maintenance register",
    secrets=r"~(?:^| )credential|^config .*(?:extraheader|token|passw)",
    commands={
        **_READING,
        **{name: _loses(name, phrases, _READING.get(name, Program())) for name, phrases in _LOSING.items()},
        "rm": _loses("rm", _LOSING["rm"], Program(shows=False, deletes="all")),
        **{name: Program(starts=0) for name in ("bisect run", "submodule foreach")},
    },
)  # fmt: skip
