"""Settings: where they come from, and every limit with its reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ProviderName = Literal["anthropic", "openai", "local"]

# --- Limits and defaults. A number that the user or the model meets stands here. ---

# Model requests a turn: enough for read, edit and check of several files; a loop ends soon.
MAX_STEPS = 25
# Tokens of one reply; always sent, because servers' own defaults range from 16 tokens to endless.
MAX_TOKENS = 4096
# Corrections of malformed calls in a row, after which the turn stops: a fourth never helped.
MAX_CORRECTIONS = 3
# Characters of one tool result: about 4,000 tokens, a quarter of a 16k context.
RESULT_MAX_CHARS = 16_000
# Lines that `read_file` shows at once, and characters of one line before it is clipped.
READ_MAX_LINES = 500
LINE_MAX_CHARS = 500
# Entries that `list_files` shows at once.
LIST_MAX_ENTRIES = 200
# Bytes of a file that is edited or written at once; larger ones are generated, not written by hand.
EDIT_MAX_BYTES = 10_000_000


@dataclass(frozen=True, slots=True)
class Settings:
    """The configuration after flags, environment and files were put together."""

    provider: ProviderName
    model: str | None
    base_url: str | None
    api_key: str | None
    auth_token: str | None
    max_steps: int = MAX_STEPS
    max_tokens: int = MAX_TOKENS
