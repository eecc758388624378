"""`/doctor` in a running chat."""

from __future__ import annotations

from pathlib import Path

from tests.support.moves import Hang, Move
from tests.support.recorded import RecordedRequest
from tests.support.scripted_server import ScriptedServer
from tests.support.terminal import Chat

READ = 'tool: read_file({"path": "README.md"})'
WRITE = 'tool: write_file({"path": "hello.txt"})\n```\nhello\n```'


def answer(request: RecordedRequest) -> str | Move:
    if "README" in request.last:
        return READ
    return WRITE if "hello.txt" in request.last else "1 2 3 4 5"


def flags(server: ScriptedServer) -> tuple[str, ...]:
    return server.flags("--project-view", "off")


def test_the_examination_is_no_part_of_the_conversation(project: Path) -> None:
    with (
        ScriptedServer(["Hello Ann.", *[answer] * 4, "Ann."]) as server,
        Chat(*flags(server), cwd=project) as chat,
    ):
        chat.send("I am Ann")
        chat.expect("Hello Ann.")
        chat.send("/doctor")
        chat.expect("ok       format:")
        chat.expect("text-agent can work with it.")
        chat.send("who am I?")
        chat.expect("Ann.")
        chat.send("/exit")
        assert chat.end() == 0
    assert [message.content for message in server.requests[-1].messages] == [
        "I am Ann",
        "Hello Ann.",
        "who am I?",
    ]
    assert not list(project.iterdir())


def test_ctrl_c_stops_the_examination_and_not_the_chat(project: Path) -> None:
    with (
        ScriptedServer([Hang(60), "Here."]) as server,
        Chat(*flags(server), cwd=project) as chat,
    ):
        chat.send("/doctor")
        server.wait_for_requests(1)
        chat.interrupt()
        chat.expect("interrupted")
        chat.send("are you there?")
        chat.expect("Here.")
        chat.send("/exit")
        assert chat.end() == 0
