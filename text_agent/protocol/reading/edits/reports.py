"""Tells whether a reply says of an edit that it was made before: a diff shows that more often than not."""

from __future__ import annotations

import re

from text_agent.lazy_regex import late_pattern

# What introduces a change that was made.
_REPORTS = (
    r"\bwhat\s+(?:(?:i|we|it|you)\s+)?(?:was\s+|has\s+|have\s+|had\s+|is\s+)?(?:been\s+)?(?:changed|done|did|differs|committed|staged)\b",
    r"\b(?:changes?|edits?|diffs?|patch(?:es)?|modifications?)\s+(?:(?:that|which)\s+)?(?:(?:i|we)\s+)?(?:was|were|made|did|applied|so\s+far|above|is\s+done|are\s+done|has\s+been|have\s+been|in\s+(?:the|that|this|your)\s+(?:last\s+)?(?:commit|branch|diff|history))\b",
    r"\bgit\s+(?:diff|show|log|blame|stash)\b|\b(?:commit|resulting|final|full|complete|whole|current|entire)\s+(?:\w+\s+)?diff\b|\bcommit\s+`?[0-9a-f]{7,40}\b|\b(?:last|previous|earlier|that|this)\s+commit\b",
    r"\b(?:was|were|has\s+been|have\s+been|had\s+been)\s+(?:\w+\s+)?(?:changed|updated|modified|edited|made|applied|fixed|replaced|added|removed|renamed|rewritten|committed)\b",
)
# What claims that the model has made it.
_CLAIMS = (
    r"\b(?:i|we)(?:['\u2019]ve|\s+have)?\s+(?:(?:just|now|already|also|then)\s+)*(?:changed|updated|modified|edited|made|applied|fixed|replaced|added|removed|renamed|rewrote|rewritten|did|done|corrected|adjusted|refactored|implemented)\b",
    r"\b(?:ich\s+habe|habe\s+ich|wurden?\s|das\s+hat\s+sich|die\s+\u00e4nderung(?:en)?\s+(?:war|ist|sind))",
    r"\b(?:j['\u2019]ai|nous\s+avons|voici\s+ce\s+qui|a\s+\u00e9t\u00e9|ont\s+\u00e9t\u00e9|les\s+changements\s+(?:effectu|apport))",
    r"\b(?:he\s+(?:cambi|modific|actualiz|correg|a\u00f1ad|elimin)\w+|se\s+(?:cambi|modific|ha)\w*|eu\s+(?:mudei|alterei)|ho\s+(?:cambiat|modificat|aggiornat|corrett)\w*|\u00e8\s+stat\w+)",
    r"(?:\u044f\s+(?:\u0438\u0437\u043c\u0435\u043d|\u043e\u0431\u043d\u043e\u0432|\u0438\u0441\u043f\u0440\u0430\u0432)\w+|\u5df2(?:\u7ecf)?(?:\u4fee\u6539|\u66f4\u65b0|\u6539)|\u5909\u66f4\u3057\u307e\u3057\u305f|\u4fee\u6b63\u3057\u307e\u3057\u305f|\ubcc0\uacbd\ud588|\uc218\uc815\ud588)",
)
_REPORTED = late_pattern("|".join(_REPORTS), re.IGNORECASE)
_CLAIMED = late_pattern("|".join(_CLAIMS), re.IGNORECASE)


def is_report(words: str, *, is_diff: bool) -> bool:
    """Whether the words before an edit say that it was made before.

    Models also say "I have changed it:" above the edit by which they change it, unless that is a diff.
    """
    return bool(_REPORTED.search(words) or (is_diff and _CLAIMED.search(words)))
