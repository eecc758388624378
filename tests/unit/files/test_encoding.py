from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from text_agent.files.encoding import Encoding, NotTextError, decode_text, detect_encoding


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        (b"", "", Encoding()),
        (b"abc", "abc", Encoding()),
        ("ä日".encode(), "ä日", Encoding()),
        (b"\xef\xbb\xbfa", "a", Encoding("utf-8", b"\xef\xbb\xbf")),
        (b"\xff\xfea\0", "a", Encoding("utf-16-le", b"\xff\xfe")),
        (b"\xfe\xff\0a", "a", Encoding("utf-16-be", b"\xfe\xff")),
        (b"\xff\xfe\0\0a\0\0\0", "a", Encoding("utf-32-le", b"\xff\xfe\0\0")),
        (b"\0\0\xfe\xff\0\0\0a", "a", Encoding("utf-32-be", b"\0\0\xfe\xff")),
        (b"caf\xe9\n", "café\n", Encoding("cp1252", certain=False)),
        (b"\x93quoted\x94 \x80 5", "\u201cquoted\u201d \u20ac 5", Encoding("cp1252", certain=False)),
        (b"# -*- coding: latin-1 -*-\n\xe9", "# -*- coding: latin-1 -*-\né", Encoding("latin-1")),
        (b'<?xml encoding="koi8-r"?>\xc9', '<?xml encoding="koi8-r"?>и', Encoding("koi8-r")),
        (b"coding: nonsense\xe9", "coding: nonsenseé", Encoding("cp1252", certain=False)),
        (b"charset=utf-16 \xe9", "charset=utf-16 é", Encoding("cp1252", certain=False)),
    ],
)
def test_encodings(data: bytes, text: str, encoding: Encoding) -> None:
    assert decode_text(data) == (text, encoding)
    assert encoding.encode(text) == data


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Привет, как дела? Это тест.\n", "cp1251"),
        ("これはテストです。日本語の文章。\n", "cp932"),
        ("这是一个测试文件。中文内容。\n", "gb18030"),
    ],
)
def test_encodings_that_the_library_tells(text: str, name: str) -> None:
    assert decode_text(text.encode(name)) == (text, Encoding(name, certain=False))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"a\0b", "it is binary"),
        (bytes(range(1, 256)), "its encoding cannot be told"),
        (b"\xef\xbb\xbf\xff", "not valid utf-8"),
        (b"\xff\xfea", "not valid utf-16-le"),
        (b"\xff\xfe\0\xd8", "not valid utf-16-le"),
    ],
)
def test_what_is_no_text(data: bytes, reason: str) -> None:
    with pytest.raises(NotTextError, match=reason):
        decode_text(data)


def test_the_beginning_of_a_file_may_end_inside_a_character() -> None:
    data = "日本".encode()[:-1]
    assert detect_encoding(data, is_whole=False) == Encoding()
    assert detect_encoding(data) != Encoding()


@given(st.binary(max_size=300))
def test_whatever_is_taken_for_text_comes_back_as_it_was(data: bytes) -> None:
    try:
        text, encoding = decode_text(data)
    except NotTextError:
        return
    assert encoding.encode(text) == data
