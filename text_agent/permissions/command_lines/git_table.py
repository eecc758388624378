"""Git's commands that only read, with the flags that keep them so. What is not here asks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from text_agent.lazy_regex import late_pattern

_DIFF = (
    "-p -u -U: -s -z -w -b -W -a -R -M? -C? -D -B? -S: -G: --patch --no-patch --stat? --numstat --shortstat"
    " --summary"
    " --compact-summary --dirstat? --name-only --name-status --raw --unified: --color? --no-color"
    " --word-diff?"
    " --color-words? --color-moved? --diff-filter: --ignore-all-space --ignore-space-change"
    " --ignore-blank-lines"
    " --ignore-cr-at-eol --ignore-space-at-eol --minimal --patience --histogram --diff-algorithm:"
    " --find-renames?"
    " --find-copies? --no-renames --full-index --binary --abbrev? --relative? --function-context --text"
    " --check"
    " --inter-hunk-context: --pickaxe-all --pickaxe-regex --no-prefix --src-prefix: --dst-prefix:"
    " --no-ext-diff"
    " --no-textconv --exit-code --quiet --patch-with-stat"
)
_COMMITS = (
    "-n: -# -i -E -F -P -g -c -m -t --all --branches? --tags? --remotes? --max-count: --skip: --since:"
    " --until: --after:"
    " --before: --author: --committer: --grep: --invert-grep --all-match --regexp-ignore-case --merges"
    " --no-merges"
    " --first-parent --reverse --topo-order --date-order --author-date-order --left-right --cherry-pick"
    " --cherry-mark"
    " --left-only --right-only --ancestry-path --simplify-by-decoration --full-history --boundary --count"
    " --walk-reflogs --no-walk? --oneline --graph --decorate? --no-decorate --abbrev-commit"
    " --no-abbrev-commit"
    " --format: --pretty? --date: --relative-date --follow --parents --children --root --no-notes --cc"
    " --no-mailmap"
    " --source --date-order --min-parents: --max-parents: --no-expand-tabs"
)
_HARMLESS_DIFFS = "--no-ext-diff --no-textconv --ignore-submodules=dirty --submodule=short"
_REFS = (
    "--sort: --format: --color? --no-color --points-at: --merged? --no-merged? --contains? --no-contains? -i"
)


@dataclass(frozen=True, slots=True)
class GitReader:
    """A command of git that only reads.

    Attributes:
        flags: those that it may have, as `options` describes them.
        most: how many operands it may have: `git branch NAME` makes a branch.
        shows: it shows what is in files.
        added: flags that keep it from running programs of the user's or the repository's.
    """

    flags: str = ""
    most: int | None = None
    shows: bool = False
    added: str = ""


# With these alone, `git log` tells of commits and names of files, and shows nothing of what is in them.
QUIET_FLAGS = frozenset(
    flag.rstrip("=:?") for flag in _COMMITS.split() if flag not in ("-c", "-m", "--cc", "-#")
) | {"--stat", "--numstat", "--shortstat", "--summary", "--compact-summary", "--dirstat", "--name-only",
     "--name-status", "--raw", "-s", "--no-patch", "--color", "--no-color", "-z", "-M", "-C",
     "--find-renames", "--no-renames", "--diff-filter"}  # fmt: skip


GIT_READERS: Mapping[str, GitReader] = {
    "status": GitReader(
        "-s -b -u? -z --short --branch --porcelain? --long --show-stash --untracked-files? --ignored?"
        " --renames"
        " --no-renames --ahead-behind --no-ahead-behind --column? --no-column",
        added="--ignore-submodules=dirty",
    ),
    "diff": GitReader(f"{_DIFF} --cached --staged --merge-base", shows=True, added=_HARMLESS_DIFFS),
    "log": GitReader(f"{_DIFF} {_COMMITS}", shows=True, added=_HARMLESS_DIFFS),
    "show": GitReader(f"{_DIFF} {_COMMITS}", shows=True, added=_HARMLESS_DIFFS),
    "diff-tree": GitReader(f"{_DIFF} -r -t --root --no-commit-id", shows=True, added=_HARMLESS_DIFFS),
    "diff-index": GitReader(f"{_DIFF} --cached -m", shows=True, added=_HARMLESS_DIFFS),
    "diff-files": GitReader(_DIFF, shows=True, added=_HARMLESS_DIFFS),
    "stash list": GitReader(_COMMITS, 0, added="--no-ext-diff --no-textconv"),
    "stash show": GitReader(_DIFF, 1, shows=True, added=_HARMLESS_DIFFS),
    "blame": GitReader(
        "-b -c -e -f -l -n -p -s -t -w -L: -M? -C? --porcelain --line-porcelain --incremental --date:"
        " --since: --abbrev:"
        " --show-name --show-number --show-email --root --show-stats --color-lines --color-by-age",
        shows=True, added="--no-textconv",
    ),
    "grep": GitReader(
        "-a -c -E -e: -F -G -H -h -I -i -l -L -n -o -P -p -q -v -W -w -z -A: -B: -C: -m: -# --after-context:"
        " --before-context: --context: --all-match --and --or --not --break --heading --cached --color?"
        " --no-color"
        " --column --count --extended-regexp --basic-regexp --fixed-strings --perl-regexp"
        " --files-with-matches"
        " --files-without-match --name-only --full-name --ignore-case --invert-match --line-number"
        " --max-count:"
        " --max-depth: --only-matching --quiet --show-function --function-context --text --word-regexp",
        shows=True, added="--no-textconv",
    ),
    "cat-file": GitReader("-e -p -s -t", shows=True),
    "ls-files": GitReader(
        "-c -d -i -k -m -o -s -t -u -v -x: -z --cached --deleted --modified --others --ignored --stage"
        " --killed"
        " --unmerged --exclude: --exclude-standard --error-unmatch --full-name --abbrev? --directory --eol"
        " --deduplicate --no-empty-directory",
    ),
    "ls-tree": GitReader("-d -l -r -t -z --abbrev? --full-name --full-tree --long --name-only --name-status"
                         " --object-only"),
    "rev-parse": GitReader(
        "-q --abbrev-ref? --short? --verify --quiet --symbolic --symbolic-full-name --all --branches?"
        " --tags? --remotes?"
        " --git-dir --git-common-dir --absolute-git-dir --show-toplevel --show-prefix --show-cdup"
        " --show-object-format"
        " --is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository",
    ),
    "rev-list": GitReader(_COMMITS),
    "branch": GitReader(f"-a -l -r -v --all --list --remotes --show-current --verbose --abbrev? --column?"
                        f" {_REFS}", 0),
    "tag": GitReader(f"-l -n? --list --column? {_REFS}", 0),
    "for-each-ref": GitReader(f"{_REFS} --count: --shell --python"),
    "show-ref": GitReader("-d -h -q -s --abbrev? --dereference --hash? --head --heads --quiet --tags"
                          " --verify"),
    "remote": GitReader("-v --verbose", 0),
    "remote get-url": GitReader("--all --push", 1),
    "worktree list": GitReader("-v -z --porcelain --verbose", 0),
    "reflog": GitReader(_COMMITS, 0),
    "reflog show": GitReader(_COMMITS),
    "shortlog": GitReader("-c -e -n -s --all --author: --email --group: --no-merges --numbered --since:"
                          " --summary --until:"),
    "describe": GitReader("--abbrev: --all --always --broken? --candidates: --contains --debug --dirty?"
                          " --exact-match"
                          " --exclude: --first-parent --long --match: --tags"),
    "merge-base": GitReader("-a --all --fork-point --independent --is-ancestor --octopus"),
    "name-rev": GitReader("--all --always --name-only --no-undefined --refs: --tags"),
    "check-ignore": GitReader("-n -q -v -z --no-index --non-matching --quiet --verbose"),
    "check-attr": GitReader("-a -z --all --cached"),
    "count-objects": GitReader("-H -v --human-readable --verbose", 0),
    "cherry": GitReader("-v --abbrev?"),
    "version": GitReader("--build-options", 0),
}  # fmt: skip

# What git may be told before its command.
HARMLESS_GLOBALS = frozenset({"--no-pager", "--no-optional-locks", "--literal-pathspecs", "--glob-pathspecs"})

# Keeps a reading command from the monitor of the file system, hooks, programs that check signatures, and
# repositories in repositories.
ADDED_GLOBALS = (
    "--no-pager --no-optional-locks -c core.fsmonitor=false -c core.hooksPath=/dev/null"
    " -c log.showSignature=false -c status.submoduleSummary=false -c safe.bareRepository=explicit"
)

# Settings that make reading commands run programs or reach the network, which no flag prevents.
RUNNING_SETTING = late_pattern(
    r"filter\..*\.(clean|smudge|process)|gpg\.(.*\.)?program|extensions\.partialclone|remote\..*\.promisor"
    r"|remote\..*\.partialclonefilter|core\.worktree|core\.alternaterefscommand"
)
# What git's extension for large files sets for every user of it.
USUAL_FILTERS: Mapping[str, str] = {
    "filter.lfs.clean": "git-lfs clean -- %f",
    "filter.lfs.smudge": "git-lfs smudge -- %f",
    "filter.lfs.process": "git-lfs filter-process",
}
