"""The store is a git repository that nothing of the user's reaches, and that does not grow for ever."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import time
from pathlib import Path

import pytest

from tests.support.checkpoints import Recorded
from text_agent.config.limits import CHECKPOINT_ANNOUNCED_FILES
from text_agent.files.checkpoints.states import blob_id
from text_agent.files.checkpoints.store import ShadowStore, StoreError
from text_agent.files.checkpoints.undo import undo

_DAY = 24 * 60 * 60


@pytest.fixture
def recorded(project: Path, tmp_path: Path) -> Recorded:
    (project / "a").write_bytes(b"former\r\n")
    return Recorded(project, tmp_path / "data")


def stores(recorded: Recorded) -> list[Path]:
    return sorted((recorded.data / "checkpoints").iterdir())


def git(store: Path, *arguments: str) -> str:
    run = subprocess.run(
        ["git", f"--git-dir={store}", *arguments], capture_output=True, text=True, check=True
    )
    return run.stdout


def test_ids_are_those_of_git(recorded: Recorded) -> None:
    recorded.write("a", b"new")
    (blob,) = git(stores(recorded)[0], "ls-tree", "--name-only", recorded_ref(recorded)).split()
    assert blob == blob_id(b"former\r\n")


def recorded_ref(recorded: Recorded) -> str:
    return git(stores(recorded)[0], "for-each-ref", "--format=%(refname)").strip()


def test_a_state_can_be_brought_back_by_hand(recorded: Recorded) -> None:
    """After a crash, say: the commit stands there before the file is changed."""
    (recorded.root / "b").symlink_to("a")
    target = recorded.root / "a"
    recorded.recorder.begin_step()
    with recorded.recorder.recording_write(target):
        message = git(stores(recorded)[0], "log", "-1", "--format=%B", recorded_ref(recorded))
        manifest = json.loads(message)
        assert manifest["a"]["mode"] == stat.S_IMODE(target.stat().st_mode)
        assert git(stores(recorded)[0], "cat-file", "blob", manifest["a"]["content"]) == "former\n"
    recorded.command("rm b; echo x > c")
    manifest = json.loads(git(stores(recorded)[0], "log", "-1", "--format=%B", recorded_ref(recorded)))
    assert manifest == {
        "b": {"kind": "link", "mode": 0, "content": "a", "kept": True},
        "c": None,
    }
    assert git(stores(recorded)[0], "rev-list", "--count", recorded_ref(recorded)).strip() == "2"


def test_nobody_else_can_read_it(recorded: Recorded) -> None:
    recorded.write("a", b"new")
    assert stat.S_IMODE(stores(recorded)[0].stat().st_mode) == 0o700


def test_the_users_configuration_and_environment_do_not_reach_it(
    recorded: Recorded, own_environment: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook = tmp_path / "hooks" / "reference-transaction"
    hook.parent.mkdir()
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    hook.chmod(0o755)
    (own_environment / ".gitconfig").write_text(
        f"[core]\nhooksPath = {hook.parent}\nautocrlf = input\n[init]\ntemplateDir = {hook.parent}\n"
        "[extensions]\nobjectFormat = sha256\n"
    )
    for name, value in {
        "GIT_DIR": "elsewhere",
        "GIT_WORK_TREE": "/",
        "GIT_INDEX_FILE": "other",
        "GIT_OBJECT_DIRECTORY": str(tmp_path / "objects"),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.hooksPath",
        "GIT_CONFIG_VALUE_0": str(hook.parent),
        "GIT_DEFAULT_HASH": "sha256",
    }.items():
        monkeypatch.setenv(name, value)
    recorded.write("a", b"new")
    assert recorded.told == []
    assert undo(recorded.recorder, 1).restored == ["a"]
    assert (recorded.root / "a").read_bytes() == b"former\r\n"
    assert not (tmp_path / "ran").exists()
    assert not (tmp_path / "objects").exists()


def test_a_session_that_changes_nothing_leaves_nothing(recorded: Recorded) -> None:
    recorded.recorder.begin_step()
    assert not recorded.data.exists()


def test_each_workspace_has_its_own_and_sessions_share_it(recorded: Recorded, tmp_path: Path) -> None:
    recorded.write("a", b"1")
    Recorded(recorded.root, recorded.data).write("a", b"2")
    (tmp_path / "other").mkdir()
    Recorded(tmp_path / "other", recorded.data).write("a", b"3")
    assert len(stores(recorded)) == 2
    assert (
        len(recorded_ref(recorded).split()) + len(git(stores(recorded)[1], "for-each-ref").splitlines()) == 3
    )


def make_old(store: Path, *, age: float, idle: float) -> None:
    now = time.time()
    os.utime(store / "HEAD", (now - age, now - age))
    os.utime(store, (now - idle, now - idle))


@pytest.mark.parametrize(
    ("age", "idle", "stays"),
    [(31, 2, False), (29, 29, True), (365, 0.5, True)],
    ids=["old", "young", "in use"],
)
def test_old_stores_go_unless_they_are_in_use(
    recorded: Recorded, tmp_path: Path, age: float, idle: float, stays: bool
) -> None:
    recorded.write("a", b"1")
    (old,) = stores(recorded)
    make_old(old, age=age * _DAY, idle=idle * _DAY)
    (tmp_path / "other").mkdir()
    Recorded(tmp_path / "other", recorded.data).write("a", b"1")
    assert old.exists() is stays


def test_what_is_gone_from_the_store_is_said_and_the_file_stays(recorded: Recorded) -> None:
    recorded.write("a", b"new")
    (store,) = stores(recorded)
    make_old(store, age=31 * _DAY, idle=2 * _DAY)
    Recorded(recorded.root, recorded.data).write("b", b"1")
    report = undo(recorded.recorder, 1)
    assert report.failed == {"a": "its former content is no longer kept"}
    assert (recorded.root / "a").read_bytes() == b"new"


def test_a_store_that_is_gone_is_said(tmp_path: Path) -> None:
    store = ShadowStore(tmp_path / "data", tmp_path, "git")
    with pytest.raises(StoreError, match="git cannot be run"), store.reading():
        pass


def test_an_error_in_the_body_ends_git_and_passes(recorded: Recorded) -> None:
    with pytest.raises(KeyboardInterrupt), recorded.recorder.store.importing():
        raise KeyboardInterrupt
    recorded.write("a", b"new")
    with pytest.raises(KeyboardInterrupt), recorded.recorder.store.reading():
        raise KeyboardInterrupt


# --- What is known from an earlier session


def test_a_later_session_reads_only_what_has_changed(recorded: Recorded) -> None:
    (recorded.root / "b").write_bytes(b"b")
    time.sleep(0.1)  # so that the times of the files tell their changes
    recorded.command("true")
    (recorded.root / "b").write_bytes(b"changed")
    (recorded.root / "c").write_bytes(b"c")
    again = Recorded(recorded.root, recorded.data)
    again.command("rm a b c")
    assert undo(again.recorder, 1).restored == ["a", "b", "c"]
    assert [(recorded.root / name).read_bytes() for name in "abc"] == [b"former\r\n", b"changed", b"c"]


@pytest.mark.parametrize("text", ["", "[]", "{", '{"a": 1}', '{"a": [1, 2]}', '{"a": [[1]]}', "\xff"])
def test_a_damaged_index_is_none(recorded: Recorded, text: str) -> None:
    recorded.command("true")
    (index,) = recorded.data.rglob("kept.json")
    index.write_bytes(text.encode("latin-1"))
    again = Recorded(recorded.root, recorded.data)
    again.command("rm a")
    assert undo(again.recorder, 1).restored == ["a"]


def test_a_large_tree_is_announced(recorded: Recorded) -> None:
    for number in range(CHECKPOINT_ANNOUNCED_FILES):
        (recorded.root / str(number)).touch()
    recorded.command("true")
    recorded.command("true")
    assert recorded.told == ["Keeping the state of 5,002 files, so that commands can be undone ..."]
    again = Recorded(recorded.root, recorded.data)
    again.command("true")
    assert again.told == [], "they are known from the session before"
