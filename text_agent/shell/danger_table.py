"""Programs and their arguments that destroy what cannot be brought back, or act with greater rights."""

from __future__ import annotations

from collections.abc import Mapping

SHELLS = frozenset(
    {"ash", "bash", "csh", "dash", "fish", "ksh", "mksh", "pwsh", "rbash", "sh", "tcsh", "zsh"}
)
# Programs that run code they are given as text.
INTERPRETERS = frozenset(
    {"awk", "bun", "deno", "gawk", "lua", "mawk", "node", "nodejs", "osascript", "perl", "php", "python",
     "python2",
     "python3", "Rscript", "ruby", "tclsh"}
)  # fmt: skip
# Programs that run another one, with how many words of their own stand before it, flags aside.
WRAPPERS: Mapping[str, int] = {
    **dict.fromkeys(
        (
            "batch",
            "builtin",
            "busybox",
            "command",
            "coproc",
            "doas",
            "entr",
            "env",
            "exec",
            "gdb",
            "ionice",
            "ltrace",
            "nice",
            "nohup",
            "nsenter",
            "parallel",
            "pkexec",
            "runuser",
            "script",
            "setpriv",
            "setsid",
            "stdbuf",
            "strace",
            "su",
            "sudo",
            "systemd-run",
            "time",
            "toybox",
            "trap",
            "unshare",
            "watch",
            "xargs",
        ),
        0,
    ),
    **dict.fromkeys(("at", "chroot", "chrt", "flock", "setarch", "ssh", "taskset", "timeout", "tmux"), 1),
}
# Flags behind which programs that look for files name one to run.
EXECUTING_FLAGS = frozenset({"-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"})
FINDERS = frozenset({"find", "fd", "fdfind"})

# What each of these programs does, for the user to read.
DANGEROUS_PROGRAMS: Mapping[str, str] = {
    **dict.fromkeys(("doas", "pkexec", "runuser", "su", "sudo"), "runs with the rights of another user"),
    **dict.fromkeys(
        ("blkdiscard", "cfdisk", "dd", "fdisk", "gdisk", "mkswap", "parted", "sfdisk", "sgdisk", "wipefs"),
        "overwrites disks or files",
    ),
    **dict.fromkeys(("shred", "srm", "wipe"), "destroys files for good"),
    **dict.fromkeys(("halt", "poweroff", "reboot", "shutdown", "telinit"), "stops the machine"),
    **dict.fromkeys(("chpasswd", "deluser", "passwd", "userdel", "groupdel", "visudo"), "changes users"),
    "dropdb": "deletes a database",
}
DANGEROUS_PREFIXES = ("mkfs",)

# Programs by their first words.
DANGEROUS_COMMANDS: Mapping[tuple[str, ...], str] = {
    ("aws", "s3", "rb"): "deletes a bucket",
    ("cargo", "publish"): "publishes for good",
    ("cargo", "yank"): "changes what is published",
    ("docker", "system", "prune"): "deletes images, containers and networks",
    ("docker", "volume", "prune"): "deletes volumes",
    ("docker", "volume", "rm"): "deletes volumes",
    ("gem", "push"): "publishes for good",
    ("gh", "release", "delete"): "deletes a release",
    ("gh", "repo", "delete"): "deletes a repository",
    ("kubectl", "delete"): "deletes what runs in a cluster",
    ("npm", "publish"): "publishes for good",
    ("npm", "unpublish"): "changes what is published",
    ("podman", "system", "prune"): "deletes images, containers and networks",
    ("podman", "volume", "prune"): "deletes volumes",
    ("podman", "volume", "rm"): "deletes volumes",
    ("terraform", "destroy"): "destroys what runs",
    ("twine", "upload"): "publishes for good",
    ("yarn", "publish"): "publishes for good",
}

# Git's commands by the flags and words that make them destroy; where there are none, they always do.
DANGEROUS_GIT: Mapping[str, tuple[str, ...]] = {
    "branch": ("-D", "-f", "--force"),
    "checkout": ("-f", "--force", "--", ".", "--pathspec-from-file"),
    "checkout-index": ("-f", "--force", "-a", "--all"),
    "filter-branch": (),
    "filter-repo": (),
    "gc": ("--prune",),
    "prune": (),
    "push": ("-f", "--force", "--force-with-lease", "--mirror", "--delete", "-d", "--prune"),
    "read-tree": ("-u", "--reset"),
    "reflog": ("expire", "delete"),
    "reset": ("--hard", "--merge"),
    "rm": ("-f", "--force"),
    "stash": ("drop", "clear"),
    "submodule": ("deinit",),
    "switch": ("-f", "--force", "--discard-changes", "-C", "--force-create"),
    "tag": ("-d", "--delete", "-f", "--force"),
    "update-ref": (),
    "worktree": ("-f", "--force"),
}
# Git's own flags that are followed by a value in the next word.
GIT_VALUE_FLAGS = frozenset(
    {"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env", "--super-prefix"}
)
