"""What an endpoint asks of one program, others that use it keep as well."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.endpoints import whole_reply
from tests.support.scripted_provider import ScriptedProvider
from text_agent.config.limits import RETRY_AFTER_MAX_SECONDS, SHARED_WAIT_MAX_SECONDS
from text_agent.errors import OverloadedError, ProviderError, RateLimitError
from text_agent.providers.retries import RetryingProvider
from text_agent.providers.shared_wait import SharedWait

NOW = 1_000_000_000.0


class World:
    """Programs that share a wait; time goes on only as they sleep."""

    def __init__(self, file: Path | None) -> None:
        self.now = NOW
        self._file = file

    def ask(self, *script: ProviderError | str) -> list[float]:
        """How long one program waits until it has its reply."""
        slept: list[float] = []

        def sleep(seconds: float) -> None:
            slept.append(round(seconds, 3))
            self.now += seconds

        shared = SharedWait(self._file, lambda: self.now, lambda: 0.0)
        provider = ScriptedProvider([*script, "Fine."])
        patient = RetryingProvider(provider, sleep=sleep, chance=lambda: 1.0, shared=shared)
        assert whole_reply(patient).text == "Fine."
        return slept


def busy(seconds: float | None) -> RateLimitError:
    error = RateLimitError("slow down.")
    error.wait_seconds = seconds
    return error


def wait(file: Path, now: float, chance: float = 0.0) -> SharedWait:
    return SharedWait(file, lambda: now, lambda: chance)


@pytest.mark.parametrize("seconds", [7.0, RETRY_AFTER_MAX_SECONDS + 1, None])
def test_all_wait_for_what_one_was_told(tmp_path: Path, seconds: float | None) -> None:
    world = World(tmp_path / "wait")
    told = seconds or 1.0
    assert world.ask(busy(seconds)) == [told]
    world.now = NOW + told / 2
    assert world.ask() == [told / 2]
    assert world.ask() == []


def test_nobody_waits_for_another_without_a_file_or_for_another_failure(tmp_path: Path) -> None:
    assert World(None).ask(busy(7.0)) == [7.0]
    world = World(tmp_path / "wait")
    assert world.ask(OverloadedError("broken")) == [1.0]
    assert not (tmp_path / "wait").exists()


def test_a_wait_is_only_made_longer_and_has_an_end(tmp_path: Path) -> None:
    file = tmp_path / "wait"
    wait(file, NOW).tell(20)
    wait(file, NOW).tell(5)
    assert wait(file, NOW).seconds() == 20
    assert wait(file, NOW, chance=0.5).seconds() == 20.5
    wait(file, NOW).tell(SHARED_WAIT_MAX_SECONDS * 9)
    assert wait(file, NOW).seconds() == SHARED_WAIT_MAX_SECONDS


def test_a_file_that_cannot_be_used_keeps_nobody(tmp_path: Path) -> None:
    wait(tmp_path / "missing/wait", NOW).tell(20)
    assert wait(tmp_path / "missing/wait", NOW).seconds() == 0
