from __future__ import annotations

import pytest

from text_agent.config.resolving import resolve_settings
from text_agent.config.secret_values import is_secret_name
from text_agent.config.settings import Settings
from text_agent.config.sources import COMMAND_LINE, Source
from text_agent.errors import ConfigError


def resolve(
    environment: dict[str, str] | None = None,
    *,
    flags: dict[str, str] | None = None,
    project: dict[str, str] | None = None,
) -> Settings:
    return resolve_settings(
        [
            Source(COMMAND_LINE, flags or {}),
            Source("the environment", environment or {}),
            Source("/p/.env", project or {}, trusted=False),
        ],
    ).settings


def test_nothing_is_set_unless_it_is_said() -> None:
    settings = resolve()
    assert settings.context_tokens is None
    assert settings.endpoint.temperature is settings.endpoint.retries is None
    assert (settings.endpoint.headers, settings.endpoint.ca_file, settings.endpoint.log) == ((), "", "")


def test_numbers() -> None:
    settings = resolve(
        {
            "TEXT_AGENT_CONTEXT_TOKENS": "4096",
            "TEXT_AGENT_TEMPERATURE": "0.5",
            "TEXT_AGENT_RETRIES": "0",
            "TEXT_AGENT_LOG": "a.jsonl",
            "TEXT_AGENT_CA_FILE": "ca.pem",
        },
        flags={"TEXT_AGENT_TEMPERATURE": "0"},
    )
    assert settings.context_tokens == 4096
    assert (settings.endpoint.temperature, settings.endpoint.retries) == (0.0, 0)
    assert (settings.endpoint.log, settings.endpoint.ca_file) == ("a.jsonl", "ca.pem")


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("TEXT_AGENT_CONTEXT_TOKENS", "0"),
        ("TEXT_AGENT_CONTEXT_TOKENS", "16k"),
        ("TEXT_AGENT_CONTEXT_TOKENS", "-5"),
        ("TEXT_AGENT_RETRIES", "-1"),
        ("TEXT_AGENT_RETRIES", "²"),
        ("TEXT_AGENT_CONTEXT_TOKENS", "9" * 400),
        ("TEXT_AGENT_MAX_SESSION_TOKENS", "9" * 5000),
        ("TEXT_AGENT_TEMPERATURE", "hot"),
        ("TEXT_AGENT_TEMPERATURE", "nan"),
        ("TEXT_AGENT_TEMPERATURE", "2.1"),
        ("TEXT_AGENT_HEADERS", "no colon"),
        ("TEXT_AGENT_HEADERS", "X-Empty:"),
        ("TEXT_AGENT_HEADERS", "X Y: z"),
        ("TEXT_AGENT_HEADERS", "X-Team: blüe"),
        ("TEXT_AGENT_HEADERS", "X-Team: a\rb"),
        ("TEXT_AGENT_HEADERS", ": value"),
        ("TEXT_AGENT_HEADERS", "Content-Length: 3"),
        ("TEXT_AGENT_HEADERS", "X-Team: blue; transfer-encoding: chunked"),
    ],
)
def test_what_cannot_be_right_names_where_it_comes_from(variable: str, value: str) -> None:
    with pytest.raises(ConfigError, match=r"\(from the environment\)"):
        resolve({variable: value})


@pytest.mark.parametrize(
    ("text", "headers"),
    [
        ("X-Team: blue", (("X-Team", "blue"),)),
        ("X-Team: blue; X-Project:7", (("X-Team", "blue"), ("X-Project", "7"))),
        ("X-Team: blue\nX-Url: http://a:1/b", (("X-Team", "blue"), ("X-Url", "http://a:1/b"))),
        ("Cookie: a=b; c=d", (("Cookie", "a=b; c=d"),)),
    ],
)
def test_headers(text: str, headers: tuple[tuple[str, str], ...]) -> None:
    assert resolve({"TEXT_AGENT_HEADERS": text}).endpoint.headers == headers


def test_keys_in_headers_are_keys() -> None:
    settings = resolve({"TEXT_AGENT_HEADERS": "Authorization: Bearer abc-123; X-Team: blue; api-key: k1"})
    assert settings.keys == ("Bearer abc-123", "abc-123", "k1")


@pytest.mark.parametrize(
    "name",
    ["Authorization", "Proxy-Authorization", "x-api-key", "api-key", "apikey", "Cookie", "Set-Cookie", "key",
     "X-Amz-Signature", "X-Session-Id", "x-credential", "X-Passwd", "X-CSRF-Token", "X-Auth-Signature",
     "Ocp-Apim-Subscription-Key", "access_token", "X-Auth-Token", "sig", "client_secret", "authtoken"],
)  # fmt: skip
def test_names_of_secrets(name: str) -> None:
    assert is_secret_name(name)


@pytest.mark.parametrize(
    "name", ["X-Team", "x-ratelimit-remaining-tokens", "design", "api-version", "keyword"]
)
def test_names_of_other_things(name: str) -> None:
    assert not is_secret_name(name)


def test_keys_in_a_url_are_keys() -> None:
    settings = resolve({"TEXT_AGENT_BASE_URL": "http://[host/v1?key=abc&v=1&access_token=def#x"})
    assert settings.keys == ("abc", "def")


def test_the_password_of_a_url_is_a_key_as_it_is_written_and_as_it_is_sent() -> None:
    settings = resolve({"TEXT_AGENT_BASE_URL": "http://me:pass%2Fword@host/v1?sig=a%2Fb+c&v=1"})
    assert settings.keys == ("me:pass%2Fword", "me:pass/word", "pass%2Fword", "pass/word", *SIGNATURE)


SIGNATURE = ("a%2Fb+c", "a/b+c", "a/b c")


def test_a_wrong_header_is_not_repeated() -> None:
    with pytest.raises(ConfigError) as caught:
        resolve({"TEXT_AGENT_HEADERS": "sk-very-secret"})
    assert "secret" not in str(caught.value) + caught.value.hint


@pytest.mark.parametrize("variable", ["TEXT_AGENT_CA_FILE", "TEXT_AGENT_LOG"])
def test_a_folder_decides_neither_whom_to_trust_nor_what_to_write(variable: str) -> None:
    with pytest.raises(ConfigError, match=rf"{variable} must not stand in /p/\.env"):
        resolve(project={variable: "x"})
    assert resolve({variable: "mine"}, project={variable: "x"})
