from __future__ import annotations

import pytest

from text_agent.commands.shell import command_environment
from text_agent.config.settings import VARIABLES

KEY = "sk-1234567890"


@pytest.mark.parametrize(
    "name",
    [
        *(name for name in VARIABLES if name.endswith(("_KEY", "_TOKEN"))),
        "TEXT_AGENT_HEADERS",
        "MY_API_KEY", "API_KEY", "APIKEY", "my_api_key", "GITHUB_TOKEN", "GH_TOKEN", "NPM_TOKEN", "TOKEN",
        "CLIENT_SECRET", "SECRET", "AWS_SECRET_ACCESS_KEY", "AWS_ACCESS_KEY", "DB_PASSWORD", 
        "PG_SECRET", "SSH_PRIVATE_KEY", "CI_AUTH_TOKEN", "GPG_PASSPHRASE",
        "SECRET_KEY", "DJANGO_SECRET_KEY", "RAILS_MASTER_KEY", "SMTP_PASS", "AWS_CREDENTIALS", "APP_SECRETS",
    ],
)  # fmt: skip
def test_no_command_gets_a_secret(name: str) -> None:
    environment = command_environment({name: KEY, "HOME": "/home/x"})
    assert name not in environment
    assert KEY not in environment.values()
    assert environment["HOME"] == "/home/x"


@pytest.mark.parametrize("name", ["KEYBOARD", "TOKENIZERS_PARALLELISM", "MONKEY", "SECRETARY", "PATH"])
def test_other_variables_stay(name: str) -> None:
    assert command_environment({name: "value"})[name] == "value"


def test_a_secret_is_one_under_another_name_too() -> None:
    environment = command_environment({"OPENAI_API_KEY": KEY, "COPY": KEY, "A_TOKEN": "1", "LEVEL": "1"})
    assert "COPY" not in environment
    assert environment["LEVEL"] == "1"


def test_a_key_is_one_whatever_its_variable_is_called() -> None:
    environment = command_environment({"WORK_LLM": KEY, "LEVEL": "1"}, [KEY, "1"])
    assert "WORK_LLM" not in environment
    assert environment["LEVEL"] == "1"


LONG = "correct-horse-battery"


def test_a_secret_is_one_in_a_longer_value_too() -> None:
    given = {"DB_PASSWORD": LONG, "DB_URL": f"postgres://me:{LONG}@host", "HOME": f"/home/{LONG}"}
    environment = command_environment(given)
    assert not {"DB_PASSWORD", "DB_URL"} & environment.keys()
    assert environment["HOME"] == f"/home/{LONG}"
    short = {"DB_PASSWORD": "postgres", "DB_URL": "postgres://localhost"}
    assert "DB_URL" in command_environment(short)


def test_nothing_pages_asks_or_starts_beside_the_command() -> None:
    given = {
        "PAGER": "less",
        "GIT_EDITOR": "vi",
        "BASH_ENV": "/x",
        "ENV": "/x",
        "TERM": "xterm",
        "FORCE_COLOR": "1",
    }
    environment = command_environment(given)
    assert environment["PAGER"] == environment["GIT_PAGER"] == "cat"
    assert environment["GIT_EDITOR"] == "true"
    assert environment["TERM"] == "dumb"
    assert environment["GIT_TERMINAL_PROMPT"] == "0"
    assert not {"BASH_ENV", "ENV", "FORCE_COLOR"} & environment.keys()


def test_gits_settings_follow_those_that_are_there() -> None:
    given = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "user.name", "GIT_CONFIG_VALUE_0": "Ann"}
    environment = command_environment(given)
    count = int(environment["GIT_CONFIG_COUNT"])
    settings = {
        environment[f"GIT_CONFIG_KEY_{number}"]: environment[f"GIT_CONFIG_VALUE_{number}"]
        for number in range(count)
    }
    assert settings["user.name"] == "Ann"
    assert settings["core.fsmonitor"] == "false"
