"""The parsers that tell what is wrong with a text, by its format."""

from __future__ import annotations

import json
import re
import tomllib
import warnings
from collections.abc import Callable, Mapping

from text_agent.files.kinds import Format
from text_agent.lazy_regex import late_pattern

# What a parser says, and the line that it points at, from 1; None of a text that is valid.
Problem = tuple[str, int | None] | None

_STRING_OR_COMMENT = late_pattern(r"(\"(?:\\.|[^\"\\\n])*\")|//[^\n]*|/\*.*?\*/", re.DOTALL)
_STRING_OR_COMMA = late_pattern(r"(\"(?:\\.|[^\"\\\n])*\")|,(?=\s*[}\]])")


def _parse_python(text: str) -> Problem:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about doubtful, but valid code
        try:
            compile(text, "<text>", "exec", dont_inherit=True)
        except SyntaxError as error:
            return error.msg, error.lineno
        except ValueError as error:
            return str(error), None
    return None


def _parse_json(text: str) -> Problem:
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return error.msg, error.lineno
    except ValueError as error:  # a number of more digits than Python converts
        return str(error), None
    return None


def _parse_toml(text: str) -> Problem:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message, _, place = str(error).partition(" (at line ")
        number = place.partition(",")[0]
        return message, int(number) if number.isdigit() else None
    return None


def _parse_yaml(text: str) -> Problem:
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


def _parse_json_with_comments(text: str) -> Problem:
    """As JSON, without comments and commas before a closing bracket; every line stays where it is."""
    bare = _STRING_OR_COMMENT.sub(lambda match: match[1] or "\n" * match[0].count("\n"), text)
    return _parse_json(_STRING_OR_COMMA.sub(lambda match: match[1] or "", bare))


def _parse_json_lines(text: str) -> Problem:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() and (problem := _parse_json(line)):
            return problem[0], number
    return None


class _OwnEntities(Exception):
    """A document declares entities: what they stand for is not looked at."""


def _parse_xml(text: str) -> Problem:
    from xml.parsers import expat  # only for such files

    def stop(*_: object) -> None:
        raise _OwnEntities

    # It follows no reference to another file.
    parser = expat.ParserCreate()
    parser.EntityDeclHandler = stop
    try:
        parser.Parse(text, True)
    except _OwnEntities:
        return None
    except expat.ExpatError as error:
        return expat.ErrorString(error.code), error.lineno
    except ValueError as error:  # half a character
        return str(error), None
    return None


PARSERS: Mapping[Format, Callable[[str], Problem]] = {
    "Python": _parse_python,
    "JSON": _parse_json,
    "JSON with comments": _parse_json_with_comments,
    "JSON lines": _parse_json_lines,
    "TOML": _parse_toml,
    "YAML": _parse_yaml,
    "XML": _parse_xml,
}
