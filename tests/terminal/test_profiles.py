"""The offer to keep what has worked, and profiles of the user's config file, in a chat."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command import run_command
from tests.support.products import lm_studio
from tests.support.scripted_server import ScriptedServer
from tests.support.terminal import Chat

QUESTION = "Keep these as your default? [y/n]"
DOWN = "\x1b[B"


@pytest.fixture
def config(own_environment: Path) -> Path:
    return own_environment / ".config/text-agent/config.toml"


def write(config: Path, text: str) -> None:
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(text)


def test_what_the_flags_said_is_kept_once_it_has_worked(project: Path, config: Path) -> None:
    with ScriptedServer(["Hello.", "Again.", "Third."]) as server:
        flags = server.flags("--project-view", "off", "--header", "X-Key: 0123456789abcdef")
        with Chat(*flags, cwd=project, is_offered=True) as chat:
            chat.send("hi")
            chat.expect("assistant> Hello.")
            chat.expect("model = scripted-model")
            chat.expect(QUESTION)
            assert "0123456789abcdef" not in chat.text
            chat.send("perhaps")
            chat.settle()
            chat.send("y")
            chat.expect("Kept in")
            chat.send("and now?")
            chat.expect("assistant> Again.")
            chat.send("/exit")
            assert chat.end() == 0
        assert config.stat().st_mode & 0o777 == 0o600
        assert config.parent.stat().st_mode & 0o777 == 0o700
        done = run_command("-p", "x", "--project-view", "off", cwd=project)
        assert (done.returncode, done.stdout) == (0, "Third.\n")
        assert server.requests[-1].headers["x-key"] == "0123456789abcdef"
        assert f"(base_url in {config})" in done.stderr


def test_no_is_kept_too(project: Path, config: Path) -> None:
    with ScriptedServer(["One.", "Two."]) as server:
        for answer, reply in (("n", "One."), (None, "Two.")):
            with Chat("hi", *server.flags("--project-view", "off"), cwd=project, is_offered=True) as chat:
                chat.expect(f"assistant> {reply}")
                if answer:
                    chat.expect(QUESTION)
                    chat.send(answer)
                    chat.expect("text-agent config set does it later")
                chat.expect("you>")
                assert (QUESTION in chat.text) == bool(answer)
                chat.send("/exit")
                assert chat.end() == 0
    assert not [line for line in config.read_text().splitlines() if line and not line.startswith("#")]


def test_ctrl_c_at_the_question_keeps_nothing(project: Path, config: Path) -> None:
    with (
        ScriptedServer(["One."]) as server,
        Chat("hi", *server.flags("--project-view", "off"), cwd=project, is_offered=True) as chat,
    ):
        chat.expect(QUESTION)
        chat.interrupt()
        chat.expect("Nothing was kept.")
        chat.expect("you>")
    assert not config.exists()


@pytest.mark.parametrize("name", ["config.toml", "config.env"])
def test_nothing_is_offered_beside_a_file(name: str, project: Path, config: Path) -> None:
    write(config, "")
    config.rename(config.with_name(name))
    with (
        ScriptedServer(["One."]) as server,
        Chat("hi", *server.flags("--project-view", "off"), cwd=project, is_offered=True) as chat,
    ):
        chat.expect("assistant> One.")
        chat.expect("you>")
        assert QUESTION not in chat.text


def test_nothing_is_offered_without_a_terminal_or_in_a_task(project: Path, config: Path) -> None:
    with ScriptedServer(["One.", "Two."]) as server:
        chat = run_command(*server.flags("--project-view", "off"), cwd=project, stdin="hi\ny\n"[:3])
        task = run_command("-p", "hi", *server.flags("--project-view", "off"), cwd=project)
    assert (chat.returncode, task.returncode) == (0, 0)
    assert QUESTION not in chat.stdout + chat.stderr + task.stdout + task.stderr
    assert not config.exists()


def test_what_was_picked_at_the_start_is_kept(project: Path, config: Path) -> None:
    environment = {"TEXT_AGENT_DISCOVERY": "on"}
    with ScriptedServer(["Hello.", "Again."], pages=lm_studio()) as server:
        environment["OLLAMA_HOST"] = server.url
        with Chat(
            "hi", "--project-view", "off", cwd=project, environment=environment, is_offered=True
        ) as chat:
            chat.expect("which one?")
            chat.press(DOWN + "\r")
            chat.expect(QUESTION)
            chat.send("yes")
            chat.expect("Kept in")
            chat.send("/exit")
            assert chat.end() == 0
        assert run_command("-p", "x", "--project-view", "off", cwd=project).stdout == "Again.\n"
        assert server.requests[-1].model == "mistral-7b-instruct-v0.3"


def test_profiles_are_taken_by_name_and_from_a_list(project: Path, config: Path) -> None:
    key = "sk-0123456789-work"
    with (
        ScriptedServer(["Home."]) as home,
        ScriptedServer(["Work.", f"I was sent {key}."], key=key, models=["w"]) as work,
        ScriptedServer(["Third."]) as third,
    ):
        (config.parent).mkdir(parents=True)
        (config.parent / "work.key").write_text(f"{key}\n")
        write(
            config,
            f'[home]\nbase_url = "{home.openai_url}"\nmodel = "h"\n'
            f'[work]\nbase_url = "{work.openai_url}"\nmodel = "w"\napi_key_file = "work.key"\n',
        )
        flags = third.flags("--project-view", "off", "--header", "X-Third: 0123456789abcdef", model="t")
        with Chat("hi", *flags, cwd=project) as chat:
            chat.expect("assistant> Third.")
            chat.send("/profile wrok")
            chat.expect("Did you mean work?")
            chat.expect("The model is t (openai) as before.")
            chat.send("/profile")
            chat.expect("Which profile from now on?")
            chat.press(DOWN + "\r")
            chat.expect("The model is w (openai) from now on.")
            chat.send("hello")
            chat.expect("assistant> Work.")
            chat.send("and the key?")
            chat.expect("I was sent [key].")
            chat.send("/profile home")
            chat.expect("The model is h (openai) from now on.")
            chat.send("hello")
            chat.expect("assistant> Home.")
            assert key not in chat.history
        assert [request.model for request in work.requests] == ["w", "w"]
        assert "x-third" not in work.requests[0].headers
        assert key not in str(home.requests[0].headers)


def test_there_is_no_profile(project: Path) -> None:
    with (
        ScriptedServer(strict=False) as server,
        Chat(*server.flags("--project-view", "off"), cwd=project) as chat,
    ):
        chat.expect("you>")
        chat.send("/profile")
        chat.expect("text-agent config set NAME.model MODEL")
