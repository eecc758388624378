"""Notices an answer that is none: the model says what it is about to do, and stops."""

from __future__ import annotations

import re

from text_agent.lazy_regex import late_pattern

_WHO = (
    "(?:I(?:'|\u2019)ll|I will|I(?:'|\u2019)m going to|I am going to|I(?:'|\u2019)m about to|I need to"
    "|I have to|let me|let(?:'|\u2019)s)"
)
_BEFORE = r"(?:(?:now|next|first|then|so|okay|ok|alright|great|sure|finally)\b,?\s+)*"
_BETWEEN = r"(?:(?:now|first|then|also|next|just|quickly|go ahead and|start by|begin by|proceed to)\s+)*"
_WORK = (
    r"(?:add|adjust|analy[sz]|appl(?:y|ies)|build|chang|check|clean|continu|convert|correct|creat|delet|edit|"
    r"examin|execut|explor|find|fix|generat|implement|inspect|install|list|look|locat|mak|mov|modif(?:y|ies)|"
    r"open|proceed|read|refactor|remov|renam|replac|review|run|search|see|test|try|updat|us|verif|writ)"
    r"(?:e|es|s|y|ing|ning|ting)?"
)
_ANNOUNCEMENT = late_pattern(rf"{_BEFORE}{_WHO}\s+{_BETWEEN}{_WORK}\b", re.IGNORECASE)
_SENTENCE_END = late_pattern(r"(?<=[.!?])\s+|\n")


def announces_work(answer: str) -> bool:
    """Whether an answer ends with what the model is about to do, such as `Let me look at the file:`."""
    last = _SENTENCE_END.split(answer.strip())[-1].strip(" *_>#-")
    return last.endswith(":") or (not last.endswith("?") and bool(_ANNOUNCEMENT.match(last)))
