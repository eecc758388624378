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
            *("caffeinate", "catchsegv", "choom", "chpst", "chronic", "cpulimit", "dbus-run-session", "dzdo"),
            *("eatmydata", "fakeroot", "firejail", "hyperfine", "linux32", "linux64", "numactl", "prlimit"),
            *("proot", "rlwrap", "run0", "sg", "unbuffer", "valgrind", "xvfb-run"),
        ),
        0,
    ),
    **dict.fromkeys(
        ("at", "faketime", "chroot", "chrt", "flock", "setarch", "ssh", "taskset", "timeout", "tmux"), 1
    ),
}
# Programs that do many things, one of which is to run another one.
RUNNERS: Mapping[str, int] = {
    **dict.fromkeys(("bunx", "npx", "pnpx"), 0),
    **dict.fromkeys(("bundle", "hatch", "pdm", "perf", "pipenv", "poetry", "rye", "uv"), 1),
    **dict.fromkeys(("direnv", "mise"), 2),
}
# Flags whose value is a command line, by the programs that have them.
_EDITOR_FLAGS = ("-c", "--cmd")
_SSH_FLAGS = ("-o", "-e", "--rsh", "--rsync-path")
RUNNING_FLAGS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("ex", "nvim", "vi", "view", "vim"), _EDITOR_FLAGS),
    **dict.fromkeys(("bunx", "npm", "npx"), ("-c", "--call")),
    **dict.fromkeys(("rsync", "scp", "sftp", "ssh"), _SSH_FLAGS),
    "man": ("-P", "--pager", "-H", "--html"),
    "nix-shell": ("--run", "--command"),
    "rg": ("--pre",),
    "sort": ("--compress-program",),
    "split": ("--filter",),
    "tar": ("--to-command", "-I", "--use-compress-program", "--checkpoint-action", "-F", "--info-script",
            "--new-volume-script", "--rsh-command", "--rmt-command"),
}  # fmt: skip
# Flags behind which programs that look for files name one to run.
EXECUTING_FLAGS = frozenset({"-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"})
FINDERS = frozenset({"find", "fd", "fdfind"})

# What each of these programs does, for the user to read.
DANGEROUS_PROGRAMS: Mapping[str, str] = {
    **dict.fromkeys(
        ("doas", "dzdo", "newgrp", "pkexec", "run0", "runuser", "sg", "su", "sudo"),
        "runs with the rights of another user",
    ),
    **dict.fromkeys(
        (
            "blkdiscard",
            "cfdisk",
            "cryptsetup",
            "dd",
            "fdisk",
            "gdisk",
            "lvremove",
            "mkdosfs",
            "mke2fs",
            "mkntfs",
            "mkswap",
            "newfs",
            "parted",
            "pvremove",
            "sfdisk",
            "sgdisk",
            "vgremove",
            "wipefs",
        ),
        "overwrites disks or files",
    ),
    **dict.fromkeys(("shred", "srm", "wipe"), "destroys files for good"),
    **dict.fromkeys(("halt", "poweroff", "reboot", "shutdown", "telinit"), "stops the machine"),
    **dict.fromkeys(
        (
            "addgroup",
            "adduser",
            "chpasswd",
            "chsh",
            "deluser",
            "gpasswd",
            "groupadd",
            "groupdel",
            "groupmod",
            "passwd",
            "useradd",
            "userdel",
            "usermod",
            "visudo",
        ),
        "changes users",
    ),
    **dict.fromkeys(("insmod", "kexec", "modprobe", "rmmod"), "changes the running kernel"),
    **dict.fromkeys(("dropdb", "dropuser"), "deletes a database, or a user of it"),
}
DANGEROUS_PREFIXES = ("mkfs",)

_PUBLISHING = "publishes for good"
_CLEANING = "deletes images, containers and networks"
# Programs by their first words, flags and their values aside.
DANGEROUS_COMMANDS: Mapping[tuple[str, ...], str] = {
    **{(program, "publish"): _PUBLISHING
       for program in ("bun", "cargo", "flit", "hatch", "npm", "pdm", "pnpm", "poetry", "uv", "yarn")},
    **dict.fromkeys((("gem", "push"), ("twine", "upload")), _PUBLISHING),
    **dict.fromkeys((("cargo", "yank"), ("gem", "yank"), ("npm", "unpublish")), "changes what is published"),
    **{(program, part, "prune"): _CLEANING
       for program in ("docker", "podman") for part in ("container", "image", "network", "system")},
    **{(program, "volume", verb): "deletes volumes"
       for program in ("docker", "podman") for verb in ("prune", "rm")},
    **{("systemctl", verb): "stops the machine"
       for verb in ("halt", "hibernate", "kexec", "poweroff", "reboot", "suspend")},
    **dict.fromkeys((("init", "0"), ("init", "6")), "stops the machine"),
    **{("loginctl", f"{verb}-{what}"): "ends all programs of a user"
       for verb in ("kill", "terminate") for what in ("seat", "session", "user")},
    ("tmux", "kill-server"): "ends all programs in its terminals",
    **{("diskutil", verb): "overwrites disks"
       for verb in ("eraseDisk", "eraseVolume", "partitionDisk", "reformat", "secureErase", "zeroDisk")},
    **dict.fromkeys((("zfs", "destroy"), ("zpool", "destroy")), "destroys file systems"),
    ("btrfs", "subvolume", "delete"): "destroys file systems",
    **dict.fromkeys((("aws", "s3", "rb"), ("aws", "s3", "rm"), ("gsutil", "rm"), ("gsutil", "rb")),
                    "deletes what lies in a bucket"),
    ("gh", "release", "delete"): "deletes a release",
    ("gh", "repo", "delete"): "deletes a repository",
    ("kubectl", "delete"): "deletes what runs in a cluster",
    **dict.fromkeys((("pulumi", "destroy"), ("terraform", "destroy"), ("tofu", "destroy")),
                    "destroys what runs"),
}  # fmt: skip
# Programs that talk to databases, and what destroys there.
DATABASE_PROGRAMS = frozenset(
    {"clickhouse-client", "duckdb", "mariadb", "mongo", "mongosh", "mysql", "psql", "redis-cli", "sqlite3"}
)
DESTROYING_QUERIES = (
    r"\bdrop\s+(?:database|schema|table|user)\b|\btruncate\s+\w|\bflush(?:all|db)\b|\.drop(?:Database)?\("
)

# Programs that talk to clouds, and the words with which they delete there, wherever they stand.
CLOUD_PROGRAMS = frozenset(
    {"az", "doctl", "eksctl", "fly", "flyctl", "gcloud", "helm", "heroku", "netlify", "oc", "vercel"}
)
CLOUD_DELETIONS = frozenset({"apps:destroy", "delete", "destroy", "pg:reset", "remove", "rm", "uninstall"})

# Git's commands by the flags and words that make them destroy; where there are none, they always do.
DANGEROUS_GIT: Mapping[str, tuple[str, ...]] = {
    "branch": ("-C", "-D", "-M", "-f", "--force"),
    "checkout": ("-B", "-f", "--force", "--", ".", "--pathspec-from-file"),
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
