"""A model that does not come on ends its turn, and nothing claims that the work was done."""

from __future__ import annotations

from itertools import cycle, islice
from pathlib import Path

import pytest

from tests.support.endpoints import Api
from tests.support.scripted_server import RecordedRequest, Say, ScriptedServer
from tests.support.turns import Outcome, setting
from text_agent.agent.agent import Agent
from text_agent.events import Event, EventSink, TextReceived, ToolFinished

EDIT = 'tool: edit_file({"path": "a.py", "old_str": "no such line", "new_str": "x"})'
TEST = 'tool: run_command({"command": "echo 1 failed; exit 1"})'
READ = 'All tests pass now.\ntool: read_file({"path": "a.py"})'


def test_a_circle_of_three_calls_ends_with_exit_code_3(project: Path) -> None:
    (project / "a.py").write_text("one\n")
    with ScriptedServer(islice(cycle([EDIT, TEST, READ]), 12), strict=False) as server:
        outcome, _ = turn(project, server)
        assert len(server.requests) <= 8
    assert (outcome.code, outcome.stdout) == (3, "")
    assert "stopped: no progress: the model repeats the same call" in outcome.stderr


ENDLESS = "I will look at the file again to be sure. " * 2_000
WRITE = 'tool: write_file({"path": "rows.csv"})\n```\nname,city\n'
ROWS = "Alice Smith,Springfield\n" * 2_000


def turn(
    project: Path,
    server: ScriptedServer,
    prompt: str = "look",
    api: Api = "openai",
    listen: EventSink | None = None,
) -> tuple[Outcome, Agent]:
    made = setting(project, server, api, sink=listen)
    try:
        return made.turn(prompt), made.agent
    finally:
        made.close()


def collect(pieces: list[str]) -> EventSink:
    def listen(event: Event) -> None:
        if isinstance(event, TextReceived):
            pieces.append(event.text)

    return listen


def told(server: ScriptedServer, request: int) -> str:
    """What the model was told with a request, at its end."""
    return server.requests[request].last


@pytest.mark.parametrize("api", ["openai", "anthropic"])
def test_a_reply_without_end_is_stopped_and_the_work_goes_on(project: Path, api: Api) -> None:
    pieces: list[str] = []
    script: list[str | Say] = [Say(f"Let me see.\n{ENDLESS}", chunks=3_000), "Done."]
    with ScriptedServer(script) as server:
        outcome, agent = turn(project, server, api=api, listen=collect(pieces))
        kept = agent.conversation.messages[1].content
        note = told(server, 1)
    assert (outcome.code, outcome.stdout) == (0, "Done.\n")
    assert len("".join(pieces)) < 10_000, "the request was closed, not read to its end"
    assert "(cut here: the model said the same over and over)" in outcome.stderr
    assert kept.strip() == "Let me see.\nI will look at the file again to be sure."
    assert "said the same over and over" in note
    assert "I will look at the file again to be sure." in note
    assert len(note) < 500


def test_the_second_reply_without_end_ends_the_turn(project: Path) -> None:
    with ScriptedServer([Say(ENDLESS), Say(reasoning=ENDLESS, text="Done.")]) as server:
        outcome, _ = turn(project, server)
    assert (outcome.code, outcome.stdout) == (3, "")
    assert "stopped: no progress: the model says the same over and over without end." in outcome.stderr


def test_what_was_cut_is_not_written_and_what_was_complete_is_run_once(project: Path) -> None:
    (project / "a.txt").write_text("alpha\n")
    read = 'tool: read_file({"path": "a.txt"})\n'
    script = [read + WRITE + ROWS, read * 2_000, WRITE + "Alice\n```\n" + ENDLESS, "Done."]
    events: list[Event] = []
    with ScriptedServer(script[:2]) as server:
        outcome, _ = turn(project, server, listen=events.append)
        results = told(server, 1)
    assert outcome.code == 3
    assert not (project / "rows.csv").exists()
    assert "tool_result(read_file #1 ok):\n1| alpha" in results
    assert "tool_result(write_file #2 error):" in results
    assert "stopped inside it" in results
    assert [event.refusal for event in events if isinstance(event, ToolFinished)][:2] == [None, "cut"]
    assert outcome.stderr.count("read_file(") == 2
    with ScriptedServer(script[2:]) as server:
        outcome, _ = turn(project, server)
    assert outcome.code == 0
    assert (project / "rows.csv").read_text() == "name,city\nAlice\n"


def test_a_reply_that_repeats_itself_up_to_its_limit_is_not_an_answer_that_was_cut(project: Path) -> None:
    script: list[str | Say] = [Say("Well. " + ENDLESS[:2_100], stop_reason="max_tokens"), "Done."]
    with ScriptedServer(script) as server:
        outcome, _ = turn(project, server)
        assert "said the same over and over" in told(server, 1)
    assert (outcome.code, outcome.stdout) == (0, "Done.\n")


def test_a_long_table_of_equal_rows_is_written(project: Path) -> None:
    rows = "Alice Smith,Springfield\n" * 200
    with ScriptedServer([f"{WRITE}{rows}```\n", "Done."]) as server:
        assert turn(project, server)[0].code == 0
    assert (project / "rows.csv").read_text() == f"name,city\n{rows}"


def test_a_note_that_is_only_written_again_is_no_answer(project: Path) -> None:
    def parrot(request: RecordedRequest) -> str:
        return request.last.splitlines()[0]

    with ScriptedServer(["", "", *[parrot] * 3]) as server:
        outcome, _ = turn(project, server)
    assert (outcome.code, outcome.stdout) == (3, "")
    assert "neither a call nor an answer" in outcome.stderr


def test_what_stands_for_an_empty_reply_is_no_answer_either(project: Path) -> None:
    def parrot(request: RecordedRequest) -> str:
        return request.messages[-2].content

    with ScriptedServer(["", "", parrot, "Done."]) as server:
        outcome, _ = turn(project, server)
    assert (outcome.code, outcome.stdout) == (0, "Done.\n")


def test_the_user_may_ask_for_his_own_words(project: Path) -> None:
    words = "The quick brown fox jumps over the lazy dog, and on it runs."
    with ScriptedServer([words]) as server:
        outcome, _ = turn(project, server, f"Say: {words}")
    assert (outcome.code, outcome.stdout) == (0, f"{words}\n")
