"""From settings to a provider that works."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from tests.support.endpoints import HELLO
from tests.support.scripted_server import Fail, Html, ScriptedServer
from text_agent.config.settings import ProviderName, Settings
from text_agent.errors import AuthenticationError, ConfigError, InvalidResponseError, OverloadedError
from text_agent.messages import TextDelta
from text_agent.providers.endpoint import Endpoint
from text_agent.providers.factory import create_provider
from text_agent.providers.openai_compatible import find_model


@dataclass
class SilentListener:
    """Fails if it is asked anything; the remote providers have nothing to say."""

    lines: list[str] = field(default_factory=list)

    def say(self, line: str) -> None:
        self.lines.append(line)

    def confirm(self, question: str) -> bool:
        raise AssertionError(question)

    def progress(self, label: str, done: int, total: int) -> None:
        raise AssertionError(label)


def first_words(settings: Settings) -> tuple[str, str]:
    """The model's name and what it says."""
    provider = create_provider(settings, SilentListener())
    try:
        pieces = list(provider.complete(HELLO))
        return provider.model, "".join(piece.text for piece in pieces if isinstance(piece, TextDelta))
    finally:
        provider.close()


@pytest.mark.parametrize("tail", ["", "/", "/v1", "/v1/", "/v1/messages"])
def test_an_anthropic_server_at_any_form_of_its_url(tail: str) -> None:
    with ScriptedServer(["hi"]) as server:
        assert first_words(Settings("anthropic", "some-model", server.url + tail)) == ("some-model", "hi")


@pytest.mark.parametrize("tail", ["", "/", "/v1", "/v1/", "/v1/chat/completions"])
def test_an_openai_server_at_any_form_of_its_url(tail: str) -> None:
    with ScriptedServer(["hi"]) as server:
        assert first_words(Settings("openai", "some-model", server.url + tail)) == ("some-model", "hi")
        assert not server.other_requests


def test_an_openai_server_is_asked_for_its_first_model() -> None:
    with ScriptedServer(["hi"], models=["first", "second"], key="k") as server:
        assert first_words(Settings("openai", base_url=server.openai_url, api_key="k")) == ("first", "hi")
    assert [(request.method, request.path) for request in server.other_requests] == [("GET", "/v1/models")]


def test_a_model_without_a_name_is_none() -> None:
    with ScriptedServer(["hi"], models=["", " ", "first"]) as server:
        assert first_words(Settings("openai", base_url=server.openai_url)) == ("first", "hi")


def test_an_anthropic_server_gets_a_model_of_the_sdk() -> None:
    with ScriptedServer(["hi"]) as server:
        model, _ = first_words(Settings("anthropic", base_url=server.anthropic_url))
    assert model.startswith("claude-sonnet-")
    assert server.requests[0].model == model
    assert not server.other_requests


@pytest.mark.parametrize(
    ("models", "said"),
    [([], '"data": []'), (Html(), "an HTML page"), (Fail(404, "no such path"), "no such path")],
)
def test_no_list_of_models_is_an_error_that_names_the_flag(
    models: list[str] | Html | Fail, said: str
) -> None:
    with ScriptedServer(models=models) as server, pytest.raises(InvalidResponseError) as caught:
        create_provider(Settings("openai", base_url=server.url), SilentListener())
    assert f"{server.openai_url}/models lists no model: " in str(caught.value)
    assert said in str(caught.value)
    assert "--model" in caught.value.hint


def test_a_wrong_key_for_the_list_of_models() -> None:
    with ScriptedServer(key="right") as server, pytest.raises(AuthenticationError, match="refused access"):
        create_provider(Settings("openai", base_url=server.url, api_key="wrong"), SilentListener())


@pytest.mark.parametrize("base_url", [None, "https://api.openai.com/v1/", "https://API.openai.com"])
def test_the_vendors_own_host_needs_a_key_before_anything_else(base_url: str | None) -> None:
    with pytest.raises(ConfigError, match="OPENAI_API_KEY is not set") as caught:
        create_provider(Settings("openai", base_url=base_url), SilentListener())
    assert "--provider local" in caught.value.hint
    assert "http://localhost:11434/v1" in caught.value.hint
    with pytest.raises(ConfigError, match="ANTHROPIC_API_KEY is not set"):
        create_provider(Settings("anthropic"), SilentListener())


def test_openais_own_host_needs_a_model() -> None:
    with pytest.raises(ConfigError, match="no model is named") as caught:
        create_provider(Settings("openai", api_key="sk-1"), SilentListener())
    assert "--model or TEXT_AGENT_MODEL" in caught.value.hint


@pytest.mark.parametrize("key", ["sk-1\n", "sk 1", "“sk-1”", "schlüssel"])
def test_a_key_that_cannot_be_sent_is_a_wrong_setting(key: str) -> None:
    names: tuple[ProviderName, ...] = ("anthropic", "openai")
    for name in names:
        settings = Settings(name, "m", "http://localhost:1", api_key=key)
        with pytest.raises(ConfigError) as caught:
            create_provider(settings, SilentListener())
        assert key not in str(caught.value) + caught.value.hint


def test_a_token_is_sent_as_a_bearer_token_only() -> None:
    with ScriptedServer(["hi"]) as server:
        first_words(Settings("anthropic", "m", server.url, auth_token="token-1"))
    headers = server.requests[0].headers
    assert (headers["authorization"], headers.get("x-api-key")) == ("Bearer token-1", None)


SDKS = {"anthropic", "openai"}


@pytest.mark.parametrize(
    ("provider", "url", "sdks"),
    [
        ("openai", "http://localhost:1", set()),
        ("openai", "https://api.openai.com/v1", set()),
        ("anthropic", "http://localhost:1", set()),
        ("anthropic", "https://gateway.example.com/api.anthropic.com", set()),
        ("anthropic", "https://api.anthropic.com.example.com", set()),
        ("anthropic", "https://api.anthropic.com", {"anthropic"}),
        ("anthropic", "https://API.anthropic.com/v1/messages", {"anthropic"}),
    ],
)
def test_an_sdk_is_imported_for_its_vendors_own_host_alone(provider: str, url: str, sdks: set[str]) -> None:
    code = f"""
import sys
from text_agent.config.settings import Settings
from text_agent.providers.factory import create_provider
assert not {{"httpx2", "pydantic", *{SDKS}}} & set(sys.modules)
made = create_provider(Settings({provider!r}, "m", {url!r}, api_key="k"), None)
assert not {{"httpx2", "pydantic", *{SDKS}}} & set(sys.modules)
made.made().close()
assert "httpx2" in sys.modules
assert {SDKS} & set(sys.modules) == {sdks}
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@pytest.mark.parametrize("api", ["anthropic", "openai"])
def test_a_whole_task_imports_no_sdk(api: str, project: Path) -> None:
    with ScriptedServer(["hi"]) as server:
        url = server.anthropic_url if api == "anthropic" else server.openai_url
        flags = ["-p", "Hello", "--provider", api, "--base-url", url, "--model", "m"]
        python = [sys.executable, "-X", "importtime", "-m", "text_agent", *flags]
        done = subprocess.run(python, cwd=project, capture_output=True, text=True, timeout=60, check=True)
    imported = set(re.findall(r"import time:.*\| +(\S+)", done.stderr))
    assert done.stdout == "hi\n"
    assert "httpx2" in imported
    assert not SDKS & imported


@pytest.mark.parametrize("statuses", [(503,), (500, 503)])
def test_a_list_of_models_that_fails_is_asked_for_again(statuses: tuple[int, ...]) -> None:
    waits: list[float] = []
    with ScriptedServer(models=Fail(statuses[0], "busy")) as server:
        where = Endpoint(server.openai_url, "/chat/completions", "", "OPENAI_API_KEY")

        def sleep(seconds: float) -> None:
            waits.append(seconds)
            answers = [*(Fail(status, "busy") for status in statuses), None][len(waits)]
            server.models = answers or ["first"]

        assert find_model(where, sleep=sleep).model == "first"
    assert waits == [1.0, 2.0][: len(statuses)]
    with ScriptedServer(models=Fail(503, "busy")) as server, pytest.raises(OverloadedError):
        find_model(replace(where, base_url=server.openai_url), sleep=waits.append)
    assert waits[len(statuses) :] == [1.0, 2.0]
