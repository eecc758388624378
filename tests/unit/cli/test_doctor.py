"""The examination where time matters, and what is kept of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.endpoints import endpoint
from tests.support.scripted_provider import ScriptedProvider
from text_agent.cli.doctor.endpoint_checks import check_context
from text_agent.cli.doctor.examination import Examination
from text_agent.cli.doctor.findings import Finding
from text_agent.config.settings import Settings
from text_agent.errors import ProviderTimeoutError
from text_agent.files.workspace import Workspace
from text_agent.messages import CompletionRequest, Message
from text_agent.providers.known import NOTHING_KNOWN, KnownEndpoint, KnownEndpoints
from text_agent.providers.shape import RequestShape
from text_agent.tools.registry import default_tools

COUNTED = "1 2 3 4 5 6 7 8 9"
READ = 'tool: read_file({"path": "README.md"})'
WRITE = 'tool: write_file({"path": "hello.txt"})\n```\nhello\n```'


class Clock:
    """Every look at it takes so many seconds."""

    def __init__(self, seconds: float) -> None:
        self.now = 0.0
        self.seconds = seconds

    def __call__(self) -> float:
        self.now += self.seconds
        return self.now


def examine(provider: ScriptedProvider, seconds: float = 0.01) -> list[Finding]:
    tools = default_tools(Workspace(Path()))
    return list(Examination(provider, tools, Settings("openai"), Clock(seconds)).findings())


def statuses(findings: list[Finding]) -> dict[str, str]:
    return {finding.check: finding.status for finding in findings}


def test_a_slow_model_is_told_as_such() -> None:
    found = examine(ScriptedProvider([COUNTED, "1 2 3 4 5", READ, WRITE], context_tokens=9000), 25)
    assert statuses(found)["speed"] == "warning"
    (speed,) = [finding for finding in found if finding.check == "speed"]
    assert "slow" in speed.line
    assert "smaller model" in speed.line


@pytest.mark.parametrize(("seconds", "prompts"), [(150, 1), (70, 2), (50, 3)])
def test_nothing_more_is_asked_when_the_time_is_up(seconds: float, prompts: int) -> None:
    provider = ScriptedProvider([COUNTED, "1 2 3 4 5", READ, WRITE])
    found = examine(provider, seconds)
    assert len(provider.requests) == prompts
    assert "The endpoint is slow" in found[-1].line
    assert statuses(found)["time"] == "warning"


def test_silence_is_a_failure() -> None:
    error = ProviderTimeoutError("http://x did not answer in time.", hint="Is the server busy?")
    found = examine(ScriptedProvider([error]))
    assert [finding.line for finding in found] == [
        "failed   speed:      http://x did not answer in time. Is the server busy?"
    ]


def test_a_local_model_has_no_key_and_no_list() -> None:
    found = examine(ScriptedProvider([COUNTED, COUNTED, READ, WRITE], context_tokens=16384))
    assert statuses(found) == {
        "reachable": "ok",
        "context": "ok",
        "streaming": "ok",
        "speed": "ok",
        "roles": "ok",
        "stop texts": "warning",
        "format": "ok",
        "fences": "ok",
        "thinking": "ok",
    }


@pytest.mark.parametrize(
    ("told", "setting", "status", "words"),
    [
        (16384, None, "ok", "16,384 tokens."),
        (16384, 9000, "ok", "9,000 tokens, as is set."),
        (4096, None, "warning", "4,096 tokens: that is little."),
        (4096, 16384, "warning", "gives the model 4,096"),
        (None, None, "warning", "128,000 tokens are assumed"),
    ],
)
def test_the_size_of_the_context(told: int | None, setting: int | None, status: str, words: str) -> None:
    found = check_context(told, setting)
    assert found.status == status
    assert words in found.line


def test_what_is_known_of_two_models_is_kept_apart(tmp_path: Path) -> None:
    known = KnownEndpoints(tmp_path / "cache" / "endpoints.json")
    one = endpoint("http://user:password@127.0.0.1:1", "openai")
    other = replace(one, model="other")
    assert known.find(one) == NOTHING_KNOWN
    known.remember(one, KnownEndpoint(context_tokens=4096, has_system=False))
    known.remember(other, KnownEndpoint(limit_name="max_completion_tokens"))
    assert known.find(one) == KnownEndpoint(context_tokens=4096, has_system=False)
    assert known.find(other) == KnownEndpoint(limit_name="max_completion_tokens")
    assert known.find(endpoint("http://127.0.0.1:1", "anthropic")) == NOTHING_KNOWN
    assert "password" not in known.file.read_text()
    assert [file.name for file in known.file.parent.iterdir()] == ["endpoints.json"]


def test_values_that_make_no_sense_are_not_known(tmp_path: Path) -> None:
    known = KnownEndpoints(tmp_path / "endpoints.json")
    where = endpoint("http://127.0.0.1:1", "openai")
    known.remember(where, KnownEndpoint(context_tokens=-1, limit_name=3, has_stop="no", has_system=False))  # type: ignore[arg-type]
    assert known.find(where) == KnownEndpoint(has_system=False)


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"x": 1}', b"\0\xff", b"[" * 100_000])
def test_a_damaged_file_holds_nothing_and_is_replaced(tmp_path: Path, content: bytes) -> None:
    known = KnownEndpoints(tmp_path / "endpoints.json")
    known.file.write_bytes(content)
    where = endpoint("http://127.0.0.1:1", "openai")
    assert known.find(where) == NOTHING_KNOWN
    known.remember(where, KnownEndpoint(has_stop=False))
    assert known.find(where) == KnownEndpoint(has_stop=False)


def test_a_name_that_was_refused_since_is_given_up() -> None:
    shape = KnownEndpoint(limit_name="max_completion_tokens").applied(RequestShape())
    assert shape.limit_names == ("max_completion_tokens", "max_tokens", "")
    request = CompletionRequest("", (Message("user", "Hello"),), 60)
    after = shape.after(400, "Unrecognized request argument supplied: max_completion_tokens", request)
    assert after.limit_names == ("max_tokens", "")
    assert KnownEndpoint(limit_name="unheard_of").applied(RequestShape()) == RequestShape()
