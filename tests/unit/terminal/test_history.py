"""The file of what the user has typed."""

from __future__ import annotations

import stat
from pathlib import Path

from text_agent.terminal.input.history import PrivateHistory
from text_agent.text.masking import Masker

KEY = "sk-0123456789abcdef"


def lines(file: Path, max_bytes: int = 10_000) -> list[str]:
    return list(PrivateHistory(file, Masker(), max_bytes).load_history_strings())


def test_messages_come_back_the_newest_first(tmp_path: Path) -> None:
    file = tmp_path / "data" / "history"
    history = PrivateHistory(file, Masker([KEY]))
    for text in ("one", "two\nlines", "", f"a \u6f22 \udcff {KEY}"):
        history.store_string(text)
    assert lines(file) == ["a \u6f22 ? [key]", "", "two\nlines", "one"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_a_long_file_forgets_its_older_half(tmp_path: Path) -> None:
    file = tmp_path / "history"
    history = PrivateHistory(file, Masker())
    for number in range(100):
        history.store_string(f"line {number}")
    kept = lines(file, max_bytes=600)
    assert kept[0] == "line 99"
    assert 20 < len(kept) < 40
    assert kept == [f"line {number}" for number in range(99, 99 - len(kept), -1)]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_file_that_cannot_be_used_is_none(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    PrivateHistory(tmp_path / "file" / "history", Masker()).store_string("lost")
    assert lines(tmp_path / "file" / "history") == []
    assert lines(tmp_path) == []
