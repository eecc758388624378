"""Waiting for an endpoint, as the user sees it; Ctrl-C ends every wait, and the chat goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.scripted_server import Drop, Fail, Hang, ScriptedServer
from tests.support.terminal import Chat


def flags(server: ScriptedServer) -> tuple[str, ...]:
    return server.flags()


@pytest.mark.parametrize(
    "move", [Fail(503, "busy", headers={"retry-after": "50"}), Hang(30)], ids=["wait", "silence"]
)
def test_ctrl_c_ends_a_wait(project: Path, move: Fail | Hang) -> None:
    with ScriptedServer([move, "Still here."]) as server, Chat(*flags(server), cwd=project) as chat:
        chat.send("talk")
        if isinstance(move, Fail):
            chat.expect("(503): busy. Trying again in 50 s (Ctrl-C stops).")
        else:
            chat.expect("waiting for the model")
            server.wait_for_requests(1)
        chat.interrupt()
        chat.expect("interrupted.")
        chat.send("there?")
        chat.expect("Still here.")
        (message,) = server.requests[-1].messages
        assert "talk\n\nThe user interrupted you here." in message.content
        assert message.content.endswith("\n\nthere?")


def test_a_reply_that_broke_is_begun_again(project: Path) -> None:
    call = 'tool: write_file({"path": "a.txt", "content": "x"})\n'
    with ScriptedServer([Drop(99, call), "Whole."]) as server, Chat(*flags(server), cwd=project) as chat:
        chat.send("talk")
        chat.expect("broke off in the middle of the reply")
        chat.expect("Whole.")
        assert server.requests[1].messages == server.requests[0].messages
    assert list(project.iterdir()) == []
