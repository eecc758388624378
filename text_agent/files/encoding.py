"""Text as it lies in a file: its encoding, its byte order mark and its line breaks."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from text_agent.lazy_regex import late_pattern

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark is its beginning
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_BINARY_PROBE = 8192
_DECLARATION = late_pattern(rb"(?:coding|charset)[:=]\s*[\"']?([-\w.]+)")
_DECLARATION_PROBE = 1024
_HIGH_RUN = late_pattern(rb"[\x80-\xff]{3}")


class NotTextError(ValueError):
    """The bytes are no text in any encoding that can be told."""


@dataclass(frozen=True, slots=True)
class Encoding:
    """How a file's bytes stand for text."""

    name: str = "utf-8"  # a Python codec
    bom: bytes = b""  # the byte order mark that the file begins with, or nothing
    certain: bool = True  # False where the encoding was guessed from the bytes alone

    def decode(self, data: bytes) -> str:
        """The text of `data` without its byte order mark; raises `UnicodeDecodeError`."""
        return data[len(self.bom) :].decode(self.name)

    def encode(self, text: str) -> bytes:
        """The bytes of `text` with the byte order mark; raises `UnicodeEncodeError`."""
        return self.bom + text.encode(self.name)


def detect_encoding(data: bytes, *, is_whole: bool = True) -> Encoding:
    """Tells the encoding of `data`, a file or (if not `is_whole`) its beginning.

    Raises `NotTextError`: it is binary, or text whose bytes could not be kept.
    """
    for bom, name in _BOMS:
        if data.startswith(bom):
            if _decodes(Encoding(name, bom), data, is_whole):
                return Encoding(name, bom)
            raise NotTextError(f"it is not valid {name}, although it begins as such")
    if b"\0" in data[:_BINARY_PROBE]:
        raise NotTextError("it is binary")
    if _decodes(Encoding(), data, is_whole):
        return Encoding()
    return _declared(data) or _western(data) or _guessed(data)


def decode_text(data: bytes) -> tuple[str, Encoding]:
    """The text of a whole file and its encoding; raises `NotTextError`."""
    encoding = detect_encoding(data)
    return encoding.decode(data), encoding


def _decodes(encoding: Encoding, data: bytes, is_whole: bool = True) -> bool:
    decoder = codecs.getincrementaldecoder(encoding.name)()
    try:
        decoder.decode(data[len(encoding.bom) :], final=is_whole)
    except UnicodeDecodeError:
        return False
    return True


def _round_trips(encoding: Encoding, data: bytes) -> bool:
    """Whether the bytes come back from the text, and ASCII is ASCII in it."""
    try:
        return encoding.encode(encoding.decode(data)) == data and "aA0 \n".encode(encoding.name) == b"aA0 \n"
    except (UnicodeError, LookupError):
        return False


def _declared(data: bytes) -> Encoding | None:
    """The encoding that the text itself names, as Python, XML and HTML files do."""
    found = _DECLARATION.search(data[:_DECLARATION_PROBE])
    if found is None:
        return None
    encoding = Encoding(found[1].decode("ascii"))
    return encoding if _round_trips(encoding, data) else None


def _western(data: bytes) -> Encoding | None:
    """Windows-1252 where high bytes stand alone or in pairs, as accents and signs do in ASCII text.

    Asked before the library, which needs more text than a few accents to tell it.
    """
    encoding = Encoding("cp1252", certain=False)
    return None if _HIGH_RUN.search(data) or not _round_trips(encoding, data) else encoding


def _guessed(data: bytes) -> Encoding:
    from charset_normalizer import from_bytes  # its tables load for 20 ms, and few files need them

    for match in from_bytes(data):
        encoding = Encoding(match.encoding, certain=False)
        if _round_trips(encoding, data):
            return encoding
    raise NotTextError("its encoding cannot be told")
