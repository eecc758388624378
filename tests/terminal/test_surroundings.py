"""One session, with everything that the prompt and the screen can do, in terminals of every kind."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.support.command import run_command
from tests.support.moves import ScriptEntry
from tests.support.scripted_server import Say, ScriptedServer
from tests.support.terminal import Chat

QUOTED = 'tool: read_file({"path": "f"})'
SCRIPT: list[ScriptEntry] = [
    "There is **one** thing:\n\n- a caf\u00e9",
    Say('I write it.\n\ntool: write_file({"path": "a.txt", "content": "alpha\\n"})', reasoning="Let me see."),
    'tool: run_command({"command": "seq 1 30"})',
    f"Done. An example:\n\n```\n{QUOTED}\n```\n",
    Say("word " * 400, chunks=400, delay_seconds=0.05),
    "The end.",
]


@dataclass(frozen=True)
class Surroundings:
    """A terminal.

    Attributes:
        size: rows and columns.
        environment: what tells of it.
        then: the size that it gets in the middle of the session.
        draws: it can move its cursor.
        ascii_only: it shows nothing else.
    """

    size: tuple[int, int] = (24, 80)
    environment: Mapping[str, str] = field(default_factory=dict)
    then: tuple[int, int] = (24, 80)
    draws: bool = True
    ascii_only: bool = False


KINDS = {
    "80x24": Surroundings(),
    "200x50": Surroundings(size=(50, 200), then=(50, 200)),
    "made narrower": Surroundings(size=(50, 200), then=(24, 80)),
    "made wider": Surroundings(then=(50, 200)),
    "dumb": Surroundings(environment={"TERM": "dumb"}, draws=False),
    "C locale": Surroundings(environment={"LC_ALL": "C", "PYTHONUTF8": ""}, ascii_only=True),
}


def flags(server: ScriptedServer) -> tuple[str, ...]:
    return server.flags("--project-view", "off", "--sandbox", "off")


@pytest.mark.parametrize("kind", KINDS)
def test_a_session_in_a_terminal(project: Path, kind: str) -> None:
    (project / "notes.md").write_text("notes\n")
    around = KINDS[kind]
    with (
        ScriptedServer(SCRIPT) as server,
        Chat(*flags(server), cwd=project, environment=around.environment, size=around.size) as chat,
    ):
        chat.expect("Type what you want done; /help shows the commands.")
        chat.expect("you>")
        chat.press("first\\\r")
        chat.expect("...")
        chat.send("second")
        bullet, cafe = ("*", "caf?") if around.ascii_only else ("\u2022", "caf\u00e9")
        chat.expect(f"There is one thing: {bullet} a {cafe}" if around.draws else "is **one** thing: - a caf")
        chat.expect("you>")
        assert server.requests[0].last == "first\nsecond"

        chat.send("!echo $((40 + 2))")
        chat.expect("exit code 0 42 you>")
        chat.resize(*around.then)
        chat.send("write, see @notes.md")
        chat.expect("Attached: notes.md. Let me see. assistant> I write it.")
        chat.expect(
            "#1 write_file a.txt --- new file +++ a.txt @@ -0,0 +1 @@ +alpha Apply this change? [y]es"
        )
        assert "attached(notes.md):\n1| notes" in server.requests[1].last
        chat.send("y")
        chat.expect("#1: a.txt was created: 1 line.")
        chat.expect("exit code 0 1 2 3 4 5 6")
        chat.expect("24 more lines: /show 2")
        chat.expect(f"(not run, shown as an example: {QUOTED}) you>")

        chat.send("/show 2")
        chat.expect("28 29 30 you>")
        chat.send("talk")
        chat.expect("assistant> word word word")
        chat.resize(*around.size)
        if around.draws:
            # At the same moment: the keys before Ctrl-C are not lost.
            chat.press("what comes next\r\x03")
            chat.expect("interrupted. you> what comes next")
        else:
            chat.interrupt()
            chat.expect("interrupted. you>")
            chat.send("what comes next")
        chat.expect("The end. you>")
        assert "what comes next" in server.requests[-1].last
        chat.settle()
        footer = re.search(r"scripted-model \S context \d+% \S permissions ask", chat.text)
        assert bool(footer) is around.draws
        assert ("\x1b" in chat.raw) is around.draws
        assert chat.raw.isascii() or not around.ascii_only
        chat.send("/exit")
        assert chat.end() == 0


def test_a_session_in_a_pipe(project: Path) -> None:
    (project / "notes.md").write_text("notes\n")
    lines = "first\\\nsecond\n!echo $((40 + 2))\nwrite, see @notes.md\n/show 2\n"
    with ScriptedServer(SCRIPT[:4]) as server:
        done = run_command("--yes", *flags(server), cwd=project, stdin=lines)
        assert server.requests[0].last == "first\nsecond"
        assert "attached(notes.md):\n1| notes" in server.requests[1].last
    assert done.returncode == 0
    flat = " ".join(done.stdout.split())
    for words in (
        "Type what you want done; /help shows the commands.",
        "assistant> There is **one** thing: - a caf\u00e9",
        "exit code 0 42",
        "Attached: notes.md. Let me see. assistant> I write it. #1 write_file a.txt: a.txt was created",
        "+alpha",
        "#2 run_command seq 1 30: exit code 0 1 2 3 4 5 6 \u2026 24 more lines: /show 2",
        f"(not run, shown as an example: {QUOTED})",
        "28 29 30",
    ):
        assert words in flat
    assert "\x1b" not in done.stdout
