"""Input that goes wrong: editors that fail, keys that mean something else, names of files that lie."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.scripted_server import ScriptedServer
from tests.support.terminal import Chat

CTRL_C, CTRL_X_CTRL_E = "\x03", "\x18\x05"


def chat_of(server: ScriptedServer, project: Path, **environment: str) -> Chat:
    return Chat(*server.flags("--project-view", "off"), cwd=project, environment=environment)


@pytest.mark.parametrize(
    ("editor", "reason"),
    [
        ("false", "the editor failed"),
        ("'unbalanced", "the editor failed"),
        ('sh -c \'printf "\\377bad" > "$0"\'', "the editor failed"),
    ],
)
def test_an_editor_that_fails_leaves_the_line_as_it_was(project: Path, editor: str, reason: str) -> None:
    with ScriptedServer(["Got it."]) as server, chat_of(server, project, VISUAL=editor) as chat:
        chat.expect("you> ")
        chat.press("my words" + CTRL_X_CTRL_E)
        chat.expect(reason)
        chat.expect("you> my words")
        chat.send("!")
        chat.expect("Got it. you>")
        assert server.requests[0].last == "my words!"
        assert "Traceback" not in chat.raw
        assert "Unhandled" not in chat.raw


def test_ctrl_c_takes_back_a_line_and_does_not_leave(project: Path) -> None:
    with ScriptedServer(["Got it."]) as server, chat_of(server, project) as chat:
        chat.expect("you> ")
        for _ in range(3):
            chat.press("nonsense")
            chat.expect("you> nonsense")
            chat.press(CTRL_C)
            chat.settle()
            assert "nonsense" not in chat.text
        chat.send("sense")
        chat.expect("Got it. you>")
        assert server.requests[0].last == "sense"


def test_a_name_that_reorders_text_is_offered_as_it_is(project: Path) -> None:
    (project / "bidi\u202etxt.py").write_text("x")
    with ScriptedServer([]) as server, chat_of(server, project) as chat:
        chat.expect("you> ")
        chat.press("@bidi")
        chat.expect("bidi<U+202E>txt.py")
        assert "\u202e" not in chat.raw
