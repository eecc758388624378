"""The choice of a model that answers on this machine, as its user sees it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.products import lm_studio, ollama
from tests.support.scripted_server import ScriptedServer
from tests.support.terminal import Chat

DOWN = "\x1b[B"


def environment(server: ScriptedServer, **more: str) -> dict[str, str]:
    return {"TEXT_AGENT_DISCOVERY": "on", "OLLAMA_HOST": server.url, **more}


def test_a_single_model_is_taken_and_said(project: Path) -> None:
    with (
        ScriptedServer(["Hello."], pages=ollama("qwen2.5-coder:7b", "nomic-embed-text:latest")) as server,
        Chat("hi", "--project-view", "off", cwd=project, environment=environment(server)) as chat,
    ):
        chat.expect("qwen2.5-coder:7b (openai)")
        chat.expect("found on this machine")
        chat.expect("assistant> Hello.")


@pytest.mark.parametrize("keys", [DOWN + "\r", "2\r"])
def test_one_of_several_is_chosen(keys: str, project: Path) -> None:
    with (
        ScriptedServer(["Hello.", "Again."], pages=lm_studio()) as server,
        Chat("hi", "--project-view", "off", cwd=project, environment=environment(server)) as chat,
    ):
        chat.expect("which one?")
        chat.expect("1. qwen/qwen3-4b (4B, 2.5 GB, context 4,096, loaded), LM Studio")
        chat.expect("3. a small model inside this program")
        chat.press(keys)
        chat.expect("assistant> Hello.")
        assert server.requests[0].model == "mistral-7b-instruct-v0.3"
        chat.send("/model qwen/qwen3-4b")
        chat.expect("from now on")
        chat.send("and now?")
        chat.expect("assistant> Again.")
        assert server.requests[1].model == "qwen/qwen3-4b"


def test_a_number_is_typed_where_the_cursor_cannot_move(project: Path) -> None:
    with (
        ScriptedServer(["Hello."], pages=lm_studio()) as server,
        Chat(
            "hi", "--project-view", "off", cwd=project, environment=environment(server, TERM="dumb")
        ) as chat,
    ):
        chat.expect("[1-3]")
        chat.send("x")
        chat.send("2")
        chat.expect("Hello.")
        assert server.requests[0].model == "mistral-7b-instruct-v0.3"


def test_ctrl_c_at_the_choice_leaves(project: Path) -> None:
    with (
        ScriptedServer(pages=lm_studio()) as server,
        Chat(cwd=project, environment=environment(server)) as chat,
    ):
        chat.expect("which one?")
        chat.interrupt()
        assert chat.end() == 130


def test_a_model_is_chosen_in_the_chat(project: Path) -> None:
    flags = ("--project-view", "off", "--model", "qwen2.5-coder:7b")
    with (
        ScriptedServer(["Hello."], pages=ollama()) as server,
        Chat(*flags, cwd=project, environment=environment(server)) as chat,
    ):
        chat.expect("you> ")
        chat.send("/model")
        chat.expect("Which one from now on?")
        chat.expect("2. qwen2.5-coder:1.5b 1.5B, 1.0 GB")
        assert "embed" not in chat.text
        chat.press("2\r")
        chat.expect("The model is qwen2.5-coder:1.5b (openai) from now on.")
        chat.send("/model qwen2.5-codr:7b")
        chat.expect("did you mean qwen2.5-coder:7b?")
        chat.send("/model")
        chat.expect("The model is qwen2.5-coder:1.5b (openai). Which one from now on?")
        chat.interrupt()
        chat.expect("as before.")
        chat.send("hi")
        chat.expect("assistant> Hello.")
        assert server.requests[0].model == "qwen2.5-coder:1.5b"


def test_names_of_models_are_completed(project: Path) -> None:
    flags = ("--project-view", "off", "--model", "qwen2.5-coder:7b")
    with (
        ScriptedServer(pages=ollama()) as server,
        Chat(*flags, cwd=project, environment=environment(server)) as chat,
    ):
        chat.expect("you> ")
        chat.press("/model qwen2.5-coder:1")
        chat.expect("qwen2.5-coder:1.5b")
        chat.press("\t")
        chat.expect("/model qwen2.5-coder:1.5b")
