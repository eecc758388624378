"""The shell that commands run in, and their environment: without keys, and without what waits for someone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from text_agent.lazy_regex import late_pattern

# The shell runs below a second one, which only waits for it: a command that kills its parent kills that.
_WAITER = '"$@"; exit $?'
# Without this, Windows' own shells answer in a code page of the machine's.
_UTF8 = "[Console]::OutputEncoding = [Text.Encoding]::UTF8; "


_SYSTEMS = {"linux": "Linux", "darwin": "macOS", "win32": "Windows"}

# Names of variables that hold something secret, whoever's it is.
_SECRET = late_pattern(
    r"TEXT_AGENT_HEADERS|(?:^|.*_)(?:API_?KEY|.*_KEY|(?:AUTH_?)?TOKEN|SECRETS?|CREDENTIALS?"
    r"|PASSWORD|PASSWD|PASS|PASSPHRASE)",
    re.IGNORECASE,
)
# A shorter value of such a variable, `1` say, may stand in others for another reason.
_SECRET_MIN_CHARS = 8
# Start-up files and programs that would run beside the command, and what forces colours.
_REMOVED = frozenset({
    "BASH_ENV", "ENV", "PROMPT_COMMAND", "GIT_EXTERNAL_DIFF", "LESSOPEN", "LESSCLOSE", "FORCE_COLOR",
    "RIPGREP_CONFIG_PATH", "GREP_OPTIONS", "CLICOLOR_FORCE",
})  # fmt: skip
# A shorter one, `postgres` say, may be a part of others for another reason.
_LONG_SECRET_CHARS = 16
# Without these no command would run, whatever stands in them.
_NEEDED = frozenset({"HOME", "LANG", "PATH", "PWD", "SHELL", "TMPDIR", "USER"})
_SET: Mapping[str, str] = {
    # Whoever asks whether somebody is there is told: nobody.
    "CI": "1", "DEBIAN_FRONTEND": "noninteractive", "GIT_TERMINAL_PROMPT": "0", "GCM_INTERACTIVE": "never",
    "GIT_ASKPASS": "false", "SSH_ASKPASS": "false", "SSH_ASKPASS_REQUIRE": "never",
    "GIT_SSH_COMMAND": "ssh -oBatchMode=yes", "PIP_NO_INPUT": "1", "npm_config_yes": "true",
    # Pagers and editors.
    "TERM": "dumb", "NO_COLOR": "1", "PAGER": "cat", "GIT_PAGER": "cat", "MANPAGER": "cat",
    "SYSTEMD_PAGER": "cat", "AWS_PAGER": "", "LESS": "-FRX", "EDITOR": "true", "VISUAL": "true",
    "GIT_EDITOR": "true", "GIT_SEQUENCE_EDITOR": "true",
    # What Python printed before a time-out is not lost in a buffer.
    "PYTHONUNBUFFERED": "1",
    # Python would take its cached code for a file that was edited within the same second to the same size.
    "PYTHONDONTWRITEBYTECODE": "1",
    # `git status` writes no index, and so runs no hook and leaves no lock.
    "GIT_OPTIONAL_LOCKS": "0",
}  # fmt: skip
# Git's own settings: no program that watches the files, no upkeep that goes on in the background.
_GIT_SETTINGS: Mapping[str, str] = {
    "core.fsmonitor": "false", "gc.autoDetach": "false", "maintenance.autoDetach": "false",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Shell:
    """A program that runs command lines."""

    name: str  # how the model knows it
    program: str  # where it is
    system: str = "Linux"  # the operating system, whose commands differ
    is_posix: bool = True  # it takes `-c`; PowerShell, the other one, takes flags of its own

    def argv(self, command: str) -> list[str]:
        """The program and its arguments that run `command`."""
        if not self.is_posix:
            return [self.program, "-NoLogo", "-NoProfile", "-NonInteractive", "-Command", _UTF8 + command]
        return [self.program, "-c", _WAITER, self.name, self.program, "-c", command]


def find_shell(platform: str, which: Callable[[str], str | None]) -> Shell:
    """The best shell of this machine: models write commands for bash."""
    names = ("bash", "pwsh", "powershell") if platform == "win32" else ("bash", "sh")
    found = ((name, program) for name in names if (program := which(name)) and not _starts_linux(program))
    name, program = next(found, (names[-1], names[-1]))
    return Shell(name, program, _SYSTEMS.get(platform, platform), name in ("bash", "sh"))


def _starts_linux(program: str) -> bool:
    """Whether it is the `bash` of Windows that starts a virtual Linux, with other paths."""
    return "/system32/" in program.replace("\\", "/").lower() and "bash" in program.lower()


def command_environment(environment: Mapping[str, str], keys: Iterable[str] = ()) -> dict[str, str]:
    """What a command gets of `environment`: all but secrets, and nothing that asks, pages or edits.

    `environment`: this program's own. `keys`: values that are secret, whatever their variables are called.
    """
    secrets = {name: value for name, value in environment.items() if _SECRET.fullmatch(name)}
    values = {value for value in (*secrets.values(), *keys) if len(value) >= _SECRET_MIN_CHARS}
    long_values = {value for value in values if len(value) >= _LONG_SECRET_CHARS}
    kept = {
        name: value
        for name, value in environment.items()
        if name not in secrets
        and name not in _REMOVED
        and value not in values
        and (name in _NEEDED or not any(secret in value for secret in long_values))
    }
    return {**kept, **_SET, **_git_settings(kept.get("GIT_CONFIG_COUNT", ""))}


def _git_settings(count: str) -> dict[str, str]:
    first = int(count) if count.isdecimal() else 0
    variables = {"GIT_CONFIG_COUNT": str(first + len(_GIT_SETTINGS))}
    for number, (name, value) in enumerate(_GIT_SETTINGS.items(), first):
        variables[f"GIT_CONFIG_KEY_{number}"] = name
        variables[f"GIT_CONFIG_VALUE_{number}"] = value
    return variables
