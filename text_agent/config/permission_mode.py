"""How much runs without asking; apart from the policy, so that the flags can name the modes quickly."""

from typing import Literal

PermissionMode = Literal["read-only", "ask", "edits", "all"]
