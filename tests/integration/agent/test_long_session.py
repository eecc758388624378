"""A chat far longer than its context: a smaller form of `bench/session.py`."""

from __future__ import annotations

from pathlib import Path

from bench.session import Chat, Model
from tests.support.scripted_server import ScriptedServer


def test_a_long_chat_never_exceeds_its_context_and_forgets_no_agreement(tmp_path: Path) -> None:
    model = Model(7_000)
    with ScriptedServer([model.reply] * 1_000, strict=False) as server:
        chat = Chat(tmp_path, server.openai_url, 7_000)
        assert len(list(chat.turns(60))) == 60
        chat.provider.close()
    assert not model.problems
    assert len(model.agreements) == 2
    assert model.summaries >= 3
    assert chat.compactions >= model.summaries
    assert model.longest <= 7_000
