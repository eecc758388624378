"""Where secrets are that no file of the workspace holds: for commands, which may go anywhere."""

from __future__ import annotations

import re
from collections.abc import Sequence

from text_agent.files.secrets import HOME_SECRETS
from text_agent.lazy_regex import late_pattern
from text_agent.permissions.command_lines.lines import Command
from text_agent.permissions.command_lines.programs import program_of
from text_agent.permissions.command_lines.reading import shows_environments

# The environment of other programs, this one too; and all that they have in memory.
_OF_PROGRAMS = late_pattern(r"(?:^|/)proc/.*(?:environ|mem)\Z")
_OWN = (".config/text-agent", ".local/share/text-agent", ".local/state/text-agent")
_NAMES = "|".join(map(re.escape, (*HOME_SECRETS, *_OWN)))
_IN_HOME = late_pattern(rf"(?:~[^/]*|\$HOME|\$\{{HOME\}}|/.*|\.\./.*)/(?:{_NAMES})(?:/|\Z)", re.IGNORECASE)
# Programs that print a key when they are told so.
_TELLING: frozenset[tuple[str, ...]] = frozenset(
    {
        ("aws", "configure", "get"),
        ("aws", "configure", "export-credentials"),
        ("az", "account", "get-access-token"),
        ("gcloud", "auth", "print-access-token"),
        ("gcloud", "auth", "print-identity-token"),
        ("gh", "auth", "token"),
        ("git", "credential", "fill"),
        ("kubectl", "config", "view"),
        ("op", "read"),
        ("pass", "show"),
        ("secret-tool", "lookup"),
        ("security", "find-generic-password"),
        ("security", "find-internet-password"),
    }
)


def is_secret_place(path: str) -> bool:
    """Whether a path, as a command names it, leads to a secret outside of the workspace."""
    return bool(_OF_PROGRAMS.search(path) or _IN_HOME.match(path))


def tells_secret(command: Command) -> bool:
    """Whether a command prints a key, or the environment of other programs, of itself."""
    texts = [word.text for word in command.words[1:]]
    if program_of(command) == "ps":
        return shows_environments(texts)
    names = [program_of(command), *(text for text in texts if not text.startswith("-"))]
    return any(tuple(names[:length]) in _TELLING for length in (2, 3))


def leads_on(commands: Sequence[Command]) -> bool:
    """Whether what one command of a line prints may be what another one reads."""
    words = (word for command in commands for word in command.words)
    substituted = any(word.computed and ("$(" in word.text or "`" in word.text) for word in words)
    return substituted or any(program_of(command) in ("xargs", "parallel", "read") for command in commands)
