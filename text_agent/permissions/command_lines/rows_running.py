"""Rows of programs that run others, or code: shells, interpreters, wrappers, finders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from text_agent.permissions.command_lines.program import Program

_RIGHTS = "runs with the rights of another user"
# It tells its version, and does nothing else without asking. Programs that first look into the folder for
# which version of themselves to start (cargo, go, yarn, ...) would start what the folder names.
_VERSION = Program("--version", needs="--version", most=0)
_SHELL = Program(language="shell")
_CODE = Program(language="code")
_EDITOR = Program(language="editor", lines="-c|--cmd|+")
_REMOTE = Program(lines="-o|-e|--rsh|--rsync-path")
_PACKAGES = Program(starts=0, many_sided=True, powers="husky|lefthook install|pre-commit install")
_FINDER = Program(shows=False, finds=True, lists=True)

RUNNING: Mapping[str, Program] = {
    **dict.fromkeys(("ash", "csh", "dash", "fish", "ksh", "mksh", "pwsh", "rbash", "sh", "tcsh", "zsh"),
                    _SHELL),
    "source": _SHELL, ".": _SHELL, "eval": Program(language="line"),
    "bash": replace(_VERSION, language="shell"),
    **dict.fromkeys(("awk", "bun", "deno", "gawk", "lua", "mawk", "nodejs", "osascript", "perl", "php",
                     "python2", "Rscript", "ruby", "tclsh"), _CODE),
    **dict.fromkeys(("node", "python", "python3"), replace(_VERSION, language="code")),
    **dict.fromkeys(("clang", "g++", "gcc", "make"), _VERSION),
    **dict.fromkeys(("ex", "nvim", "vi", "view", "vim"), _EDITOR),
    "ed": Program(language="editor"),
    **dict.fromkeys(("less", "more"), Program(lines="+")),
    # They run what stands behind them.
    **dict.fromkeys(
        ("batch", "builtin", "busybox", "caffeinate", "catchsegv", "choom", "chpst", "chronic", "coproc",
         "cpulimit", "dbus-run-session", "eatmydata", "entr", "env", "exec", "fakeroot", "firejail", "gdb",
         "hyperfine", "ionice", "ld", "linux32", "linux64", "ltrace", "nice", "nohup", "nsenter", "numactl",
         "prlimit", "proot", "rlwrap", "script", "setpriv", "setsid", "stdbuf", "strace", "systemd-run",
         "time", "toybox", "trap", "unbuffer", "unshare", "valgrind", "watch", "xvfb-run"), Program(starts=0),
    ),
    **dict.fromkeys(("chroot", "chrt", "faketime", "flock", "setarch", "taskset", "timeout"),
                    Program(starts=1)),
    **dict.fromkeys(("at", "batch"), Program(starts=1, powers="*")),
    "ssh": replace(_REMOTE, starts=1),
    "tmux": Program(starts=1, dangers={"kill-server": "ends all programs in its terminals"},
                    secrets="show-environment|showenv"),
    **dict.fromkeys(("xargs", "parallel"), Program(starts=0, eats=True)),
    **dict.fromkeys(("read", "mapfile", "readarray"), Program(eats=True)),
    **dict.fromkeys(("doas", "dzdo", "pkexec", "run0", "runuser", "sg", "su", "sudo"),
                    Program(starts=0, dangers={"": _RIGHTS})),
    "newgrp": Program(dangers={"": _RIGHTS}),
    # They do many things, one of which is to run another program.
    "bunx": replace(_PACKAGES, lines="-c|--call"), "npx": replace(_PACKAGES, lines="-c|--call"),
    "pnpx": _PACKAGES, "uvx": replace(_PACKAGES, starts=None),
    **dict.fromkeys(("bundle", "perf", "pipenv", "rye"), Program(starts=1, many_sided=True)),
    **dict.fromkeys(("direnv", "mise"), Program(starts=2, many_sided=True)),
    # They look for files, or show names.
    "fd": _FINDER, "fdfind": _FINDER, "locate": Program(lists=True),
    # They take lines for a shell from flags.
    "sftp": replace(_REMOTE, fetches=True),
    "man": Program(lines="-P|--pager|-H|--html"),
    "nix-shell": Program(lines="--run|--command"),
    "split": Program(lines="--filter"),
}  # fmt: skip
