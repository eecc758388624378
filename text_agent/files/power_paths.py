"""Files that grant power later: a program that the user starts another day does what stands in them."""

from __future__ import annotations

import re

from text_agent.lazy_regex import late_pattern

_FOLDERS = late_pattern(
    r"(?:^|/)(?:\.git|\.text-agent|\.husky|\.githooks|\.claude|\.cursor|\.ssh|\.config/(?:text-agent|fish|autostart|systemd|nvim|git)|\.local/bin|\.vim|Library/LaunchAgents)(?:/|\Z)",
    re.IGNORECASE,
)
_FILES = late_pattern(
    r"(?:^|/)(?:\.text-agent-ignore|\.vscode/tasks\.json|\.mcp\.json|\.envrc|\.gitconfig|\.bash_(?:profile|login|logout|aliases)|\.bashrc|\.profile"
    r"|\.z(?:shrc|shenv|profile|login|logout)|\.[ckt]shrc|\.t?cshrc|\.login|\.logout|\.mkshrc|\.inputrc|\.xprofile"
    r"|\.xsession|\.vimrc|\.exrc|\.emacs|\.tmux\.conf|\.screenrc|\.gdbinit|\.lldbinit|\.psqlrc|\.irbrc|\.pdbrc|\.Rprofile"
    r"|\.curlrc|\.wgetrc|\.xinitrc|\.pythonstartup|\.pam_environment)\Z",
    re.IGNORECASE,
)


def grants_power(path: str) -> bool:
    """Whether a change of the file at `path`, relative to the workspace and with `/`, grants power later."""
    return path.lower() == ".env" or is_power_name(path)


def is_power_name(path: str) -> bool:
    """The same for a path wherever it may start: what is so at any place."""
    return bool(_FOLDERS.search(path) or _FILES.search(path))
