"""Where secrets are that no file of the workspace holds: for commands, which may go anywhere."""

from __future__ import annotations

import re
from collections.abc import Sequence

from text_agent.files.secret_names import HOME_SECRETS
from text_agent.lazy_regex import late_pattern
from text_agent.permissions.command_lines.programs import Told

# The environment of other programs, this one too; and all that they have in memory.
_OF_PROGRAMS = late_pattern(r"(?:^|/)proc/.*(?:environ|mem)\Z")
# What programs in containers and on servers are given; nobody but root may read some of it.
_OF_MACHINE = late_pattern(r"/(?:var/)?run/secrets/.|/etc/(?:g?shadow|ssh/ssh_host_\w+_key|sudoers)\b")
_OWN = (".config/text-agent", ".local/share/text-agent", ".local/state/text-agent")
_NAMES = "|".join(map(re.escape, (*HOME_SECRETS, *_OWN)))
_IN_HOME = late_pattern(rf"(?:~[^/]*|\$HOME|\$\{{HOME\}}|/.*|\.\./.*)/(?:{_NAMES})(?:/|\Z)", re.IGNORECASE)


def is_secret_place(path: str) -> bool:
    """Whether a path, as a command names it, leads to a secret outside of the workspace."""
    return bool(_OF_PROGRAMS.search(path) or _IN_HOME.match(path) or _OF_MACHINE.match(path))


def leads_on(commands: Sequence[Told]) -> bool:
    """Whether what one command of a line prints may be what another one reads."""
    words = (word for told in commands for word in told.command.words)
    substituted = any(word.computed and ("$(" in word.text or "`" in word.text) for word in words)
    return substituted or any(told.row.eats for told in commands)
