"""The choice of a model that answers on this machine, as its user sees it."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from tests.support.products import FOUND, at_usual_ports, lm_studio, ollama
from tests.support.scripted_server import ScriptedServer
from tests.support.terminal import Chat

DOWN = "\x1b[B"


ON = {"TEXT_AGENT_DISCOVERY": "on"}


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


@pytest.mark.parametrize("product", FOUND)
def test_from_each_product_to_the_first_edit(product: str, project: Path) -> None:
    found = FOUND[product]
    script = ('tool: write_file({"path": "a.txt", "content": "alpha\\n"})', "Written.")
    with (
        at_usual_ports(product, script=script) as (server,),
        Chat(cwd=project, environment=ON, size=(30, 110)) as chat,
    ):
        if found.models[1:]:
            chat.expect("which one?")
            for number, line in enumerate(found.lines, 1):
                chat.expect(f"{number}. {line}, {product.partition(',')[0]}")
            chat.press("1\r")
        chat.expect(f"{found.models[0]} (openai)")
        chat.send("Write alpha into a.txt.")
        chat.expect("Apply this change? [y]es")
        chat.send("y")
        chat.expect("Written.")
        assert (project / "a.txt").read_text() == "alpha\n"
        assert {request.model for request in server.requests} == {found.models[0]}


@pytest.mark.parametrize(("keys", "number"), [(DOWN * 2 + "\r", 2), ("2\r", 1), ("\r", 0)])
def test_one_of_two_servers_is_chosen(keys: str, number: int, project: Path) -> None:
    with (
        at_usual_ports("LM Studio", "vLLM") as servers,
        Chat("hi", "--project-view", "off", cwd=project, environment=ON, size=(30, 110)) as chat,
    ):
        chat.expect("which one?")
        chat.expect("3. Qwen/Qwen2.5-Coder-7B-Instruct (7B, context 32,768), vLLM")
        chat.expect("4. a small model inside this program")
        chat.press(keys)
        chat.expect("assistant> Hello.")
    asked = [request.model for server in servers for request in server.requests]
    assert asked == [[*FOUND["LM Studio"].models, *FOUND["vLLM"].models][number]]


ODD: dict[str, bytes] = {
    "says nothing": b"",
    "is a page": b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>Grafana</html>",
    "is another program": b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{"status": "UP"}',
    "speaks another protocol": b"220 mail.example.org ESMTP\r\n",
    "begins a list that never ends": b'HTTP/1.1 200 OK\r\n\r\n{"data": [' + b'{"id": "m"},' * 99,
}


@pytest.mark.parametrize("answer", ODD.values(), ids=ODD)
def test_what_is_no_model_server_is_not_offered(answer: bytes, project: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        asked = answering(server, answer)
        host = {**ON, "OLLAMA_HOST": f"127.0.0.1:{server.getsockname()[1]}"}
        with Chat(cwd=project, environment=host, size=(30, 110)) as chat:
            chat.expect("Fetch it now?")
            assert "which one?" not in chat.text
            chat.interrupt()
            assert chat.end() == 130
    assert {line.partition(b" ")[0] for line in asked} <= {b"GET"}


def answering(server: socket.socket, answer: bytes) -> list[bytes]:
    """Answers every connection with the same bytes, and keeps it open; returns the list of what is asked."""
    asked: list[bytes] = []
    open_connections: list[socket.socket] = []

    def serve() -> None:
        with suppress(OSError):
            while True:
                connection, _ = server.accept()
                open_connections.append(connection)
                threading.Thread(target=answer_one, args=(connection,), daemon=True).start()

    def answer_one(connection: socket.socket) -> None:
        with suppress(OSError):
            if line := connection.recv(9999):
                asked.append(line)
                connection.sendall(answer)

    threading.Thread(target=serve, daemon=True).start()
    return asked


def test_a_server_with_embeddings_alone_offers_nothing(project: Path) -> None:
    with (
        ScriptedServer(pages=ollama("nomic-embed-text:latest")) as server,
        Chat(cwd=project, environment=environment(server), size=(30, 110)) as chat,
    ):
        chat.expect("Fetch it now?")
        assert "embed" not in chat.text
        chat.send("n")
        assert chat.end() == 2


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
