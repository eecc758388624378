"""The model servers that are looked for on this machine."""

from __future__ import annotations

import socket
import time
from typing import Any

import pytest

from tests.support.moves import Fail
from tests.support.scripted_server import ScriptedServer
from text_agent.providers.models import Model
from text_agent.providers.servers import PRODUCTS, find_servers, ollama_url, product_of

OLLAMA_PAGES: dict[str, Any] = {
    "/v1/models": {"data": [{"id": "a:7b", "owned_by": "library"}, {"id": "n", "owned_by": "library"}]},
    "/api/tags": {
        "models": [
            {"name": "a:7b", "size": 4_683_087_332, "details": {"family": "qwen2", "parameter_size": "7.6B"}},
            {"name": "n:latest", "details": {"family": "nomic-bert", "parameter_size": "137M"}},
        ]
    },
    "/api/ps": {"models": [{"name": "a:7b", "context_length": 4096}]},
}


def _url(server: ScriptedServer) -> str:
    return server.openai_url.removesuffix("/v1")


def test_a_server_is_found_with_all_that_it_tells() -> None:
    with ScriptedServer(pages=OLLAMA_PAGES) as server:
        (found,) = find_servers({}, [_url(server)], seconds=5)
    assert (found.product, found.base_url) == ("Ollama", server.openai_url)
    assert found.chat_models == (
        Model("a:7b", "library", 7_600_000_000, 4_683_087_332, 4096, is_loaded=True),
    )
    assert [model.name for model in found.models] == ["a:7b", "n"]
    assert all(request.method == "GET" for request in server.other_requests)


def test_several_are_found_in_the_order_that_they_are_asked_in() -> None:
    with ScriptedServer(models=["x"]) as one, ScriptedServer(models=["y"]) as two:
        found = find_servers({}, [_url(two), _url(one)], seconds=5)
    assert [server.models[0].name for server in found] == ["y", "x"]


def test_an_owner_tells_more_than_a_port() -> None:
    assert product_of([Model("m", "vllm")], "http://127.0.0.1:8080").name == "vLLM"
    assert product_of([Model("m", "somebody")], "http://127.0.0.1:8080").name == "llama.cpp"
    assert product_of([], "http://127.0.0.1:9").name == "a server"


@pytest.mark.parametrize(("status", "problem"), [(401, "key"), (403, "key"), (503, "loading")])
def test_a_server_without_a_list_may_say_why(status: int, problem: str) -> None:
    with ScriptedServer(models=Fail(status), strict=False) as server:
        (found,) = find_servers({}, [_url(server)], seconds=5)
    assert problem in found.problem
    assert found.models == ()


@pytest.mark.parametrize("pages", [{"/v1/models": {}}, {"/v1/models": {"data": []}}])
def test_what_lists_no_model_is_no_model_server(pages: dict[str, Any]) -> None:
    with ScriptedServer(pages=pages) as server:
        assert find_servers({}, [_url(server)], seconds=5) == ()
    with ScriptedServer(models=Fail(404), strict=False) as server:
        assert find_servers({}, [_url(server)], seconds=5) == ()


def test_what_does_not_answer_in_time_is_not_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent, ScriptedServer(models=["x"]) as server:
        begin = time.monotonic()
        found = find_servers({}, [f"http://127.0.0.1:{silent.getsockname()[1]}", _url(server)], seconds=1)
    assert [each.base_url for each in found] == [server.openai_url]
    assert time.monotonic() - begin < 10


def test_nobody_is_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    assert find_servers({}, [f"http://127.0.0.1:{port}"], seconds=5) == ()
    assert find_servers({}, [], seconds=5) == ()


def test_ollama_is_asked_where_its_variable_points_to() -> None:
    with ScriptedServer(models=["x"]) as server:
        found = find_servers({"OLLAMA_HOST": _url(server)}, [], seconds=5)
    assert [each.base_url for each in found] == [server.openai_url]


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("", ""),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:8000", "http://127.0.0.1:8000"),
        (":8000", "http://127.0.0.1:8000"),
        ("box", "http://box:11434"),
        ("http://box", "http://box:80"),
        ("https://box", "https://box:443"),
        ("https://box:1/ollama/", "https://box:1/ollama"),
        ("[::1]:8000", "http://[::1]:8000"),
        ("[::]", "http://[::1]:11434"),
        ('"box:1"', "http://box:1"),
        ("box:port", ""),
    ],
)
def test_the_variable_of_ollama_is_read_as_ollama_reads_it(host: str, url: str) -> None:
    assert ollama_url(host) == url


def test_no_two_products_listen_on_one_port() -> None:
    ports = [port for product in PRODUCTS for port in product.ports]
    assert len(ports) == len(set(ports))
