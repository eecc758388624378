"""Whether a text is valid in the language that its file name tells."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import product

from text_agent.files.kinds import formats_by_text, formats_of
from text_agent.lazy_regex import late_pattern
from text_agent.tools.editing.parsers import PARSERS, Problem

# Characters of a text that is parsed again and again to see what it lacks, and of the line that lacks it.
_MENDED_CHARS = 10_000
_MENDED_LINE_CHARS = 300
# What a line may lack where something in it ends.
_LACKING = ("'", '"', ")", "]", "}", "')", '")')
# What it may lack at its end only.
_LACKING_AT_END = (":", ",")
_END = late_pattern(r"(?<=\S)(?=[\s,;:])|\Z|(?<=[\"')\]}])(?=[.\[])|(?=[)\]}])")
_BRACKETS = (("(", ")"), ("[", "]"), ("{", "}"))
_OPENERS = {"'": "'", '"': '"', **{closer: opener for opener, closer in _BRACKETS}}
# One string behind another: they are one in Python, so that a comma is missing, too.
_STRINGS = late_pattern(r"[\"']\s*\w{0,2}[\"']")


@dataclass(frozen=True)
class Invalidity:
    """What a parser says of a text, and where."""

    language: str  # the text's
    message: str  # the parser's
    line: int | None  # that it points at, from 1; None where it points at none
    # Finds the line as it would make the text valid.
    search: Callable[[], str] = field(repr=False, compare=False)

    @cached_property
    def mended(self) -> str:
        """The line as it would make the text valid; empty where none is known for certain.

        It is searched for when somebody asks, for the text is parsed anew for each way.
        """
        return self.search()

    def mend(self, text: str) -> str:
        """The text with the line as it makes it valid; unchanged where none is known."""
        lines = text.split("\n")
        if self.mended and self.line is not None:
            lines[self.line - 1] = self.mended
        return "\n".join(lines)

    def describe(self, text: str) -> str:
        """The message with the line and what stands there."""
        lines = text.split("\n")
        if self.line is None or not 0 < self.line <= len(lines):
            return f"no valid {self.language} ({self.message})"
        place = f"line {self.line}: {self.message}"
        valid = f"; it would be valid as `{_short(self.mended)}`" if self.mended else ""
        return f"no valid {self.language} ({place}); that line is `{_short(lines[self.line - 1])}`{valid}"


def find_invalidity(name: str, text: str, before: str = "") -> Invalidity | None:
    """Parses a text in the formats that the name of its file tells, or the file's text before.

    Returns what is wrong with it; None if it is valid in one of the formats, or none is known.
    """
    found: Invalidity | None = None
    for language in formats_of(name) or formats_by_text(before):
        parse = PARSERS[language]
        try:
            problem = parse(text)
        except (RecursionError, MemoryError):  # too deep for the parser, which does not make it invalid
            problem = None
        if problem is None:
            return None
        found = found or Invalidity(language, *problem, partial(_mended, parse, text, problem[1]))
    return found


def _mended(parse: Callable[[str], Problem], text: str, number: int | None) -> str:
    """The line `number` with the sign that it lacks; empty if more than one would make the text valid."""
    lines = text.split("\n")
    if number is None or not 0 < number <= len(lines) or len(text) > _MENDED_CHARS:
        return ""
    before, line, after = lines[: number - 1], lines[number - 1], lines[number:]
    if len(line) > _MENDED_LINE_CHARS:
        return ""
    candidates = _candidates(line, "\n".join(after))
    valid = [each for each in candidates if _is_valid(parse, "\n".join([*before, each, *after]))]
    return valid[0] if len(valid) == 1 else ""


def _is_valid(parse: Callable[[str], Problem], text: str) -> bool:
    with suppress(RecursionError, MemoryError):
        return parse(text) is None
    return False


def _candidates(line: str, rest: str) -> set[str]:
    """What a line before `rest` may have been: its brackets match, also with those in its strings."""
    found = {line + lacking for lacking in _LACKING_AT_END}
    for at, lacking in product((match.start() for match in _END.finditer(line)), _LACKING):
        before, behind = line[:at], line[at:]
        if _may_close(before, lacking[0]) and not _STRINGS.match(f"{lacking}{behind}\n{rest}"):
            found.add(before + lacking + behind)
    return {each for each in found if all(each.count(one) == each.count(other) for one, other in _BRACKETS)}


def _may_close(before: str, sign: str) -> bool:
    """Whether a sign can stand behind `before`: a quote or bracket there closes what has something in it."""
    return not before.endswith(_OPENERS[sign]) and (sign not in "\"'" or before.count(sign) % 2 == 1)


def _short(line: str) -> str:
    return line.strip()[:200]
