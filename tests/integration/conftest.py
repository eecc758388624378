"""What tests of real processes share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.processes import Mark


@pytest.fixture
def mark() -> Iterator[Mark]:
    """Fails a test that leaves a process behind."""
    made = Mark()
    yield made
    assert made.wait_until_none_runs() == []
