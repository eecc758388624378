"""What chance finds is not counted as covered; tracing would take most of the time of these tests."""

from __future__ import annotations

import pytest


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker(pytest.mark.no_cover)
