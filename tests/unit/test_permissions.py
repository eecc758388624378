from __future__ import annotations

import pytest

from text_agent.permissions import Effect, PermissionPolicy


def test_reading_is_free_and_the_rest_asks() -> None:
    policy = PermissionPolicy()
    assert policy.decide("read") == "allow"
    assert policy.decide("write") == "ask"
    assert policy.decide("execute") == "ask"


@pytest.mark.parametrize("effect", ["read", "write", "execute"])
def test_mode_all_allows(effect: Effect) -> None:
    assert PermissionPolicy("all").decide(effect) == "allow"


def test_an_approval_for_the_session_is_for_its_effect_only() -> None:
    policy = PermissionPolicy()
    policy.approve_for_session("write")
    assert policy.decide("write") == "allow"
    assert policy.decide("execute") == "ask"
    assert PermissionPolicy().decide("write") == "ask"
