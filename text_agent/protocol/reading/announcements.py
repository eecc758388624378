"""Tells whether the words before a fence announce an example.

The announcing words count where they introduce ("for example:", "the syntax is", "in this format"), not
where they are what the sentence is about ("The syntax error is in line 4", "It looks like a.py fails").
"""

from __future__ import annotations

import re

from text_agent.lazy_regex import late_pattern
from text_agent.protocol.reading.edits.names import without_name
from text_agent.protocol.reading.source import Source

_PARAGRAPH_LIMIT = 600
_EMPTY_LINE = late_pattern(r"\n[ \t\r]*\n")

_W = r"[ \t\r\n]+"
_ENDS = r"(?:[*_\x22`)]*+[ \t]*+(?:[:,.;!]|\n|\Z))"
_AT_START = rf"(?:\A|\n|[.;!?,(]{_W}?)[*_#> \t]{{0,9}}"
_UP_TO_TWO = rf"(?:[\w-]+{_W}){{0,2}}?"
_KIND = r"(?:formats?|syntax|schemas?)"
_THIS = rf"(?:this|that|these|such{_W}an?)"
_POINTS = rf"(?:this|so|that|these|below|simply|just)(?:{_ENDS}|{_W}(?:in|when|for|with|and|if|to|then)\b)"
_WITH = r"(?:in|with|by|of|using|uses?|used|follow\w*|has|have|takes?|needs?|expects?|write|written|accepts?)"
_CALL = r"(?:calls?|requests?|tools?|lines?)"
_OF_CALL = rf"(?:of|for){_W}(?:(?:an?|such|every|each|all|tool|any)\b|(?:the|my|our){_W}{_CALL}\b)"
_NOT_RUN = rf"(?:do{_W}not|don['\u2019]t|never){_W}(?:run|execute)(?:{_W}(?:this|that|these|them|it))?"

_PHRASES = (
    rf"\bfor{_W}(?:example|instance|illustration)\b",
    r"\be\.[ \t]?g\b",
    # ... looks like this; what it looks like; something like
    rf"\blooks?{_W}{_UP_TO_TWO}like(?:{_ENDS}|{_W}(?:{_POINTS}|(?:as{_W})?the{_W}following\b))",
    rf"\bwhat\b[^.\n]{{0,80}}\blooks?{_W}like\b",
    # an example of a call; another short example; Example:
    rf"\b(?:an?|as|this|following|another|one|some|simple|minimal|short|sample){_W}{_UP_TO_TWO}examples?"
    rf"(?:{_ENDS}|{_W}(?:of|calls?|is|would|here|only|repl\w+|lines?|requests?|tool|form\w*|how)\b)",
    rf"{_AT_START}examples?(?:{_W}[\w()-]+){{0,6}}?[*_ \t]*:",
    rf"{_AT_START}examples?(?:{_W}[\w()-]+){{0,2}}?[*_. \t]*\Z",
    rf"{_AT_START}{_UP_TO_TWO}examples?[*_:. \t]*\Z",
    rf"\b(?:is|are|be|as|with|by|see|consider){_W}(?:the|my|our|your){_W}{_UP_TO_TWO}examples?[*_:. \t]*\Z",
    # by way of illustration; this illustrates it
    rf"\b(?:an|as|of|another){_W}{_UP_TO_TWO}illustration\b",
    rf"\billustrations?{_ENDS}",
    r"\billustrat(?:es?|ing|ive)\b",
    # the syntax is; format: ; the schema of a call:
    rf"\b{_KIND}\b[^\n.;:]{{0,60}}?\b(?:is|are|(?:would|will|should|must|may|can){_W}be)(?:{_ENDS}|{_W}(?:{_POINTS}|`|as{_W}follows|the{_W}following\b))",
    rf"\b{_KIND}[*_ \t]*:",
    rf"\b{_KIND}{_W}like(?:{_ENDS}|{_W}{_POINTS})",
    rf"\b{_KIND}{_W}(?:below|above|shown{_W}(?:here|below|above)){_ENDS}",
    rf"{_AT_START}{_UP_TO_TWO}{_KIND}(?:,[^.\n]{{0,20}})?[*_: \t]*\Z",
    rf"\b{_KIND}{_W}{_OF_CALL}[^.\n]{{0,60}}:[*_ \t]*\Z",
    # in this format; has the following schema; must follow the format; here is the syntax
    rf"\b{_WITH}{_W}{_THIS}{_W}{_UP_TO_TWO}{_KIND}\b(?!{_W}error)",
    rf"\bfollowing{_W}{_UP_TO_TWO}{_KIND}\b(?!{_W}error)",
    rf"\bfollow\w*{_W}(?:the|a|an|our){_W}{_UP_TO_TWO}{_KIND}\b",
    rf"\b(?:here|this|below){_W}is{_W}(?:the|a|an|my|our){_W}{_UP_TO_TWO}{_KIND}\b",
    rf"\b(?:in|has|have){_W}the{_W}{_UP_TO_TWO}{_KIND}[*_ \t]*(?::|\Z)",
    rf"{_AT_START}(?:please{_W})?{_NOT_RUN}{_ENDS}",
    rf"\bnot{_W}to{_W}be{_W}(?:run|executed)\b",
)
_ANNOUNCEMENT = late_pattern("|".join(_PHRASES), re.IGNORECASE)
# One of these stands in every phrase; most words hold none, which is seen fast.
_TELLING = late_pattern(
    r"\b(?:examples?|instance|illustrat\w*|like|formats?|syntax|schemas?|run|executed?)\b|\be\.",
    re.IGNORECASE,
)
_LOOKS_AT = (
    r"(?:check|fix|chang|updat|look|read|inspect|open|verif|validat|improv|correct|pars|adapt|adjust|edit|alter"
    r"|run|try|test|review|find|know|need|understand|load|migrat|clean)\w*"
)
# What a sentence may be about.
_SUBJECT = late_pattern(
    rf"\bsyntax{_W}(?:errors?|highlight\w*|check\w*|tree|problem)\b|\bschemas?{_W}(?:errors?|mismatch|migration\w*)\b"
    rf"|\bformats?{_W}(?:errors?|strings?|check\w*)\b"
    rf"|\b(?:wrong|bad|invalid|unknown|broken|incorrect){_W}(?:{_KIND}|example)\b"
    rf"|\b{_LOOKS_AT}{_W}(?:at{_W})?(?:the|its|their|your)(?!{_W}following){_W}{_UP_TO_TWO}(?:{_KIND}|examples?)\b",
    re.IGNORECASE,
)


def words_before(source: Source, start: int, floor: int) -> str:
    """The paragraph right before `start`, behind `floor`; a name of a file between them is passed over."""
    before = without_name(source.text[max(floor, start - _PARAGRAPH_LIMIT) : start].rstrip()).rstrip()
    return _EMPTY_LINE.split(before)[-1]


def announces_example(words: str) -> bool:
    """Whether a paragraph announces an example."""
    return bool(_TELLING.search(words) and _ANNOUNCEMENT.search(_SUBJECT.sub(" ", words)))
