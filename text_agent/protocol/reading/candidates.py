"""Where a call may begin in a foreign text.

Fast patterns look for the places, so that the readers, which are not fast, are asked only there. A pattern
may find too much, but nothing less than the readers take.
"""

from __future__ import annotations

import itertools
import json
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Literal, NamedTuple

from text_agent.lazy_regex import late_pattern
from text_agent.protocol.binding.aliases import resolve_tool_name
from text_agent.protocol.markers import COLON, SPACE, openers
from text_agent.protocol.reading.edits.reader import read_edit_anywhere
from text_agent.protocol.reading.forms.bare import read_bare
from text_agent.protocol.reading.forms.dialects import read_dialect
from text_agent.protocol.reading.forms.json_calls import BEGINS_CALL, read_objects
from text_agent.protocol.reading.forms.line_calls import read_line_call
from text_agent.protocol.reading.reading import Found, Reading, clean_name
from text_agent.protocol.tool import ToolDescriptions

Kind = Literal["label", "name", "object", "mark", "edit", "hunk"]

# Patterns that begin with a set of characters are searched for fast.
_LABEL = late_pattern(
    rf"[tT](?<!\w[tT])(?i:ool(?:[ _]?calls?)?)[*_`]{{0,3}}{SPACE}{COLON}"
    r"|[aA](?<!\w[aA])(?i:ction)(?:[ \t]\d{1,3})?[*_]{0,3}[ \t]{0,9}:"
)
# The bracket may stand in the next line, perhaps behind a mark.
_BEHIND_NAME = r"(?=(?::\d{1,6})?[\s*`]{0,12}[({]|[ \t*`]{0,9}\r?$)"
_NAME = late_pattern(rf"\b[^\W\d]\w*+{_BEHIND_NAME}", re.MULTILINE)
# Tokens that begin with a bracket or a sign, and those that are words.
_TOKEN = late_pattern(r"<(?=[^\s\d<>=(/!])|\[(?=TOOL_)|\u273f(?=[A-Z])")
_WORD_TOKEN = late_pattern(r"[fct](?<!\w[fct])(?:unctools(?=\[)|ommentary\s?to=|o=)")
_EDIT = late_pattern(rf"(?<![-+*<])(?:{openers('edit')})")
_HUNK = late_pattern(r"(?<!@)@@(?=[ \t\r]*(?:\n|-\d))")
_IS_WORD = late_pattern(r"[^\W\d]\w*")
_OBJECT = late_pattern(
    rf"""(?:\[\s{{0,9}})?{BEGINS_CALL.pattern}|\{{[ \t]*+\r?\n[ \t]*+(?=[^\s"'\u201ca-zA-Z_}}])"""
)
# A member that may name a tool, in any spelling that the reader of objects takes.
_BLANK = r"(?:\s|\\[nrt])*+"
_NAMING = late_pattern(
    rf"(?:name|tool|action|function)(?=[^\w\s]{{0,6}}?(?:{_BLANK}[:=]?{_BLANK}(?:/[/*]|\#)"
    rf"|{_BLANK}[:=]{_BLANK}(?:[rRuUbBfF]{{1,2}}(?=[\"']))?[^\w\s]{{0,6}}(?P<name>[\w-][\w.:/ -]{{0,127}})))"
)
_ESCAPED_LETTER = late_pattern(r"\\u00[4-7]|\\x[4-7]")
_DECODER = json.JSONDecoder()
# Characters that may be decoded in order to tell that an object is no call, besides four times the text.
_FREE_CHARACTERS = 1 << 18


class Candidate(NamedTuple):
    """A place where a call may begin, and what it begins with."""

    position: int
    kind: Kind


class KnownNames:
    """Tells whether a word names one of `tools`, and looks for each word once."""

    def __init__(self, tools: ToolDescriptions) -> None:
        self._tools = tools
        self._words: dict[str, bool] = {}

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self(word)

    def __call__(self, word: str) -> bool:
        """Whether there is such a tool, by its name or another name of it."""
        known = self._words.get(word)
        if known is None:
            known = self._words[word] = resolve_tool_name(word, self._tools) is not None
        return known


def find_candidates(
    reading: Reading, known: KnownNames, spans: Sequence[tuple[int, int]] | None = None
) -> list[Candidate]:
    """All candidates in a text, or in the `spans` of it, in its order."""
    text = reading.text
    spans = [(0, len(text))] if spans is None else spans

    def all_of(pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        return itertools.chain.from_iterable(pattern.finditer(text, *span) for span in spans)

    found = [Candidate(match.start(), "label") for match in all_of(_LABEL)]
    found += [Candidate(match.start(), "name") for match in all_of(_NAME) if known(match.group())]
    found += [Candidate(match.start(), "mark") for match in all_of(_TOKEN)]
    found += [Candidate(match.start(), "mark") for match in all_of(_WORD_TOKEN)]
    found += [Candidate(match.start(), "edit") for match in all_of(_EDIT)]
    found += [Candidate(match.start(), "hunk") for match in all_of(_HUNK)]
    if others := _other_names(reading.tools):
        found += [Candidate(match.start(), "name") for match in all_of(others)]
    if objects := [match.start() for match in all_of(_OBJECT)]:
        found += [Candidate(position, "object") for position in _naming_objects(text, objects, known)]
    return sorted(found)


def may_call_unknown(text: str) -> bool:
    """Whether a text without candidates may be read as a call of an unknown tool: a fence, or all of it."""
    if "```" in text:
        return "tool_code" in text or _OBJECT.search(text) is not None
    whole = text.strip()
    return whole.startswith("{") and whole.endswith("}") and _object_end(whole, 0) == len(whole)


def read_candidate(reading: Reading, candidate: Candidate) -> Found | None:
    """What the reader of this kind finds there."""
    return _READERS[candidate.kind](reading, candidate.position)


_READERS: Mapping[Kind, Callable[[Reading, int], Found | None]] = MappingProxyType(
    {
        "label": read_line_call,
        "name": read_bare,
        "object": partial(read_objects, weak=True),
        "mark": read_dialect,
        "edit": read_edit_anywhere,
        "hunk": read_edit_anywhere,
    }
)


def _other_names(tools: ToolDescriptions) -> re.Pattern[str] | None:
    """The names of tools that are no words, such as `api.search`."""
    others = sorted((name for name in tools if not _IS_WORD.fullmatch(name)), key=len, reverse=True)
    names = "|".join(map(re.escape, others))
    return re.compile(rf"(?<!\w)(?:{names}){_BEHIND_NAME}", re.MULTILINE) if others else None


def _naming_objects(text: str, objects: Iterable[int], known: KnownNames) -> Iterator[int]:
    """Those of the objects that may name a tool."""
    sure = _ESCAPED_LETTER.search(text) is None
    naming = [match.start() for match in _NAMING.finditer(text) if _may_name(match["name"], known)]
    left = 4 * len(text) + _FREE_CHARACTERS
    for position in objects:
        at = bisect_left(naming, position)
        if sure and at == len(naming):
            continue
        end = _object_end(text, position) if sure and left > 0 else len(text)
        left -= end - position
        if not sure or naming[at] < end:
            yield position


def _may_name(name: str | None, known: KnownNames) -> bool:
    """Whether the text of a member is, or begins with, the name of a tool; without one it cannot be told."""
    if name is None:
        return True
    return any(known(clean_name(each, known)) for each in (name, name.partition(" ")[0]))


def _object_end(text: str, position: int) -> int:
    """Where the JSON value at `position` ends; the text's end if it is none."""
    try:
        return _DECODER.raw_decode(text, position)[1]
    except (ValueError, RecursionError):
        return len(text)
