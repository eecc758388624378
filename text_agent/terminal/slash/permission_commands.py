"""The chat's command for permissions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from text_agent.config.permission_mode import PermissionMode
from text_agent.permissions.policy import PermissionPolicy

_MEANINGS: Mapping[PermissionMode, str] = {
    "read-only": "the model may look, and change nothing",
    "ask": "changes of files are asked about, and commands that do more than read",
    "edits": "changes of files run without asking, commands that do more than read are asked about",
    "all": "everything runs without asking, but for what may be lost for good, secrets, and lasting power",
}
_FORGET = "forget"


def set_permissions(policy: PermissionPolicy, argument: str) -> str:
    """Changes the mode if `argument` names one, or forgets what was allowed; says how things stand."""
    word = argument.strip().lower()
    if word == _FORGET:
        policy.forget()
    elif word:
        modes: tuple[PermissionMode, ...] = get_args(PermissionMode)
        mode = next((mode for mode in modes if mode == word), None)
        if mode is None:
            return f"There is no mode {word!r}. Choose {', '.join(modes)} or {_FORGET}."
        policy.mode = mode
    return "\n".join([f"Mode {policy.mode}: {_MEANINGS[policy.mode]}.", *_allowed(policy)])


def _allowed(policy: PermissionPolicy) -> list[str]:
    return [f"  allowed, {line}" for line in policy.approvals()]
