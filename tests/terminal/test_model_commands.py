"""`/model` and `/provider` in a running chat."""

from __future__ import annotations

from pathlib import Path

from tests.support.command import run_command
from tests.support.scripted_server import ScriptedServer
from tests.support.terminal import Chat


def test_another_model_goes_on_with_the_conversation(project: Path) -> None:
    with ScriptedServer(["Hello Ann.", "Ann."]) as server:
        flags = server.flags("--project-view", "off", model="first")
        with Chat(*flags, cwd=project) as chat:
            chat.send("I am Ann")
            chat.expect("Hello Ann.")
            chat.send("/model")
            chat.expect("The model is first (openai).")
            chat.send("/model second")
            chat.expect("The model is second (openai) from now on.")
            chat.send("who am I?")
            chat.expect("Ann.")
            chat.send("/exit")
            assert chat.end() == 0
        assert [request.model for request in server.requests] == ["first", "second"]
        assert [message.content for message in server.requests[1].messages][:2] == ["I am Ann", "Hello Ann."]


def test_another_provider_goes_on_with_the_conversation(project: Path) -> None:
    with ScriptedServer(["One.", "Two.", "Three."]) as server:
        flags = server.flags("--project-view", "off", model="first")
        done = run_command(
            *flags, cwd=project, stdin="one\n/provider Anthropic second\ntwo\n/provider openai\nthree\n"
        )
        assert [request.model for request in server.requests] == ["first", "second", "first"]
        assert [len(request.messages) for request in server.requests] == [1, 3, 5]
    assert "The model is second (anthropic) from now on." in done.stdout
    assert "The model is first (openai) from now on." in done.stdout


def test_one_that_cannot_be_used_leaves_the_old_one(project: Path) -> None:
    with ScriptedServer(["Still here."]) as server:
        environment = {"OPENAI_BASE_URL": server.openai_url}
        lines = "/provider anthropic\n/provider gemini\n/provider openai a b\nthere?\n"
        done = run_command(
            "--model", "first", "--project-view", "off", cwd=project, stdin=lines, environment=environment
        )
    assert "Not taken: ANTHROPIC_API_KEY is not set" in done.stdout
    assert "The model is first (openai) as before." in done.stdout
    assert "There is no provider 'gemini'. Choose anthropic, openai, local;" in done.stdout
    assert "There is no provider 'openai a b'." in done.stdout
    assert "Still here." in done.stdout
