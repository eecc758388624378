from __future__ import annotations

from pathlib import Path

import pytest

from text_agent.config.resolving import Resolved, resolve_settings
from text_agent.config.settings import Settings
from text_agent.config.sources import COMMAND_LINE, Source, read_env_file, unknown_variables
from text_agent.errors import ConfigError


def resolve(
    flags: dict[str, str] | None = None,
    environment: dict[str, str] | None = None,
    project: dict[str, str] | None = None,
    user: dict[str, str] | None = None,
) -> Settings:
    return resolved(flags, environment, project, user).settings


def resolved(
    flags: dict[str, str] | None = None,
    environment: dict[str, str] | None = None,
    project: dict[str, str] | None = None,
    user: dict[str, str] | None = None,
) -> Resolved:
    return resolve_settings(
        [
            Source(COMMAND_LINE, flags or {}),
            Source("the environment", environment or {}),
            Source("/p/.env", project or {}, trusted=False),
            Source("/u/config.env", user or {}),
        ]
    )


LEVELS = ("flags", "environment", "project", "user")


@pytest.mark.parametrize("strongest", range(4))
def test_a_stronger_source_wins(strongest: int) -> None:
    levels = {
        level: {"TEXT_AGENT_MODEL": level, "TEXT_AGENT_PROVIDER": "openai"} for level in LEVELS[strongest:]
    }
    assert resolve(**levels).model == LEVELS[strongest]


def test_an_empty_value_is_an_unset_one() -> None:
    settings = resolve(
        environment={"OPENAI_API_KEY": "", "TEXT_AGENT_MODEL": "  "},
        user={"OPENAI_API_KEY": "k", "TEXT_AGENT_MODEL": "m"},
    )
    assert (settings.provider, settings.api_key, settings.model) == ("openai", "k", "m")


def test_our_own_variable_goes_before_the_vendors_within_a_source() -> None:
    own = {"TEXT_AGENT_API_KEY": "own", "TEXT_AGENT_BASE_URL": "http://own"}
    vendor = {"ANTHROPIC_API_KEY": "vendor", "ANTHROPIC_BASE_URL": "http://vendor"}
    settings = resolve(environment={**own, **vendor})
    assert (settings.provider, settings.api_key, settings.base_url) == ("anthropic", "own", "http://own")
    settings = resolve(environment=vendor, user=own)
    assert (settings.api_key, settings.base_url) == ("vendor", "http://vendor")


@pytest.mark.parametrize(
    ("values", "provider"),
    [
        ({"ANTHROPIC_API_KEY": "k"}, "anthropic"),
        ({"ANTHROPIC_AUTH_TOKEN": "t"}, "anthropic"),
        ({"ANTHROPIC_BASE_URL": "http://a"}, "anthropic"),
        ({"OPENAI_API_KEY": "k"}, "openai"),
        ({"OPENAI_BASE_URL": "http://a"}, "openai"),
        ({"TEXT_AGENT_BASE_URL": "http://a"}, "openai"),
        ({"TEXT_AGENT_MODEL": "/models/small.gguf"}, "local"),
        ({"TEXT_AGENT_PROVIDER": "Local", "OPENAI_API_KEY": "k"}, "local"),
    ],
)
def test_the_provider_is_named_or_implied(values: dict[str, str], provider: str) -> None:
    assert resolve(environment=values).provider == provider


def test_a_flag_implies_before_the_environment_does() -> None:
    settings = resolve(flags={"TEXT_AGENT_BASE_URL": "http://a"}, environment={"ANTHROPIC_API_KEY": "k"})
    assert settings.provider == "openai"
    assert settings.api_key is None


def test_the_fallback_is_taken_and_said() -> None:
    settings = resolve_settings([Source("the environment", {})]).settings
    assert settings.provider == "local"
    assert settings.is_fallback
    assert not resolve(environment={"OPENAI_API_KEY": "k"}).is_fallback


def test_an_unknown_provider_names_its_source() -> None:
    with pytest.raises(ConfigError, match=r"'gemini' \(from /p/\.env\) does not exist"):
        resolve(project={"TEXT_AGENT_PROVIDER": "gemini"})


def test_a_key_and_a_token_are_not_sent_together() -> None:
    both = {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_AUTH_TOKEN": "t"}
    settings = resolve(environment=both)
    assert (settings.api_key, settings.auth_token) == ("k", None)
    settings = resolve(environment={"ANTHROPIC_AUTH_TOKEN": "t"}, user={"ANTHROPIC_API_KEY": "k"})
    assert (settings.api_key, settings.auth_token) == (None, "t")


URL = {"OPENAI_BASE_URL": "http://stranger"}
KEY = {"OPENAI_API_KEY": "k"}


def texts(**sources: dict[str, str]) -> list[str]:
    return [wish.text for wish in resolved(**sources).wishes]


@pytest.mark.parametrize("source", ["environment", "user"])
@pytest.mark.parametrize("secret", [KEY, {"TEXT_AGENT_HEADERS": "X-Key: mine"}])
def test_a_key_does_not_go_to_a_base_url_of_the_projects_unasked(source: str, secret: dict[str, str]) -> None:
    [variable] = secret
    wishes = texts(**{"project": URL, source: secret})
    assert wishes[0] == "OPENAI_BASE_URL=http://stranger"
    assert wishes[1].startswith(variable)
    assert wishes[1].endswith("sent to http://stranger")
    assert "mine" not in wishes[1]


def test_the_exported_key_wins_over_the_projects_own_and_is_asked_about() -> None:
    both = {**URL, "OPENAI_API_KEY": "theirs"}
    assert resolve(environment=KEY, project=both).api_key == "k"
    assert len(texts(environment=KEY, project=both)) == 2


@pytest.mark.parametrize(
    ("sources", "wishes"),
    [
        ({"project": {**URL, **KEY}}, ["OPENAI_API_KEY=[key]", "OPENAI_BASE_URL=http://stranger"]),
        ({"project": URL}, ["OPENAI_BASE_URL=http://stranger"]),
        ({"environment": {**URL, **KEY}}, []),
        ({"user": URL, "environment": KEY}, []),
        ({"flags": {"TEXT_AGENT_BASE_URL": "http://mine"}, "environment": KEY, "project": URL}, []),
    ],
)
def test_only_what_the_project_decides_is_asked_about(
    sources: dict[str, dict[str, str]], wishes: list[str]
) -> None:
    assert sorted(texts(**sources)) == wishes


def test_a_wish_stands_for_its_value() -> None:
    digests = {
        wish.digest
        for url in ("http://a", "http://b")
        for variable in ("OPENAI_BASE_URL", "TEXT_AGENT_BASE_URL")
        for wish in resolved(project={variable: url}).wishes
    }
    assert len(digests) == 4


def test_what_a_wish_shows_is_one_line_without_keys() -> None:
    url = "http://user:secret@host/v1?key=secret"
    hostile = {
        "TEXT_AGENT_MODEL": "m\nyes\x1b[2J",
        "TEXT_AGENT_BASE_URL": url,
        "TEXT_AGENT_API_KEY": "secret",
    }
    shown = " ".join(texts(project={**hostile, "TEXT_AGENT_HEADERS": "X-Key: secret"}))
    assert shown.isprintable()
    assert "secret" not in shown
    assert "http://host/v1" in shown


@pytest.mark.parametrize(
    ("sources", "shown"),
    [
        ({"flags": {"TEXT_AGENT_BASE_URL": "http://a:b@h/v1?k=1"}}, "http://h/v1 (--base-url)"),
        ({"environment": URL}, "http://stranger (OPENAI_BASE_URL in the environment)"),
        ({"project": URL}, "http://stranger (OPENAI_BASE_URL in /p/.env)"),
        ({"user": URL}, "http://stranger (OPENAI_BASE_URL in /u/config.env)"),
        ({"environment": KEY}, "the host of openai (OPENAI_API_KEY in the environment)"),
        ({"flags": {"TEXT_AGENT_PROVIDER": "anthropic"}}, "the host of anthropic (--provider)"),
        ({"flags": {"TEXT_AGENT_PROVIDER": "local"}}, "in this program"),
    ],
)
def test_where_requests_go_is_said_with_what_has_decided_it(
    sources: dict[str, dict[str, str]], shown: str
) -> None:
    assert resolve(**sources).endpoint_shown == shown


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("TEXT_AGENT_MODLE", "TEXT_AGENT_MODEL"),
        ("TEXT_AGENT_BASEURL", "TEXT_AGENT_BASE_URL"),
        ("text_agent_model", "TEXT_AGENT_MODEL"),
        ("TEXT_AGENT_HEADER", "TEXT_AGENT_HEADERS"),
        ("TEXT_AGENT_XYZZY", None),
    ],
)
def test_an_unknown_name_is_told_with_the_nearest(name: str, meant: str | None) -> None:
    [told] = unknown_variables([Source("here", {name: "x", "TEXT_AGENT_MODEL": "m", "PATH": "/bin"})])
    assert told.startswith(f"{name} (in here) is no setting")
    assert (f"Did you mean {meant}?" in told) == bool(meant)


def test_env_file(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_text("\ufeffA=1\nexport B='two words' # why\nC=${HOME}\nD\n", encoding="utf-8")
    assert read_env_file(file) == {"A": "1", "B": "two words", "C": "${HOME}"}


def test_no_env_file_is_an_empty_one(tmp_path: Path) -> None:
    assert read_env_file(tmp_path / ".env") == {}
    (tmp_path / ".env").mkdir()
    assert read_env_file(tmp_path / ".env") == {}


def test_an_env_file_that_is_no_text_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_bytes(b"A=\xff\xfe\x00")
    with pytest.raises(ConfigError, match="not UTF-8"):
        read_env_file(file)
