from __future__ import annotations

from pathlib import Path

import pytest

from text_agent.config.settings import VARIABLES, Settings, Source, read_env_file, resolve_settings
from text_agent.errors import ConfigError

EXAMPLE = Path(__file__).parents[2] / ".env.example"


def resolve(
    flags: dict[str, str] | None = None,
    environment: dict[str, str] | None = None,
    project: dict[str, str] | None = None,
    user: dict[str, str] | None = None,
) -> Settings:
    return resolve_settings(
        [
            Source("the command line", flags or {}),
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


def test_nothing_configured_is_an_error_that_names_local() -> None:
    with pytest.raises(ConfigError, match="no model is configured") as caught:
        resolve()
    assert "--provider local" in caught.value.hint
    assert caught.value.exit_code == 2


def test_the_fallback_is_taken_and_said() -> None:
    settings = resolve_settings([Source("the environment", {})], fallback="local")
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


@pytest.mark.parametrize("key_source", ["environment", "user"])
def test_a_key_does_not_go_to_a_base_url_of_the_projects(key_source: str) -> None:
    sources = {"project": URL, key_source: KEY}
    sentence = resolve(**sources).foreign_base_url
    assert sentence is not None
    assert "OPENAI_API_KEY" in sentence
    assert "http://stranger" in sentence
    assert "/p/.env" in sentence


def test_the_exported_key_wins_over_the_projects_own_and_still_stays_here() -> None:
    settings = resolve(environment=KEY, project={**URL, "OPENAI_API_KEY": "theirs"})
    assert settings.api_key == "k"
    assert settings.foreign_base_url is not None


@pytest.mark.parametrize(
    "sources",
    [
        {"project": {**URL, **KEY}},
        {"project": URL},
        {"environment": {**URL, **KEY}},
        {"user": URL, "environment": KEY},
        {"flags": {"TEXT_AGENT_BASE_URL": "http://mine"}, "environment": KEY, "project": URL},
    ],
)
def test_a_key_may_meet_a_base_url_that_the_user_wrote_or_that_came_with_it(
    sources: dict[str, dict[str, str]],
) -> None:
    assert resolve(**sources).foreign_base_url is None


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


def test_the_example_explains_every_variable_once() -> None:
    lines = EXAMPLE.read_text("utf-8").splitlines()
    named = [line.removeprefix("# ").split("=")[0] for line in lines if "=" in line and " =" not in line]
    assert sorted(named) == sorted(VARIABLES)
