"""What an existing test says no longer: a small model makes a test pass by changing what it expects."""

from __future__ import annotations

import re

from text_agent.files.kinds import is_test
from text_agent.lazy_regex import late_pattern

_ASSERTION = late_pattern(
    r"^[ \t]*((?:await +)?(?:assert\b|self\.assert\w+\(|expect\(|assert\w*!?\(|t\.(?:Error|Fatal)).*)",
    re.MULTILINE,
)
# The user wants something mended, not the test changed.
_REPAIR = late_pattern(
    r"\b(?:fix|fail|fails|failing|failed|failure|pass|passes|bug|broken|mend|repair)\b", re.IGNORECASE
)
# The tests are to stay as they are, whatever else is asked for.
_TESTS = r"(?:[^.;\n]|\.\w)*?(?:\btests?\b|\btest_\w|\w_test\b)"
_TESTS_PROTECTED = late_pattern(
    r"(?:\b(?:not|never|without)|n['\u2019]t)\s+(?:\w+\s+){0,2}?"
    rf"(?:adapt|alter|chang|edit|modify|touch|rewrit|weaken)\w*{_TESTS}"
    rf"|\b(?:leave|keep)\b{_TESTS}(?:[^.;\n]|\.\w)*\b(?:as|alone|unchanged|untouched)\b"
    r"|\bnot the tests?\b",
    re.IGNORECASE,
)
# The tests themselves are to be others.
_TESTS_MEANT = late_pattern(
    r"\b(?:add|adapt|adjust|change|convert|extend|format|migrate|move|refactor|rename|replace|rewrite|update|write)"
    r"\b[^.\n]*\b(?:tests?|assert\w*|expect\w*)\b",
    re.IGNORECASE,
)


def asks_for_repair(request: str) -> bool:
    """Whether the user wants something mended, such as a test that fails."""
    return _REPAIR.search(request) is not None


def protects_tests(request: str) -> bool:
    """Whether the user has said that the tests stay as they are."""
    return _TESTS_PROTECTED.search(request) is not None


def lost_assertions(
    path: str, before: str, after: str, request: str, *, fails: bool = False
) -> tuple[str, ...]:
    """The assertions of a test file that `after` has no longer, where the user wants the code mended.

    `path`: the file's; only a test's counts, and one that the request names only if it is to stay. `before`:
    its text. `after`: its new text. `fails`: it was seen to fail, so that naming it says only what is wrong.
    """
    name = path.rpartition("/")[2]
    repairs = asks_for_repair(request)
    # One of its tests is named as what fails.
    fails = fails or (repairs and f"{name}::" in request)
    meant = _TESTS_MEANT.search(request) or (not fails and (name in request or not repairs))
    if not is_test(path) or (meant and not protects_tests(request)):
        return ()
    remaining = {line.strip() for line in after.splitlines()}
    return tuple(
        dict.fromkeys(
            f"`{line.strip()}`" for line in _ASSERTION.findall(before) if line.strip() not in remaining
        )
    )
