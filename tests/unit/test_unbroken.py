"""Interrupts that wait until something is whole."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator

import pytest

from text_agent.signals import unbroken


@pytest.fixture(autouse=True)
def interrupts() -> Iterator[None]:
    """Ctrl-C interrupts, also where the tests run in the background, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_an_interrupt_waits_until_the_body_is_done() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt):  # noqa: PT012
        with unbroken(), unbroken():
            signal.raise_signal(signal.SIGINT)
            done.append("body")
        done.append("more")
    assert done == ["body"]
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_an_interrupt_is_not_lost_where_the_body_fails() -> None:
    with pytest.raises(KeyboardInterrupt), unbroken(), unbroken():  # noqa: PT012
        signal.raise_signal(signal.SIGINT)
        raise OSError("the disk is full")


def test_whoever_asks_twice_does_not_wait() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), unbroken():  # noqa: PT012
        signal.raise_signal(signal.SIGINT)
        done.append("first")
        signal.raise_signal(signal.SIGINT)
        done.append("second")
    assert done == ["first"]


def test_behind_the_last_there_is_nothing_to_interrupt() -> None:
    with unbroken(is_last=True):
        signal.raise_signal(signal.SIGINT)


def test_what_is_ignored_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with unbroken():
            signal.raise_signal(signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)


def test_another_thread_has_no_signals() -> None:
    done = []

    def work() -> None:
        with unbroken():
            done.append("body")

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == ["body"]
