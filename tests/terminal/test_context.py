"""What the chat tells of the context and of costs, and `/compact`."""

from __future__ import annotations

from pathlib import Path

from tests.support.moves import ScriptEntry
from tests.support.scripted_server import Fail, Say, ScriptedServer
from tests.support.terminal import Chat
from text_agent.messages import Usage


def flags(server: ScriptedServer) -> tuple[str, ...]:
    return server.flags()


def test_usage_shows_tokens_cost_and_the_context(project: Path) -> None:
    prices = ("--price-in", "1", "--price-out", "2", "--context-tokens", "20000", "--max-cost", "9")
    script = [Say("Hello.", usage=Usage(2000, 50, 500))]
    with ScriptedServer(script) as server, Chat(*flags(server), *prices, cwd=project) as chat:
        chat.expect("you> ")
        chat.send("hello")
        chat.expect("Hello.")
        chat.send("/usage")
        chat.expect("last turn: 2,000 tokens in (500 of them cached), 50 out; 1 request")
        chat.expect("cost 0.0021")
        chat.expect("of 20,000 tokens")
        chat.expect("cost 9 (--max-cost)")


def test_compaction_by_hand_and_its_failure(project: Path) -> None:
    script: list[ScriptEntry] = ["One.", "Two.", Fail(401, "no more"), "## Goal\nCount.", "Three."]
    with ScriptedServer(script) as server, Chat(*flags(server), cwd=project) as chat:
        chat.expect("you> ")
        chat.send("/compact")
        chat.expect("too little to summarise")
        for line, answer in (("one", "One."), ("two", "Two.")):
            chat.send(line)
            chat.expect(answer)
        chat.send("/compact")
        chat.expect("No summary was made")
        chat.send("/compact")
        chat.expect("the model summarised the conversation")
        chat.send("three")
        chat.expect("Three.")
        assert "## Goal\nCount." in server.requests[-1].messages[0].content
