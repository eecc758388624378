from __future__ import annotations

import pytest

from text_agent.config.table import without_credentials
from text_agent.errors import ConfigError
from text_agent.providers.endpoint import Endpoint
from text_agent.providers.urls import (
    anthropic_base_url,
    is_loopback,
    is_same_host,
    openai_base_url,
    query_of,
)


@pytest.mark.parametrize(
    ("written", "base"),
    [
        ("http://localhost:8080", "http://localhost:8080"),
        ("http://localhost:8080/", "http://localhost:8080"),
        ("http://localhost:8080/v1", "http://localhost:8080"),
        ("http://localhost:8080/v1/", "http://localhost:8080"),
        ("http://localhost:8080/v1/messages", "http://localhost:8080"),
        ("http://localhost:8080/v1/messages/", "http://localhost:8080"),
        ("https://api.example.com/anthropic", "https://api.example.com/anthropic"),
        ("https://api.example.com/anthropic/v1", "https://api.example.com/anthropic"),
        ("http://localhost:8080/v1/chat/completions", "http://localhost:8080"),
        ("https://api.example.com/anthropic?beta=true", "https://api.example.com/anthropic"),
        ("https://api.example.com/apiv1", "https://api.example.com/apiv1"),
        (" https://[::1]:8080/v1 ", "https://[::1]:8080"),
    ],
)
def test_anthropic_base_urls(written: str, base: str) -> None:
    assert anthropic_base_url(written) == base
    assert anthropic_base_url(base) == base


@pytest.mark.parametrize(
    ("written", "base"),
    [
        ("http://localhost:11434", "http://localhost:11434/v1"),
        ("http://localhost:11434/", "http://localhost:11434/v1"),
        ("http://localhost:11434/v1", "http://localhost:11434/v1"),
        ("http://localhost:11434/v1/", "http://localhost:11434/v1"),
        ("http://localhost:11434/v1/chat/completions", "http://localhost:11434/v1"),
        ("http://localhost:11434/v1/chat/completions/", "http://localhost:11434/v1"),
        ("http://localhost:11434/chat/completions", "http://localhost:11434/v1"),
        ("https://gateway.example.com/openai", "https://gateway.example.com/openai"),
        ("https://gateway.example.com/api/v2/chat/completions", "https://gateway.example.com/api/v2"),
        ("http://localhost:8080/v1/messages", "http://localhost:8080/v1"),
        ("https://host.example.com/openai?api-version=1", "https://host.example.com/openai"),
        ("https://me:pw@gateway.example.com", "https://me:pw@gateway.example.com/v1"),
    ],
)
def test_openai_base_urls(written: str, base: str) -> None:
    assert openai_base_url(written) == base
    assert openai_base_url(base) == base


@pytest.mark.parametrize(
    "written",
    [
        "",
        "localhost:11434",
        "localhost",
        "ftp://localhost",
        "http://",
        "http://:80",
        "http://host:port",
        "http://[::1",
        "http://host:99999",
        "http://ho st/v1",
        "http://host/\x00",
        "http://host/v1#top",
        "http://a..b",
        f"http://{'a' * 64}.example.com",
        "http://\u202e.com",
    ],
)
def test_what_cannot_be_a_base_is_a_wrong_setting(written: str) -> None:
    assert not is_same_host(written, "https://api.anthropic.com")
    for resolve in (anthropic_base_url, openai_base_url):
        with pytest.raises(ConfigError) as caught:
            resolve(written)
        assert caught.value.hint


@pytest.mark.parametrize(
    ("base_url", "path", "other"),
    [
        ("http://h/v1", "/chat/completions", "http://h/chat/completions"),
        ("http://h", "/chat/completions", "http://h/v1/chat/completions"),
        ("http://h/openai", "/chat/completions", "http://h/openai/v1/chat/completions"),
        ("http://h", "/v1/messages", "http://h/messages"),
        ("http://h/x", "/messages", "http://h/x/v1/messages"),
    ],
)
def test_the_other_form_of_a_url(base_url: str, path: str, other: str) -> None:
    endpoint = Endpoint(base_url, path, "m", "KEY")
    assert endpoint.other_form().tried == other
    assert endpoint.other_form().other_form() == endpoint


def test_the_query_of_a_url() -> None:
    assert query_of(" https://host/openai?api-version=1&a=b ") == "api-version=1&a=b"
    assert query_of("https://host/openai") == ""
    endpoint = Endpoint("https://host/openai", "/chat/completions", "m", "KEY", query="api-version=1")
    assert endpoint.url("/models") == "https://host/openai/models?api-version=1"
    assert endpoint.tried == "https://host/openai/chat/completions"


def test_hosts_are_compared_without_case_port_and_path() -> None:
    assert is_same_host("https://API.example.com:443/v1", "https://api.example.com")
    assert not is_same_host("https://api.example.com.evil.org", "https://api.example.com")


@pytest.mark.parametrize("url", ["http://localhost:1/v1", "http://127.0.0.2", "http://[::1]:80"])
def test_this_machine(url: str) -> None:
    assert is_loopback(url)
    assert not is_loopback(url.replace("http://", "https://"))
    assert not is_loopback("http://192.168.0.1")
    assert not is_loopback("http://localhost.example.com")


def test_what_may_be_shown_of_a_url() -> None:
    assert without_credentials("https://me:pw@host:8/v1?key=1#x") == "https://host:8/v1"


def test_an_endpoint_quotes_shortly_and_hides_its_key() -> None:
    endpoint = Endpoint("http://me:pw@host/v1", "/chat/completions", "m", "OPENAI_API_KEY", "sk-1234")
    assert endpoint.tried == "http://host/v1/chat/completions"
    assert endpoint.quoted("bad key\n  sk-1234!") == "bad key ***!"
    assert len(endpoint.quoted("x" * 10_000)) < 400
    assert "sk-1234" not in repr(endpoint)
    assert endpoint.with_model("n") == Endpoint(
        "http://me:pw@host/v1", "/chat/completions", "n", "OPENAI_API_KEY", "sk-1234"
    )


def test_an_endpoint_hides_a_key_that_the_shortening_would_cut() -> None:
    endpoint = Endpoint("http://host", "/v1/messages", "m", "ANTHROPIC_API_KEY", "sk-1234")
    assert "sk-" not in endpoint.quoted("x" * 297 + "sk-1234")
