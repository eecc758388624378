"""A text in all the forms in which programs write it: escaped, quoted, or encoded, once or several times."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from functools import lru_cache

from text_agent.lazy_regex import late_pattern

# A backslash itself, in forms of its own; each program that quotes what another one has quoted doubles them.
_SLASH = r"(?:\\(?:u005[cC])?|%(?:25)*5[cC]|&#0*92;)"
_MOST_SLASHES = 8
# What an escape may look like that is not at its end yet, and its most characters.
_CUT_ESCAPE = late_pattern(r"[\\%&'\"][\\%&'\"#;{}0-9a-fA-Fuxmpqotlg]*\Z")
_LONGEST_ESCAPE = 24
# Of one character, in all that follows one another in practice.
MOST_ESCAPED_CHARS = 12
_MOST_LEVELS = 3
_ESCAPES = {"\n": "n", "\t": "t", "\r": "r", "\f": "f", "\b": "b"}
# What else stands for a character: SQL, YAML and CSV double quotes, shells end and begin them anew.
_QUOTE = rf"{_SLASH}{{0,{_MOST_SLASHES}}}\""
_OTHERS = {
    "'": ("''", rf"'{_SLASH}+''", f"'{_QUOTE}'{_QUOTE}'"),
    '"': ('""',),
    " ": (r"\+",),
    "\\": tuple(f"{_SLASH}{{{times}}}" for times in (8, 4, 2, 1)),
}
# Without one of these nothing is escaped.
_SIGNS = ("\\", "%", "&", "''", '""', "'\"", "+")


class EscapedText:
    """Finds a text of at least three characters in others, each plain or escaped as JSON, URLs, shells do."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._head = re.compile(_head(text))

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """The places in a text where this one stands, from start to end; none that overlap."""
        if not any(sign in text for sign in _SIGNS):
            return
        found = self._head.search(text)
        while found:
            start = found.start()
            end = self._end(text, start)
            if end is not None:
                yield start, end
            found = self._head.search(text, start + 1 if end is None else end)

    def may_begin(self, text: str) -> bool:
        """Whether the whole of `text` may be the beginning of this one."""
        return any(
            at == len(text) or (len(text) - at <= _LONGEST_ESCAPE and _CUT_ESCAPE.match(text, at))
            for states in self._steps(text, 0)
            for at in states
        )

    def _end(self, text: str, start: int) -> int | None:
        """Where this text ends in another one, if it begins at `start`."""
        *_, states = self._steps(text, start)
        return max(states, default=None)

    def _steps(self, text: str, start: int) -> Iterator[set[int]]:
        """Where each of the characters may begin, and then where the last one may end."""
        states = {start}
        yield states
        for char in self._text:
            forms = _compiled(char)
            states = {found.end() for at in states for form in forms if (found := form.match(text, at))}
            yield states
            if not states:
                return


def encoded_forms(text: str) -> Iterator[str]:
    """What of the text is the same in every base64 or hexadecimal form of a text that holds it."""
    data = text.encode("utf-8", "surrogatepass")
    yield from (data.hex(), data.hex().upper())
    for before in range(3):
        whole = base64.b64encode(bytes(before) + data).decode()
        certain = whole[-(-8 * before // 6) : 8 * (before + len(data)) // 6]
        yield certain
        yield certain.translate(str.maketrans("+/", "-_"))


@lru_cache(maxsize=512)
def _compiled(char: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(form) for form in _forms(char))


def _head(text: str) -> str:
    """A pattern of how the text may begin: it is quick, and fits a little more than that."""
    first, second, third = map(re.escape, text[:3])
    may_be_escaped = r"[\\%&'\"+]"
    plain = f"{first}(?:{may_be_escaped}|{second}(?:{may_be_escaped}|{third}))"
    escaped, others = _escaped(text[0])
    slashed = f"{_SLASH}{{1,{_MOST_SLASHES}}}(?:{'|'.join(escaped)})"
    return "|".join([plain, slashed, *others])


def _forms(char: str) -> list[str]:
    """Patterns of the forms of a character; apart, as a key may hold by itself what looks like an escape."""
    escaped, others = _escaped(char)
    return [re.escape(char), *(f"{_SLASH}{{1,{_MOST_SLASHES}}}{form}" for form in escaped), *others]


def _escaped(char: str) -> tuple[list[str], list[str]]:
    """Patterns of what stands for a character behind backslashes, and of what does without them."""
    levels = range(_MOST_LEVELS)
    encoded = [*(_percent(char, level) for level in levels), *(_entity(char, level) for level in levels)]
    escaped = [*_code_points(char), *encoded, *_ESCAPES.get(char, ())]
    if not char.isalnum():
        escaped.append(re.escape(char))
    return escaped, [*encoded, *_OTHERS.get(char, ())]


def _code_points(char: str) -> Iterator[str]:
    """The escapes by number, without their first backslash."""
    units = char.encode("utf-16-be", "surrogatepass").hex()
    hexadecimal = [_hexadecimal(units[at : at + 4]) for at in range(0, len(units), 4)]
    yield "u" + rf"{_SLASH}{{1,{_MOST_SLASHES}}}u".join(hexadecimal)
    yield rf"u\{{0*{_hexadecimal(f'{ord(char):x}')}\}}"
    yield rf"U0*{_hexadecimal(f'{ord(char):x}')}"
    if ord(char) < 256:
        yield f"x{_hexadecimal(f'{ord(char):02x}')}"
        yield f"0*{ord(char):03o}"


def _percent(char: str, level: int) -> str:
    """The character in a URL that stands in so many other ones."""
    digits = (_hexadecimal(f"{byte:02x}") for byte in char.encode("utf-8", "replace"))
    return "".join(f"%{'25' * level}{each}" for each in digits)


def _entity(char: str, level: int) -> str:
    """The character in HTML that stands in so many other ones."""
    from html.entities import codepoint2name

    names = [rf"#0*{ord(char)};?", rf"#[xX]0*{_hexadecimal(f'{ord(char):x}')};?"]
    if name := codepoint2name.get(ord(char)) or {"'": "apos"}.get(char):
        names.append(f"{name};?")
    return f"&{'amp;' * level}(?:{'|'.join(names)})"


def _hexadecimal(digits: str) -> str:
    return "".join(f"[{digit}{digit.upper()}]" if digit.isalpha() else digit for digit in digits)
