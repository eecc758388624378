"""Rows of programs that run others, or code: shells, interpreters, wrappers, finders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from text_agent.permissions.command_lines.program import Program, table

_RIGHTS = "runs with the rights of another user"
# It tells its version, and does nothing else without asking. Programs that first look into the folder for
# which version of themselves to start (cargo, go, yarn, ...) would start what the folder names.
_VERSION = Program("--version", needs="--version", most=0)
_REMOTE = Program(lines="-o|-e|--rsh|--rsync-path")
_PACKAGES = Program(starts=0, many_sided=True, powers="husky|lefthook install|pre-commit install")

RUNNING: Mapping[str, Program] = table({
    "ash csh dash fish ksh mksh pwsh rbash sh tcsh zsh source .": Program(language="shell"),
    "eval": Program(language="line"),
    "bash": replace(_VERSION, language="shell"),
    "awk deno gawk lua mawk nodejs osascript perl php python2 Rscript ruby tclsh": Program(language="code"),
    "node python python3": replace(_VERSION, language="code"),
    "clang g++ gcc": _VERSION,
    "make gmake": replace(_VERSION, language="recipes", lines="--eval"),
    "ex nvim vi view vim": Program(language="editor", lines="-c|--cmd|+"),
    "ed": Program(language="editor"),
    "less more": Program(lines="+"),
    # They run what stands behind them.
    "builtin busybox caffeinate catchsegv choom chpst chronic coproc cpulimit dbus-run-session eatmydata entr"
    " env exec fakeroot firejail gdb hyperfine ionice ld linux32 linux64 ltrace nice nohup nsenter numactl"
    " prlimit proot rlwrap script setpriv setsid stdbuf strace systemd-run time toybox trap unbuffer unshare"
    " valgrind watch xvfb-run": Program(starts=0),
    "chroot chrt faketime flock setarch taskset timeout": Program(starts=1),
    "at batch": Program(starts=1, powers="*"),
    "ssh": replace(_REMOTE, starts=1),
    "tmux": Program(starts=1, dangers={"kill-server": "ends all programs in its terminals"},
                    secrets="show-environment|showenv"),
    "xargs parallel": Program(starts=0, eats=True),
    "read mapfile readarray": Program(eats=True),
    "doas dzdo pkexec run0 runuser sg su sudo": Program(starts=0, dangers={"": _RIGHTS}),
    "newgrp": Program(dangers={"": _RIGHTS}),
    # They do many things, one of which is to run another program.
    "bunx npx": replace(_PACKAGES, lines="-c|--call"), "pnpx": _PACKAGES,
    "uvx": replace(_PACKAGES, starts=None),
    "bundle perf pipenv rye": Program(starts=1, many_sided=True),
    "direnv mise": Program(starts=2, many_sided=True),
    # They look for files, or show names.
    "fd fdfind": Program(shows=False, finds=True, lists=True), "locate": Program(lists=True),
    # They take lines for a shell from flags.
    "sftp": replace(_REMOTE, fetches=True),
    "man": Program(lines="-P|--pager|-H|--html"),
    "nix-shell": Program(lines="--run|--command"),
    "split": Program(lines="--filter"),
})  # fmt: skip
