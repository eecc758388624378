"""What a tool call may do without asking, and what a person is asked."""

from __future__ import annotations

from typing import Literal

Effect = Literal["read", "write", "execute"]
