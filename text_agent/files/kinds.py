"""What a file is for, as its path tells."""

from __future__ import annotations

from text_agent.lazy_regex import late_pattern

_TEST = late_pattern(
    r"(?:^|/)(?:tests?|__tests__|spec)/"
    r"|(?:^|/)(?:tests?|test_[^/]*|[^/]*(?:_test|_spec|\.test|\.spec))\.\w+\Z"
)


def is_test(path: str) -> bool:
    """Whether the file `path` (with `/`) holds tests, in the customs of the common languages."""
    return _TEST.search(path) is not None
