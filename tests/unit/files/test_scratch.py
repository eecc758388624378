from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from text_agent.files.scratch import ScratchFolder


def test_it_is_made_when_it_is_needed_and_goes_with_the_object(tmp_path: Path) -> None:
    scratch = ScratchFolder(tmp_path / "cache")
    assert not (tmp_path / "cache").exists()
    file = scratch.save("text \ud800")
    assert file.read_text() == "text ?"
    assert file.parent == scratch.path
    assert scratch.temporary.is_dir()
    assert scratch.path.stat().st_mode & 0o777 == 0o700
    assert scratch.save("text \ud800") == file
    assert scratch.save("other") != file
    del scratch
    assert list((tmp_path / "cache").iterdir()) == []


def test_it_lies_in_the_users_cache(own_environment: Path) -> None:
    assert ScratchFolder().path.is_relative_to(own_environment)
    assert list(own_environment.iterdir()) == []


def test_what_a_killed_session_left_is_removed_after_a_week(tmp_path: Path) -> None:
    old, young, other = (tmp_path / name for name in ("12-ab", "13-ab", "keep"))
    for folder in (old, young, other):
        folder.mkdir()
    for folder in (old, other):
        os.utime(folder, (time.time() - 8 * 24 * 3600,) * 2)
    ScratchFolder(tmp_path).make()
    assert not old.exists()
    assert young.exists()
    assert other.exists()


def test_a_place_where_nothing_can_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="Not a directory"):
        ScratchFolder(tmp_path / "file").save("x")
