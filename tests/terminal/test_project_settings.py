"""A project's settings that decide where the conversation goes: asked once for each value."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command import run_command
from tests.support.scripted_server import ScriptedServer
from tests.support.terminal import Chat

QUESTION = "Is it right, from now on?"


@pytest.fixture
def servers(own_environment: Path) -> Iterator[tuple[ScriptedServer, ScriptedServer]]:
    """The user's own, which needs no key, and a stranger's."""
    with (
        ScriptedServer(["Mine."] * 9, strict=False) as own,
        ScriptedServer(["Theirs."] * 9, strict=False) as other,
    ):
        folder = own_environment / ".config/text-agent"
        folder.mkdir(parents=True)
        (folder / "config.env").write_text(
            f"TEXT_AGENT_BASE_URL={own.openai_url}\nTEXT_AGENT_MODEL=scripted-model\n"
        )
        yield own, other


def answers(home: Path) -> Path:
    return home / ".config/text-agent/project-settings.json"


def test_yes_is_asked_for_once_for_each_value(
    project: Path, own_environment: Path, servers: tuple[ScriptedServer, ScriptedServer]
) -> None:
    _, other = servers
    (project / ".env").write_text(f"TEXT_AGENT_BASE_URL={other.openai_url}\n")
    with Chat(cwd=project) as chat:
        chat.expect(f"TEXT_AGENT_BASE_URL={other.openai_url}")
        chat.expect(QUESTION)
        assert other.requests == []
        chat.send("y")
        chat.expect("you>")
        assert f"at {other.openai_url}" in chat.text
        chat.send("hello")
        chat.expect("Theirs.")
        chat.send("/exit")
    assert answers(own_environment).stat().st_mode & 0o777 == 0o600
    assert other.openai_url not in answers(own_environment).read_text()
    done = run_command("-p", "x", cwd=project)
    assert (done.returncode, done.stdout) == (0, "Theirs.\n")
    assert str(project / ".env") in done.stderr
    (project / ".env").write_text(f"TEXT_AGENT_BASE_URL={other.url}/v1/\n")
    assert run_command("-p", "x", cwd=project).returncode == 2
    (project / ".env").write_text(f"TEXT_AGENT_BASE_URL={other.openai_url}\nTEXT_AGENT_MODEL=another\n")
    assert "TEXT_AGENT_MODEL=another" in run_command("-p", "x", cwd=project).stderr


def test_no_leaves_the_users_own_settings(
    project: Path, servers: tuple[ScriptedServer, ScriptedServer]
) -> None:
    own, other = servers
    (project / ".env").write_text(f"TEXT_AGENT_BASE_URL={other.openai_url}\n")
    with Chat(cwd=project) as chat:
        chat.expect(QUESTION)
        chat.send("")
        chat.expect("is left out, as you have said")
        chat.send("hello")
        chat.expect("Mine.")
        chat.send("/exit")
    done = run_command("-p", "x", cwd=project)
    assert (done.returncode, done.stdout) == (0, "Mine.\n")
    assert (other.requests, other.other_requests) == ([], [])
    assert len(own.requests) == 2


def test_another_folder_is_asked_for_itself(
    tmp_path: Path, project: Path, servers: tuple[ScriptedServer, ScriptedServer]
) -> None:
    _, other = servers
    folder = tmp_path / "second"
    folder.mkdir()
    for each in (project, folder):
        (each / ".env").write_text(f"TEXT_AGENT_BASE_URL={other.openai_url}\n")
    with Chat(cwd=project) as chat:
        chat.expect(QUESTION)
        chat.send("y")
        chat.expect("you>")
        chat.send("/exit")
    assert run_command("-p", "x", cwd=project).returncode == 0
    assert run_command("-p", "x", cwd=folder).returncode == 2


def test_another_provider_of_the_projects_is_asked_about_in_the_chat(
    project: Path, servers: tuple[ScriptedServer, ScriptedServer]
) -> None:
    own, other = servers
    (project / ".env").write_text(f"ANTHROPIC_BASE_URL={other.anthropic_url}\n")
    with Chat("--provider", "openai", cwd=project) as chat:
        chat.expect("you>")
        chat.send("/provider anthropic scripted-model")
        chat.expect(QUESTION)
        chat.send("n")
        chat.expect("you>")
        chat.send("hello")
        chat.expect("Mine.")
        chat.send("/exit")
    assert (other.requests, other.other_requests) == ([], [])
    assert own.requests


@pytest.mark.parametrize(
    "content", ["", "[]", '{"FOLDER": []}', '{"FOLDER": {"x": true}}', "\0", '{"FOLDER": true}']
)
def test_a_damaged_file_of_answers_holds_none(
    content: str, project: Path, own_environment: Path, servers: tuple[ScriptedServer, ScriptedServer]
) -> None:
    _, other = servers
    (project / ".env").write_text(f"TEXT_AGENT_BASE_URL={other.openai_url}\n")
    answers(own_environment).write_text(content.replace("FOLDER", json.dumps(str(project))[1:-1]))
    assert run_command("-p", "x", cwd=project).returncode == 2
    assert other.requests == []


def test_answers_that_lie_in_the_project_do_not_count(
    project: Path, own_environment: Path, servers: tuple[ScriptedServer, ScriptedServer]
) -> None:
    """Whoever writes the project's files could answer in the user's place."""
    _, other = servers
    (project / ".env").write_text(f"TEXT_AGENT_BASE_URL={other.openai_url}\n")
    with Chat(cwd=project) as chat:
        chat.expect(QUESTION)
        chat.send("y")
        chat.expect("you>")
        chat.send("/exit")
    inside = project / "config/text-agent"
    inside.mkdir(parents=True)
    answers(own_environment).rename(inside / "project-settings.json")
    environment = {"XDG_CONFIG_HOME": str(project / "config")}
    assert run_command("-p", "x", cwd=project, environment=environment).returncode == 2


def test_a_task_in_a_terminal_asks_nothing(
    project: Path, servers: tuple[ScriptedServer, ScriptedServer]
) -> None:
    _, other = servers
    (project / ".env").write_text(f"TEXT_AGENT_BASE_URL={other.openai_url}\n")
    with Chat("-p", "x", "--yes", cwd=project) as chat:
        chat.expect("say yes once")
        assert QUESTION not in chat.text
    assert other.requests == []
