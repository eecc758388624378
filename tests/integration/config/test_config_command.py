"""`text-agent config`, and what the user's config file decides."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import run_command, run_here
from tests.support.scripted_server import ScriptedServer
from tests.support.terminal import Chat
from text_agent.config.table import URL
from text_agent.config.user_file import ENTRIES

KEY = "sk-0123456789-secret"
VALUES = [name for name, entry in ENTRIES.items() if not entry.row.is_secret and name != "profile"]
CAN_BE_WRONG = [name for name in VALUES if ENTRIES[name].row.kind.parse is not str]


@pytest.fixture
def config(own_environment: Path) -> Path:
    return own_environment / ".config/text-agent/config.toml"


def write(config: Path, text: str) -> None:
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(text)


def example(name: str) -> str:
    return ENTRIES[name].row.example or "x"


def read(config: Path) -> dict[str, Any]:
    return tomllib.loads(config.read_text())


@pytest.mark.parametrize("prefix", ["", "work."])
@pytest.mark.parametrize("name", VALUES)
def test_every_setting_is_set_told_and_taken_out(name: str, prefix: str, project: Path, config: Path) -> None:
    write(config, "# mine\n\n[other]\n# theirs\nmodel = 'm'  # a model\n")
    before = config.read_text()
    assert run_here("config", "set", prefix + name, example(name), cwd=project).returncode == 0
    assert config.stat().st_mode & 0o777 == 0o600
    assert config.parent.stat().st_mode & 0o777 == 0o700
    told = run_here("config", "get", prefix + name, cwd=project)
    assert told.stdout.strip() == ENTRIES[name].row.kind.shown(example(name))
    assert f"  {prefix}{name} = {told.stdout.strip()}" in run_here("config", cwd=project).stdout.splitlines()
    assert name in (read(config)["work"] if prefix else read(config))
    assert run_here("config", "unset", prefix + name, cwd=project).returncode == 0
    assert run_here("config", "get", prefix + name, cwd=project).returncode == 1
    if prefix:
        assert run_here("config", "unset", "work", cwd=project).returncode == 0
    assert config.read_text().split() == before.split()


@pytest.mark.parametrize("name", CAN_BE_WRONG)
def test_a_wrong_value_is_refused(name: str, project: Path, config: Path) -> None:
    write(config, 'model = "m"\n')
    done = run_here("config", "set", name, "no such thing", cwd=project)
    assert done.returncode == 2
    assert name.replace("_", " ") in done.stderr.replace("_", " ")
    assert ENTRIES[name].row.kind.expected in done.stderr
    assert config.read_text() == 'model = "m"\n'


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["set", "modle", "x"], "Did you mean model?"),
        (["get", "work.modle"], "Did you mean model?"),
        (["set", "model.model", "x"], "no profile can be called so"),
        (["set", "work.profile", "home"], "no setting 'work.profile'"),
        (["set", "profile", "hmoe"], "Did you mean home?"),
        (["set", "base_url", "localhost:1234"], "http://"),
        (["set", "model"], "needs a value"),
        (["set", "theme", " "], "needs a value"),
        (["set", "api_key_keyring", "user"], "service/user"),
        (["unset", "theme"], "is not set"),
        (["get", "nowhere.model"], "there is no profile 'nowhere'"),
        (["get", "home.model", "--profile", "work"], "named twice"),
        (["edit"], "needs a terminal"),
        (["sett", "model", "x"], "did you mean set?"),
    ],
)
def test_wrong_usage(arguments: list[str], words: str, project: Path, config: Path) -> None:
    write(config, '[home]\nmodel = "m"\n')
    done = run_command("config", *arguments, cwd=project)
    assert done.returncode == 2
    assert words in done.stderr
    assert config.read_text() == '[home]\nmodel = "m"\n'


@pytest.mark.parametrize("name", ["api_key", "auth_token", "work.api_key"])
def test_a_key_is_read_but_never_from_the_command_line(name: str, project: Path, config: Path) -> None:
    refused = run_here("config", "set", name, KEY, cwd=project)
    assert refused.returncode == 2
    assert "command line" in refused.stderr
    assert not config.exists()
    for wrong in ("", "two words", "a\nb", "\u00fc"):
        assert run_here("config", "set", name, cwd=project, stdin=wrong).returncode == 2
    assert not config.exists()
    assert run_here("config", "set", name, cwd=project, stdin=f"{KEY}\n").returncode == 0
    assert KEY in config.read_text()
    for told in (run_here("config", cwd=project), run_here("config", "get", name, cwd=project)):
        assert f"set, from {config}" in told.stdout
        assert KEY not in told.stdout + told.stderr


def test_a_key_is_typed_without_being_shown(project: Path, config: Path) -> None:
    with Chat("config", "set", "api_key", cwd=project) as terminal:
        terminal.expect("is not shown")
        terminal.send(KEY)
        assert terminal.end() == 0
        assert KEY not in terminal.raw
    assert read(config)["api_key"] == KEY


def test_a_key_is_set_in_one_way(project: Path, config: Path) -> None:
    write(config, 'api_key_env = "K"\n')
    done = run_here("config", "set", "api_key", cwd=project, stdin=KEY)
    assert done.returncode == 2
    assert "set twice" in done.stderr
    assert KEY not in done.stderr
    assert config.read_text() == 'api_key_env = "K"\n'


def test_a_link_stays_one(project: Path, config: Path, tmp_path: Path) -> None:
    target = tmp_path / "dotfiles.toml"
    target.write_text("# mine\n")
    config.parent.mkdir(parents=True)
    config.symlink_to(target)
    assert run_here("config", "set", "model", "m", cwd=project).returncode == 0
    assert config.is_symlink()
    assert "# mine" in target.read_text()


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("work.theme = 'dark'\n", "work.model", {"work": {"theme": "dark", "model": "m"}}),
        ("work = { theme = 'dark' }\n", "work.model", {"work": {"theme": "dark", "model": "m"}}),
        ("[work]\n", "model", {"work": {}, "model": "m"}),
        ("['a.b']\ntheme = 'dark' # mine\n", "a.b.model", {"a.b": {"theme": "dark", "model": "m"}}),
        ("# mine\r\nmodel = 'x' # old\r\n", "model", {"model": "m"}),
        ("\ufefftheme = 'dark'\n", "model", {"theme": "dark", "model": "m"}),
        ("theme = 'dark'", "model", {"theme": "dark", "model": "m"}),
        ("[[work]]\n", "model", {"work": [{}], "model": "m"}),
    ],
)
def test_a_file_of_any_form_is_written(
    text: str, name: str, expected: dict[str, Any], project: Path, config: Path
) -> None:
    config.parent.mkdir(parents=True)
    config.write_bytes(text.encode())
    done = run_here("config", "set", name, "m", cwd=project)
    assert done.returncode == 0, done.stderr
    assert read(config) == expected
    assert text.count("#") == config.read_text().count("#")
    assert text.count("\r") == config.read_bytes().count(b"\r")


def test_what_is_no_file_or_no_folder(project: Path, config: Path) -> None:
    config.parent.parent.mkdir()
    config.parent.write_text("")
    assert run_here("config", cwd=project).returncode == 0
    done = run_here("config", "set", "model", "m", cwd=project)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    config.parent.unlink()
    config.mkdir(parents=True)
    for action in ((), ("set", "model", "m"), ("get", "model"), ("unset", "model")):
        done = run_here("config", *action, cwd=project)
        assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)


def test_the_end_of_the_input_is_no_key(project: Path, config: Path) -> None:
    with Chat("config", "set", "api_key", cwd=project, is_offered=True) as terminal:
        terminal.expect("is not shown")
        terminal.press("\x04")
        terminal.expect("needs a value")
        assert terminal.end() == 2
    assert not config.exists()


def test_the_older_file_still_counts_and_is_told(project: Path, config: Path) -> None:
    config.parent.mkdir(parents=True)
    config.with_name("config.env").write_text(f"TEXT_AGENT_MODEL=old\nOPENAI_API_KEY={KEY}\n")
    done = run_here("config", cwd=project)
    assert "  model = old" in done.stdout.splitlines()
    assert KEY not in done.stdout
    assert run_here("config", "get", "model", cwd=project).stdout == "old\n"
    assert "config.env" in run_here("config", "unset", "model", cwd=project).stderr
    assert run_here("config", "set", "model", "new", cwd=project).returncode == 0
    assert run_here("config", "get", "model", cwd=project).stdout == "new\n"


def test_what_goes_before_it_is_told(project: Path, config: Path) -> None:
    write(config, 'model = "m"\n')
    done = run_here("config", "get", "model", cwd=project, environment={"TEXT_AGENT_MODEL": "other"})
    assert done.stdout == "m\n"
    assert "TEXT_AGENT_MODEL in the environment goes before it" in done.stderr


EDITOR = 'sed -i "s/^# model = .*/model = {value}/" "$1"\n'


def editor(tmp_path: Path, text: str) -> dict[str, str]:
    script = tmp_path / "editor.sh"
    script.write_text(f"#!/bin/sh\n{text}")
    script.chmod(0o700)
    return {"EDITOR": str(script), "VISUAL": ""}


def test_the_editor_shows_all_settings(project: Path, config: Path, tmp_path: Path) -> None:
    environment = editor(tmp_path, EDITOR.format(value="'mine'") + f'cp "$1" {tmp_path}/seen\n')
    with Chat("config", "edit", cwd=project, environment=environment, is_offered=True) as terminal:
        assert terminal.end() == 0
    assert read(config) == {"model": "mine"}
    assert config.stat().st_mode & 0o777 == 0o600
    seen = (tmp_path / "seen").read_text()
    assert all(f"\n# {name} = " in seen for name in ENTRIES if name != "model")
    everything = "\n".join(line[2:] for line in seen.splitlines() if " = " in line and line.startswith("# "))
    assert tomllib.loads(everything).keys() == ENTRIES.keys() - {"model"}


def test_what_is_edited_wrongly_is_not_taken(project: Path, config: Path, tmp_path: Path) -> None:
    write(config, "")
    for text in ("max_steps = 0", "[work]\ntheme = 'drak'", "model ="):
        environment = editor(tmp_path, f'printf "{text}\\n" > "$1"')
        with Chat("config", "edit", cwd=project, environment=environment, is_offered=True) as terminal:
            terminal.expect("Edit it again?")
            terminal.send("n")
            assert terminal.end() == 2
    assert config.read_text() == ""


@pytest.mark.parametrize(
    ("choice", "reply"),
    [
        ([], "Top."),
        (["--profile", "work"], "Work."),
        (["--profile", "work", "--base-url", "TOP"], "Top."),
    ],
)
def test_a_profile_goes_before_what_stands_outside(
    choice: list[str], reply: str, project: Path, config: Path
) -> None:
    with ScriptedServer([reply] * 3, strict=False) as top, ScriptedServer([reply] * 3, strict=False) as work:
        choice = [word.replace("TOP", top.openai_url) for word in choice]
        write(
            config,
            f'model = "m"\nbase_url = "{top.openai_url}"\n[work]\nbase_url = "{work.openai_url}"\n'
            'headers = { "X-Team" = "blue", "X-Project" = "7" }\n',
        )
        done = run_here("-p", "x", *choice, cwd=project)
        assert (done.returncode, done.stdout) == (0, f"{reply}\n"), done.stderr
        asked = work if reply == "Work." else top
        assert len(asked.requests) == 1
        if reply == "Work.":
            assert asked.requests[0].headers["x-team"] == "blue"
            assert f"(base_url in profile work in {config})" in done.stderr


def test_what_chooses_a_profile_decides_how_strong_it_is(project: Path, config: Path) -> None:
    write(config, '[work]\nmodel = "w"\nbase_url = "http://127.0.0.1:9"\n[home]\nmodel = "h"\n')
    with ScriptedServer(["tool: x"] * 9, strict=False) as server:
        own = {
            "TEXT_AGENT_BASE_URL": server.openai_url,
            "TEXT_AGENT_PROFILE": "work",
            "TEXT_AGENT_RETRIES": "0",
        }
        chosen = run_here("-p", "x", cwd=project, environment=own)
        assert (chosen.returncode, server.requests[-1].model) == (0, "w")
        flag = run_here("-p", "x", "--profile", "work", cwd=project, environment=own)
        assert flag.returncode == 1
        assert f"base_url in profile work in {config}" in flag.stderr
        assert run_here("config", "set", "profile", "home", cwd=project).returncode == 0
        del own["TEXT_AGENT_PROFILE"]
        assert run_here("-p", "x", cwd=project, environment=own).returncode == 0
        assert server.requests[-1].model == "h"


def test_a_profile_that_does_not_exist(project: Path, config: Path) -> None:
    write(config, '[work]\nmodel = "w"\n[home]\nmodel = "h"\n')
    done = run_here("-p", "x", "--profile", "wrok", cwd=project)
    assert done.returncode == 2
    assert "Did you mean work?" in done.stderr
    assert "work, home" in done.stderr


@pytest.mark.parametrize("flags", [("-p", "x"), ("doctor",), ()])
def test_a_project_chooses_no_profile(flags: tuple[str, ...], project: Path, config: Path) -> None:
    write(config, '[work]\nmodel = "w"\n')
    (project / ".env").write_text("TEXT_AGENT_PROFILE=work\n")
    (project / "config.toml").write_text('model = "theirs"\n')
    done = run_here(*flags, cwd=project)
    assert done.returncode == 2
    assert "TEXT_AGENT_PROFILE must not stand in" in done.stderr


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("model =", "is no TOML"),
        ("max_steps = 'many'", "max_steps"),
        ("max_steps = true", "max_steps"),
        ("model = []", "model in "),
        ("headers = { a = 1 }", "headers in "),
        ("api_key_env = 7", "names '7', which holds no key"),
        ("api_key = 'a'\napi_key_file = 'b'", "set twice"),
        ("profile = 'nowhere'", "no profile 'nowhere'"),
        ("a = " + "[" * 5000, "is no TOML"),
        ("\x00", "is no TOML"),
    ],
)
def test_a_wrong_file_is_told_in_a_sentence(text: str, words: str, project: Path, config: Path) -> None:
    write(config, text + "\n")
    done = run_here("-p", "x", "--provider", "openai", "--base-url", "http://127.0.0.1:9", "-m", "m",
        "--retries", "0", cwd=project)  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert words in done.stderr
    assert len(done.stderr.splitlines()) <= 2


def test_a_name_that_is_no_setting_is_told(project: Path, config: Path) -> None:
    with ScriptedServer(["Yes."]) as server:
        write(
            config, f'modle = "m"\n[work]\nbase_url = "{server.openai_url}"\nmodel = "m"\nprofile = "work"\n'
        )
        done = run_here("-p", "x", "--profile", "work", cwd=project)
    assert done.returncode == 0
    assert f"modle (in {config}) is no setting of text-agent. Did you mean model?" in done.stderr
    assert f"profile (in profile work in {config}) is no setting" in done.stderr


class TestWhereTheKeyComesFrom:
    def run(self, config: Path, project: Path, line: str, **environment: str) -> tuple[int, str, str]:
        with ScriptedServer([f"I got {KEY}."], key=KEY, strict=False) as server:
            write(config, f'[work]\nbase_url = "{server.openai_url}"\nmodel = "m"\n{line}\n')
            done = run_command("-p", "x", "--profile", "work", cwd=project, environment=environment)
        assert KEY not in done.stdout + done.stderr
        return done.returncode, done.stdout, done.stderr

    def test_a_variable(self, config: Path, project: Path) -> None:
        line = 'api_key_env = "WORK_KEY"'
        assert self.run(config, project, line, WORK_KEY=KEY)[:2] == (0, "I got [key].\n")
        code, _, told = self.run(config, project, line)
        assert code == 2
        assert f"api_key_env in profile work in {config} names 'WORK_KEY', which holds no key." in told

    @pytest.mark.parametrize("name", ["work.key", "~/.config/text-agent/work.key"])
    def test_a_file(self, name: str, config: Path, project: Path) -> None:
        line = f'api_key_file = "{name}"'
        code, _, told = self.run(config, project, line)
        assert code == 2
        assert "No such file" in told
        config.with_name("work.key").write_text(f"{KEY}\n")
        (project / "work.key").write_text("theirs\n")
        assert self.run(config, project, line)[:2] == (0, "I got [key].\n")

    def test_the_systems_keyring(self, config: Path, project: Path, tmp_path: Path) -> None:
        pytest.importorskip("keyring")
        (tmp_path / "ring.py").write_text(
            "from keyring.backend import KeyringBackend\n"
            "from keyring.errors import KeyringLocked\n"
            "class Ring(KeyringBackend):\n"
            "    priority = 1\n"
            "    def set_password(self, service, user, password):\n"
            "        raise NotImplementedError\n"
            "    def get_password(self, service, user):\n"
            "        if user == 'locked':\n"
            "            raise KeyringLocked('it is locked')\n"
            f"        return {KEY!r} if (service, user) == ('a/b', 'me') else None\n"
        )
        ring = {"PYTHON_KEYRING_BACKEND": "ring.Ring", "PYTHONPATH": str(tmp_path)}
        assert self.run(config, project, 'api_key_keyring = "a/b/me"', **ring)[:2] == (0, "I got [key].\n")
        for user, words in (("locked", "it is locked"), ("you", "holds no key")):
            code, _, told = self.run(config, project, f'api_key_keyring = "a/b/{user}"', **ring)
            assert code == 2
            assert words in told
            assert len(told.splitlines()) <= 2

    def test_the_keyring_is_not_installed(self, config: Path, project: Path, tmp_path: Path) -> None:
        (tmp_path / "keyring.py").write_text("raise ImportError\n")
        line = 'api_key_keyring = "a/b"'
        code, _, told = self.run(config, project, line, PYTHONPATH=str(tmp_path))
        assert code == 2
        assert "needs the extra [keyring] of text-agent, which is not installed" in told

    def test_one_that_is_not_needed_is_not_read(self, config: Path, project: Path) -> None:
        with ScriptedServer(["Yes."]) as server:
            write(config, 'api_key_env = "NOT_SET"\n')
            environment = {"OPENAI_API_KEY": "k-0123456789"}
            done = run_command("-p", "x", *server.flags(), cwd=project, environment=environment)
        assert (done.returncode, done.stdout) == (0, "Yes.\n"), done.stderr


def test_commands_see_no_variable_that_holds_a_key(config: Path, project: Path) -> None:
    call = 'tool: run_command({"command": "echo =$WORK_LLM="})'
    with ScriptedServer([call, "Done."]) as server:
        write(config, f'[work]\nbase_url = "{server.openai_url}"\nmodel = "m"\napi_key_env = "WORK_LLM"\n')
        environment = {**os.environ, "WORK_LLM": KEY}
        done = run_command("-p", "x", "--profile", "work", "--yes", cwd=project, environment=environment)
        assert "==" in server.requests[-1].last
    assert done.returncode == 0


def test_urls_are_shown_without_keys(config: Path, project: Path) -> None:
    write(config, f'[work]\nbase_url = "http://me:{KEY}@h/v1?key={KEY}"\nheaders = "X-Key: {KEY}"\n')
    told = run_here("config", cwd=project).stdout
    assert KEY not in told
    assert "work.base_url = http://h/v1" in told
    assert ENTRIES["base_url"].row.kind is URL
