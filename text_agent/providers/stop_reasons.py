"""Why a reply ended, in one table for both APIs and for servers that have words of their own."""

from __future__ import annotations

import re
from collections.abc import Mapping

from text_agent.lazy_regex import late_pattern
from text_agent.messages import StopReason

_KNOWN: Mapping[str, StopReason] = {
    "stop": "end_turn",
    "eos": "end_turn",
    "eos_token": "end_turn",
    "end_turn": "end_turn",
    "stop_sequence": "stop_sequence",
}
# Words of a reason; in this order, for a filter may have a limit of its own.
_WORDS: tuple[tuple[re.Pattern[str], StopReason], ...] = (
    (
        late_pattern(
            "filter|safety|refus|block|prohibit|recitation|sensitive|moderat|polic|guardrail|spii|harm|flagged"
        ),
        "refusal",
    ),
    (late_pattern("length|max|limit|context|window|budget|truncat"), "max_tokens"),
)


def read_stop_reason(said: object) -> StopReason:
    """What a server's reason comes to, however it is spelled; `other` for what says nothing we know."""
    name = re.sub(r"[\W_]+", "_", str(said).strip()).lower()
    if name in _KNOWN:
        return _KNOWN[name]
    return next((reason for words, reason in _WORDS if words.search(name)), "other")
