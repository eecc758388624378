"""The chat's command for permissions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from text_agent.config.permission_mode import PermissionMode
from text_agent.terminal.slash.chat import Chat

_MEANINGS: Mapping[PermissionMode, str] = {
    "read-only": "the model may look, and change nothing",
    "ask": "changes of files are asked about, and commands that do more than read",
    "edits": "changes of files run without asking, commands that do more than read are asked about",
    "all": "everything runs without asking, but for what may be lost for good, secrets, and lasting power",
}
FORGET = "forget"
PERMISSION_CHOICES = (*get_args(PermissionMode), FORGET)


def set_permissions(chat: Chat, argument: str) -> str:
    """Changes the mode if `argument` names one, or forgets what was allowed; says how things stand."""
    policy, word = chat.agent.policy, argument.strip().lower()
    mode = next((mode for mode in _MEANINGS if mode == word), policy.mode)
    if word == FORGET:
        policy.forget()
    elif word and mode != word:
        return f"There is no mode {word!r}. Choose {', '.join(_MEANINGS)} or {FORGET}."
    policy.mode = mode
    allowed = (f"  allowed, {line}" for line in policy.approvals())
    return "\n".join([f"Mode {mode}: {_MEANINGS[mode]}.", *allowed])
