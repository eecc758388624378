"""What servers say when a prompt is longer than the model takes: how to know it, and the limit in it."""

from __future__ import annotations

import re

from text_agent.config.limits import FEWEST_CONTEXT_TOKENS, MOST_TOKENS
from text_agent.lazy_regex import late_pattern

_OVERFLOW = late_pattern(
    r"""
    (?:prompt | input | request) (?:\ is)? \ too \ (?:long|large) | request_too_large
  | context [ _-]? (?:length|window|size|limit) | maximum \ context | n_ctx \b | max_model_len
  | (?:maximum|allowed) \ (?:prompt|input) \ length
  | too \ many \ (?:(?:input|prompt) \ )? tokens
  | token \ (?:count|limit) .* exceed | exceed\w* .* token \ limit
  | (?:tokens?|input) \ exceeds? \ the \ (?:maximum|configured|model)
  | reduce \ the \ length \ of \ the \ (?:messages|prompt|input)
  | `?inputs`? .* must \ (?:be|have)
    """,
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
# The same words where they speak of the time between requests.
_PACE = late_pattern(
    r"per[ -](?:minute|day|hour|second)|rate[ _-]limit|too many requests|throttl|please wait|quota|\bTPM\b",
    re.IGNORECASE,
)
_NUMBER = r"(?P<limit>\d[\d,._]*\d)"
_LIMITS = tuple(
    late_pattern(pattern, re.IGNORECASE | re.DOTALL)
    for pattern in (
        rf"\d(?: tokens)? ?>=? ?(?:n_ctx\W{{1,4}})?{_NUMBER}",
        rf"(?:maximum|model's) (?:context|model|prompt|input) length (?:is |of |\(){_NUMBER}",
        rf"context (?:length|size|window) (?:is |of |is only |of only |\()?{_NUMBER}",
        rf"maximum (?:allowed )?(?:input |prompt )?(?:length|number of (?:input )?tokens)"
        rf"(?: allowed)?(?: is| of)? ?\(?{_NUMBER}",
        rf"with {_NUMBER} maximum context",
        rf"(?:the|configured) limit of {_NUMBER}",
        rf"token limit:? {_NUMBER}",
        rf"must be <= ?{_NUMBER}",
        rf"must have less than {_NUMBER}",
        rf"n_ctx\W{{1,4}}{_NUMBER}",
    )
)


def is_overflow(text: str) -> bool:
    """Whether a server's words say that the request is longer than the model takes."""
    return bool(_OVERFLOW.search(text)) and not _PACE.search(text)


def limit_in(text: str) -> int | None:
    """How many tokens the model takes, if the words tell."""
    for pattern in _LIMITS:
        if found := pattern.search(text):
            digits = re.sub(r"\D", "", found["limit"])
            # Longer ones are not even read: `int` refuses thousands of digits.
            limit = int(digits) if len(digits) <= len(str(MOST_TOKENS)) else 0
            return limit if limit >= FEWEST_CONTEXT_TOKENS else None
    return None
