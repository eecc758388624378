"""The scripted server itself: it would be no judge if it let wrong requests pass."""

from __future__ import annotations

import http.client
import json
from typing import Any

import pytest

from tests.support.scripted_server import Drop, Fail, Hang, Say, ScriptedServer
from text_agent.messages import Message

GOOD: dict[str, Any] = {
    "model": "m",
    "max_tokens": 10,
    "stream": True,
    "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello"}],
}


def post(server: ScriptedServer, body: dict[str, Any], path: str = "/v1/chat/completions") -> tuple[int, str]:
    connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=10)
    try:
        connection.request("POST", path, json.dumps(body), {"content-type": "application/json"})
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def test_it_records_what_it_was_asked_and_says_its_script() -> None:
    with ScriptedServer(["one", lambda request: f"you said {request.last}"]) as server:
        assert '"one"' in post(server, GOOD)[1]
        body = post(server, {**GOOD, "system": "Be brief.", "messages": GOOD["messages"][1:]}, "/v1/messages")
    assert "text_delta" in body[1]
    assert server.requests[0].system == "Be brief."
    assert server.requests[1].messages == (Message("user", "Hello"),)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"tools": []}, "'tools' was sent"),
        ({"stream": False}, "stream is not true"),
        ({"max_tokens": None}, "max_tokens is not"),
        ({"messages": GOOD["messages"][1:]}, "no system prompt"),
        ({"messages": GOOD["messages"][:1]}, "the last message is not the user's"),
        ({"messages": [*GOOD["messages"], {"role": "user", "content": "again"}]}, "roles do not alternate"),
        ({"messages": [*GOOD["messages"], {"role": "assistant", "content": "x "}]}, "ends in white space"),
        ({"messages": [GOOD["messages"][0], {"role": "user", "content": " "}]}, "message 0 (user) is empty"),
        ({"messages": [*GOOD["messages"], GOOD["messages"][0]]}, "a system message after the first"),
    ],
)
def test_it_refuses_what_an_endpoint_would_refuse(change: dict[str, Any], complaint: str) -> None:
    def ask() -> None:
        with ScriptedServer(["unused"], strict=False) as server:
            status, body = post(server, {**GOOD, **change})
            assert status == 400
            assert complaint in body

    with pytest.raises(AssertionError) as caught:
        ask()
    assert complaint in str(caught.value)


def test_a_request_too_many_and_an_unused_entry_are_errors() -> None:
    too_many = ScriptedServer([])
    with pytest.raises(AssertionError, match="one more than the script has entries"), too_many as server:
        post(server, GOOD)
    with pytest.raises(AssertionError, match="1 entries of the script were not used"), ScriptedServer(["x"]):
        pass


def test_it_breaks_connections() -> None:
    with ScriptedServer([Drop(0), Drop(2), Hang(0.01), Fail(503, "busy")]) as server:
        for error in (
            http.client.RemoteDisconnected,
            http.client.IncompleteRead,
            http.client.RemoteDisconnected,
        ):
            with pytest.raises(error):
                post(server, GOOD)
        assert post(server, GOOD)[0] == 503


def test_it_notices_a_client_that_leaves() -> None:
    with ScriptedServer([Say("slow " * 100, delay_seconds=0.05)]) as server:
        connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=10)
        connection.request("POST", "/v1/chat/completions", json.dumps(GOOD))
        connection.getresponse().close()
        connection.close()
        assert server.left.wait(5)
