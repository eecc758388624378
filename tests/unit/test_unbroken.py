"""Interrupts that wait until something is whole, and those that do not."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator

import pytest

from text_agent.signals import interrupted_once, unbroken


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


@pytest.mark.parametrize("more", range(4))
def test_the_first_interrupts_and_what_follows_is_whole(more: int) -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), interrupted_once() as interrupts:  # noqa: PT012
        try:
            signal.raise_signal(signal.SIGINT)
            done.append("body")
        finally:
            for _ in range(more):
                signal.raise_signal(signal.SIGINT)
            done.append("end")
        done.append("more")
    assert done == ["end"]
    assert interrupts.are_waiting == bool(more)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_what_is_held_back_is_sent_again() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), interrupted_once() as interrupts:  # noqa: PT012
        interrupts.hold()
        signal.raise_signal(signal.SIGINT)
        done.append("body")
    assert done == ["body"]


def test_an_end_is_not_lost_behind_an_interrupt() -> None:
    def leave(*_: object) -> None:
        raise SystemExit(143)

    before = signal.signal(signal.SIGTERM, leave)
    try:
        with pytest.raises(SystemExit), interrupted_once():  # noqa: PT012
            try:
                signal.raise_signal(signal.SIGINT)
            finally:
                signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)


def test_where_the_first_waits_the_next_may_interrupt() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), unbroken(), interrupted_once():  # noqa: PT012
        signal.raise_signal(signal.SIGINT)
        done.append("first")
        signal.raise_signal(signal.SIGINT)
        done.append("second")
    assert done == ["first"]


def test_what_is_ignored_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with unbroken(), interrupted_once():
            signal.raise_signal(signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)


def test_another_thread_has_no_signals() -> None:
    done = []

    def work() -> None:
        with unbroken(), interrupted_once():
            done.append("body")

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == ["body"]
