from __future__ import annotations

import re

import pytest

from text_agent.lazy_regex import late_pattern


def test_a_late_pattern_is_one() -> None:
    late, usual = (make(r"(?P<word>\w)x", re.IGNORECASE) for make in (late_pattern, re.compile))
    assert late.sub("-", "ax BX c") == usual.sub("-", "ax BX c") == "- - c"
    assert [match["word"] for match in late.finditer("ax BX")] == ["a", "B"]
    assert (late.pattern, late.fullmatch("c")) == (usual.pattern, None)
    assert late_pattern(rb"\d+").findall(b"1 22") == [b"1", b"22"]


def test_what_is_no_pattern_is_found_out_by_its_first_use() -> None:
    broken = late_pattern("(")
    with pytest.raises(re.error, match="unterminated"):
        broken.match("a")
