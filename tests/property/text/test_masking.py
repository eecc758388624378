"""A key is masked in every form in which programs write it, whole or in pieces."""

from __future__ import annotations

import base64
import csv
import html
import io
import json
import shlex
import urllib.parse
from collections.abc import Callable, Mapping
from itertools import pairwise
from xml.sax.saxutils import quoteattr

import yaml
from hypothesis import assume, example, given
from hypothesis import strategies as st

from text_agent.text.masking import MASK, Masker, StreamMasker

Form = Callable[[str], str]


def as_csv(text: str) -> str:
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL).writerow([text])
    return out.getvalue().strip()


def by_code(text: str) -> str:
    units = text.encode("utf-16-be").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def in_basic(text: str, before: str = "") -> str:
    return base64.b64encode(f"{before}{text}".encode()).decode()


FORMS: Mapping[str, Form] = {
    "plain": str,
    "json": json.dumps,
    "json with slashes": lambda text: json.dumps(text).replace("/", "\\/"),
    "json in json": lambda text: json.dumps(json.dumps(text)),
    "json in json in json": lambda text: json.dumps(json.dumps(json.dumps(text))),
    "by code": by_code,
    "by code in json": lambda text: json.dumps(by_code(text)),
    "url": urllib.parse.quote,
    "url, strictly": lambda text: urllib.parse.quote(text, safe=""),
    "url, small letters": lambda text: "".join(f"%{byte:02x}" for byte in text.encode()),
    "form": urllib.parse.quote_plus,
    "url twice": lambda text: urllib.parse.quote(urllib.parse.quote(text, safe=""), safe=""),
    "json in a url": lambda text: urllib.parse.quote(json.dumps(text), safe=""),
    "url in json": lambda text: json.dumps(urllib.parse.quote(text)),
    "html": html.escape,
    "html in json": lambda text: json.dumps(html.escape(text)),
    "json in html": lambda text: html.escape(json.dumps(text)),
    "html by number": lambda text: "".join(f"&#{ord(char)};" for char in text),
    "html by hexadecimal": lambda text: "".join(f"&#x{ord(char):X};" for char in text),
    "html twice": lambda text: html.escape(html.escape(text)),
    "xml": quoteattr,
    "repr": repr,
    "ascii": ascii,
    "shell": shlex.quote,
    "shell, double quotes": lambda text: '"' + "".join(f"\\{c}" if c in '"\\$`' else c for c in text) + '"',
    "shell, by backslash": lambda text: "".join(c if c.isalnum() else f"\\{c}" for c in text),
    "shell in json": lambda text: json.dumps(shlex.quote(text)),
    "sql": lambda text: "'" + text.replace("'", "''") + "'",
    "csv": as_csv,
    "yaml": lambda text: yaml.safe_dump({"key": text}, width=10_000),
    "hex escapes": lambda text: "".join(f"\\x{ord(c):02x}" for c in text if ord(c) < 256),
    "octal escapes": lambda text: "".join(f"\\{ord(c):03o}" for c in text if ord(c) < 256),
    "base64": in_basic,
    "base64 behind one": lambda text: in_basic(text, "u"),
    "base64 behind two": lambda text: in_basic(text, "u:"),
    "base64 before others": lambda text: in_basic(text + "\n", "user:"),
    "base64 for urls": lambda text: base64.urlsafe_b64encode(text.encode()).decode(),
    "hexadecimal": lambda text: text.encode().hex(),
}
KEYS = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=12, max_size=60)
LATIN = st.text(st.characters(min_codepoint=161, max_codepoint=255), min_size=12, max_size=30)
# Quotes at both ends, as in HTML of JSON, and names before them.
MOST_LEFT = 24
ODD = (
    'sk-with"quote-and-more', "sk-with\\backslash-more",
    "sk-'\"\\&<>%+/= ~`$!", '\\"\\"\\"\\"\\"\\"\\"', "%25%25%25%25%25",
    "&amp;&amp;&amp;", "\\u0041\\u0042", "''''''''''''", "sk-a b c d e f g", "pass wörd with ümlauts",
)  # fmt: skip


def rest(masked: str) -> str:
    """What is left beside the mark: the quotes of all levels, or letters that the key shares with others."""
    before, mark, after = masked.partition(MASK)
    assert mark
    left = before.removeprefix("before ") + after.removesuffix(" after")
    return left.replace("\\", "")


@given(key=st.one_of(KEYS, LATIN, st.sampled_from(ODD)))
def test_a_key_is_masked_in_every_form(key: str) -> None:
    masker = Masker([key])
    for form, write in FORMS.items():
        assert len(rest(masker(f"before {write(key)} after"))) <= MOST_LEFT, form


@given(key=st.one_of(KEYS, st.sampled_from(ODD)), places=st.lists(st.integers(0, 10**6), max_size=6))
@example(key='sk-with"quote-and-more', places=list(range(1000)))
def test_a_key_in_pieces_is_masked_in_every_form(key: str, places: list[int]) -> None:
    whole = Masker([key])
    for form, write in FORMS.items():
        text = f"before {write(key)} after"
        masker = StreamMasker(whole)
        cuts = sorted({0, len(text), *(place % len(text) for place in places)})
        shown = "".join([*(masker.feed(text[a:b]) for a, b in pairwise(cuts)), masker.finish()])
        assert len(rest(shown)) <= MOST_LEFT, form


@given(key=st.from_regex(r"\A[a-z]{12,20}\Z"), text=st.text(max_size=300))
def test_a_text_without_the_key_stays(key: str, text: str) -> None:
    assume(key not in text)
    assert Masker([key])(text) == text
    masker = StreamMasker(Masker([key]))
    assert masker.feed(text) + masker.finish() == text
