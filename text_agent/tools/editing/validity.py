"""Whether a text is valid in the language that its file name tells."""

from __future__ import annotations

import json
import tomllib
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import product
from pathlib import PurePath

from text_agent.lazy_regex import late_pattern

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
    """What a parser says of a text, and where.

    Attributes:
        language: the text's.
        message: the parser's.
        line: that it points at, from 1; None where it points at none.
        search: finds the line as it would make the text valid.
    """

    language: str
    message: str
    line: int | None
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


def find_invalidity(name: str, text: str) -> Invalidity | None:
    """Parses `text` by the suffix of `name`; None if it is valid or of no language known here."""
    language, parse = _PARSERS.get(PurePath(name).suffix.lower(), ("", _accept))
    try:
        problem = parse(text)
    except (RecursionError, MemoryError):  # too deep for the parser, which does not make it invalid
        return None
    return problem and Invalidity(language, *problem, partial(_mended, parse, text, problem[1]))


_Problem = tuple[str, int | None] | None


def _mended(parse: Callable[[str], _Problem], text: str, number: int | None) -> str:
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


def _is_valid(parse: Callable[[str], _Problem], text: str) -> bool:
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


def _accept(_text: str) -> _Problem:
    return None


def _parse_python(text: str) -> _Problem:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about doubtful, but valid code
        try:
            compile(text, "<text>", "exec", dont_inherit=True)
        except SyntaxError as error:
            return error.msg, error.lineno
        except ValueError as error:
            return str(error), None
    return None


def _parse_json(text: str) -> _Problem:
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return error.msg, error.lineno
    except ValueError as error:  # a number of more digits than Python converts
        return str(error), None
    return None


def _parse_toml(text: str) -> _Problem:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message, _, place = str(error).partition(" (at line ")
        number = place.partition(",")[0]
        return message, int(number) if number.isdigit() else None
    return None


def _parse_yaml(text: str) -> _Problem:
    import yaml  # only for such files

    try:
        for _ in yaml.compose_all(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            pass  # every document of the file; tags and anchors are not followed
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        return error.problem or str(error), mark.line + 1 if mark else None
    except yaml.YAMLError as error:
        return str(error), None
    return None


_PARSERS: dict[str, tuple[str, Callable[[str], _Problem]]] = {
    ".py": ("Python", _parse_python),
    ".pyi": ("Python", _parse_python),
    ".json": ("JSON", _parse_json),
    ".toml": ("TOML", _parse_toml),
    ".yaml": ("YAML", _parse_yaml),
    ".yml": ("YAML", _parse_yaml),
}
