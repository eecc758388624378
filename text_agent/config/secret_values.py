"""Which headers and parts of a URL hold keys."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl

from text_agent.lazy_regex import late_pattern

_SECRET_NAME = late_pattern(
    r"(?:^|[-_.])(?:auth\w*|cookie2?|\w*key|secret|\w*token|password|sig(?:nature)?)(?:[-_.]|$)",
    re.IGNORECASE,
)


def is_secret_name(name: str) -> bool:
    """Whether a header or a part of a query looks, by its name, as if it held a key."""
    return bool(_SECRET_NAME.search(name))


def secrets_in(url: str) -> tuple[str, ...]:
    """The values in a URL's query that look like keys."""
    query = url.partition("?")[2].partition("#")[0]
    return tuple(value for name, value in parse_qsl(query) if is_secret_name(name))
