from __future__ import annotations

import json
import resource
import signal
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.support.scripted_provider import ScriptedProvider
from tests.support.surroundings import surroundings_of
from text_agent.agent.agent import Agent
from text_agent.agent.conversation import Conversation
from text_agent.agent.runner import ToolRunner
from text_agent.cli.headless import Unattended
from text_agent.config.settings import Settings
from text_agent.errors import SessionError
from text_agent.events import (
    ConversationReplaced,
    Event,
    EventSink,
    ForeignCallsSeen,
    MessageAdded,
    ModelChanged,
    Notice,
    PlanUpdated,
    StepStarted,
    ToolFinished,
    ToolStarted,
    TurnFinished,
    TurnStarted,
)
from text_agent.files.workspace import Workspace
from text_agent.messages import Message
from text_agent.permissions.policy import PermissionPolicy
from text_agent.protocol.types import AppliedChange, Plan, ToolCall, ToolResult
from text_agent.sessions.recorder import SessionFacts, SessionRecorder
from text_agent.sessions.records import encode_record, read_records
from text_agent.sessions.saved import SavedSession, load_session
from text_agent.sessions.store import SessionStore
from text_agent.text.masking import Masker
from text_agent.tools.registry import ToolRegistry, default_tools
from text_agent.tools.tool import Tool

USER = Message("user", "hello", "request")
ASSISTANT = Message("assistant", "Hi.\u2028 \ud800 \U0001f600")
EVENTS: list[Event] = [
    TurnStarted("hello"),
    MessageAdded(USER),
    StepStarted(1, 25),
    MessageAdded(ASSISTANT),
    ForeignCallsSeen(("a" * 16,)),
    PlanUpdated(("One", "Two"), frozenset({1})),
    ToolStarted(4, ToolCall("read_file", {"path": "a"})),
    ToolFinished(ToolResult(4, "read_file", "ok", "text", change=AppliedChange("a", "+x"))),
    TurnFinished("answered", "Hi.", steps=1),
]


def recorder(folder: Path, told: list[Event], mask: Masker | None = None) -> SessionRecorder:
    now = datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC)
    facts = SessionFacts(Path("/work"), "openai", "some-model")
    return SessionRecorder(SessionStore(folder), facts, mask or Masker(), told.append, lambda: now)


def written(folder: Path, events: list[Event]) -> SavedSession:
    session = recorder(folder, [])
    for event in events:
        session(event)
    session.close()
    return SessionStore(folder).load(session.path)


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    saved = written(tmp_path, EVENTS)
    assert saved.id.startswith("20300102-030405-")
    assert (saved.workspace, saved.model, saved.created) == (
        "/work",
        "some-model",
        "2030-01-02T03:04:05+00:00",
    )
    assert saved.messages == [USER, ASSISTANT]
    assert [message.kind for message in saved.messages] == ["request", "note"]
    assert (saved.marks, saved.calls, saved.turns, saved.answer) == (["a" * 16], 4, ["hello"], "Hi.")
    assert saved.plan == PlanUpdated(("One", "Two"), frozenset({1}))
    assert (saved.is_open, saved.answered, saved.damaged) == (False, [], 0)


def test_a_session_that_broke_off_knows_which_calls_were_answered(tmp_path: Path) -> None:
    saved = written(tmp_path, EVENTS[:-1])
    assert (saved.is_open, saved.running) == (True, None)
    assert saved.answered == [ToolResult(4, "read_file", "ok", "text")]
    saved = written(tmp_path, EVENTS[:-2])
    assert (saved.is_open, saved.running, saved.answered) == (True, 4, [])


def test_no_reply_waits_for_a_call_of_the_programs_own(tmp_path: Path) -> None:
    own = ToolStarted(4, ToolCall("run_command", {"command": "pytest"}), is_own=True)
    for events in ([own], [own, EVENTS[7]]):
        assert not written(tmp_path, [*EVENTS[:4], *events]).is_open
    assert written(tmp_path, [*EVENTS[:4], own, *EVENTS[7:]]).calls == 4


def test_an_interrupted_turn_is_saved_with_all_its_calls(project: Path, tmp_path: Path) -> None:
    def press_ctrl_c() -> str:
        """Interrupts."""
        raise KeyboardInterrupt

    session = recorder(tmp_path / "sessions", [])
    calls = "tool: list_files({})\ntool: press_ctrl_c({})\ntool: list_files({})"
    first = agent(project, [calls], session, press_ctrl_c)
    assert first.run_turn("go").status == "interrupted"
    session.close()
    saved = session.store.load(session.path)
    assert (saved.messages, saved.calls, saved.is_open) == (list(first.conversation.messages), 3, False)


def agent(folder: Path, script: list[str], sink: EventSink, tool: Callable[[], str]) -> Agent:
    workspace = Workspace(folder)
    tools = ToolRegistry(*default_tools(workspace).values(), Tool.from_function(tool, effect="read"))
    policy = PermissionPolicy(surroundings_of(folder), "all")
    runner = ToolRunner(tools, workspace, policy, Unattended())
    return Agent(ScriptedProvider(script), runner, "You are a test.", Settings("openai"), sink)


def test_another_model_is_kept(tmp_path: Path) -> None:
    assert written(tmp_path, [*EVENTS, ModelChanged("openai", "other-model")]).model == "other-model"


def test_a_replaced_conversation_is_read_as_it_is_now(tmp_path: Path) -> None:
    shorter = (Message("user", "short"),)
    saved = written(tmp_path, [*EVENTS, ConversationReplaced(shorter), MessageAdded(ASSISTANT)])
    assert saved.messages == [*shorter, ASSISTANT]
    assert saved.answered == []
    assert saved.marks == ["a" * 16]


def test_where_results_stand_in_a_message_is_kept(tmp_path: Path) -> None:
    conversation = Conversation()
    plan = Plan(("One", "Two"), frozenset({1}))
    conversation.add_results([ToolResult(1, "a", "ok", "text"), ToolResult(2, "b", "error", "no", plan=plan)])
    (message,) = conversation.messages
    for event in (MessageAdded(message), ConversationReplaced((message,))):
        (read,) = written(tmp_path / type(event).__name__, [TurnStarted("x"), event]).messages
        assert (read, read.results) == (message, message.results)


@pytest.mark.parametrize("spans", [[[0, 99]], [[3, 1]], [[-1, 1]], [[0, 2], [1, 3]], []])
def test_results_that_do_not_fit_their_message_are_a_text_like_any_other(spans: list[list[int]]) -> None:
    results = [{"name": "a", "status": "ok", "span": span} for span in spans]
    record = {"type": "message", "role": "user", "kind": "results", "content": "text", "results": results}
    saved = load_session("x", json.dumps(record).encode())
    assert [(message.content, message.results) for message in saved.messages] == [("text", ())]


def test_a_cleared_conversation_has_no_plan_and_no_answer(tmp_path: Path) -> None:
    saved = written(tmp_path, [*EVENTS, ConversationReplaced()])
    assert (saved.messages, saved.plan, saved.answer, saved.calls) == ([], None, "", 4)


JUNK = [
    b"\xff\xfe\x00",
    b"not json",
    b"[1, 2]",
    b"null",
    b'{"type": 3}',
    b'{"type": "message"}',
    b'{"type": "message", "role": "system", "content": "x"}',
    b'{"type": "message", "role": "user", "content": 3}',
    b'{"type": "message", "role": ["user"], "content": "x"}',
    b'{"type": "replaced", "messages": [[]]}',
    b'{"type": "call", "number": "x"}',
    b'{"type": "call", "number": 1e999}',
    b'{"type": "result", "number": 1, "name": "x", "status": "odd", "text": ""}',
    b'{"type": "plan", "steps": 4, "done": []}',
    b'{"type": "plan", "steps": ["x"], "done": ["y"]}',
    b'{"type": "foreign", "marks": [1]}',
    b'{"type": "session", "version": "x"}',
    b"[" * 100_000,
    b'{"type": "message", "role": "user", "content": "cut off',
]


@pytest.mark.parametrize("junk", JUNK)
def test_a_damaged_line_is_counted_and_left_out(tmp_path: Path, junk: bytes) -> None:
    written(tmp_path, EVENTS)
    (path,) = tmp_path.iterdir()
    lines = path.read_bytes().splitlines(keepends=True)
    for place in range(len(lines) + 1):
        damaged = b"".join([*lines[:place], junk + b"\n", *lines[place:]])
        saved = load_session("x", damaged)
        assert (saved.damaged, saved.messages, saved.calls) == (1, [USER, ASSISTANT], 4)


def test_a_file_cut_at_any_byte_is_read_up_to_there(tmp_path: Path) -> None:
    written(tmp_path, EVENTS)
    (path,) = tmp_path.iterdir()
    data = path.read_bytes()
    for end in range(len(data)):
        saved = load_session("x", data[:end])
        assert saved.damaged <= 1
        assert saved.messages == [USER, ASSISTANT][: len(saved.messages)]


def test_keys_are_masked_wherever_they_stand() -> None:
    key = 'key-"0123456789'
    record = {"type": "call", "arguments": {key: [key, {"x": f"a{key}b"}, 3, None]}}
    line = encode_record(record, Masker([key]))
    assert list(read_records(line)) == [
        {"type": "call", "arguments": {"[key]": ["[key]", {"x": "a[key]b"}, 3, None]}}
    ]


class Interrupting(Masker):
    """The user presses Ctrl-C while the first record is being written."""

    done = False

    def __call__(self, text: str) -> str:
        if not self.done:
            self.done = True
            signal.raise_signal(signal.SIGINT)
        return super().__call__(text)


def test_an_interrupt_is_not_lost_where_the_disk_is_full(tmp_path: Path) -> None:
    told: list[Event] = []
    session = recorder(tmp_path, told, Interrupting())
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, hard))
    try:
        with pytest.raises(KeyboardInterrupt):
            session(EVENTS[0])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGINT, before)
    session.close()
    assert session.is_lost
    assert [isinstance(event, Notice) and "not saved" in event.text for event in told] == [True]


def test_what_cannot_be_written_is_told_once_and_the_work_goes_on(tmp_path: Path) -> None:
    told: list[Event] = []
    session = recorder(tmp_path, told)
    for event in EVENTS[:2]:
        session(event)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (session.path.stat().st_size + 10, hard))
    try:
        for event in EVENTS[2:]:
            session(event)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    session(EVENTS[-1])
    session.close()
    assert [isinstance(event, Notice) and "not saved" in event.text for event in told] == [True]
    assert not session.is_saved
    saved = SessionStore(tmp_path).load(session.path)
    assert (saved.messages, saved.damaged) == ([USER], 1)


def test_a_session_is_found_by_id_beginning_and_name(tmp_path: Path) -> None:
    store = SessionStore(tmp_path)
    first, second = recorder(tmp_path, []), recorder(tmp_path, [])
    first.rename("the first")
    for session in (first, second):
        for event in EVENTS:
            session(event)
        session.close()
    assert store.find(first.id, Path("/work")) == first.path
    assert store.find(second.id[:-1], Path("/work")) == second.path
    assert store.find("the first", Path("/work")) == first.path
    assert set(store.paths(Path("/work"))) == {first.path, second.path}
    assert store.paths(Path("/elsewhere")) == []
    for word in ("2030", "the second", ""):
        with pytest.raises(SessionError):
            store.find(word, Path("/work"))


def test_a_name_goes_before_the_beginning_of_an_id(tmp_path: Path) -> None:
    store = SessionStore(tmp_path)
    sessions = [recorder(tmp_path, []) for _ in range(2)]
    for session in sessions:
        for event in EVENTS:
            session(event)
    sessions[0].rename(sessions[0].id[:4])
    sessions[1].rename(sessions[0].id)
    for session in sessions:
        session.close()
    assert store.find(sessions[0].name, Path("/work")) == sessions[0].path
    assert store.find(sessions[0].id, Path("/work")) == sessions[0].path


def test_a_session_that_cannot_be_read_hides_no_other(tmp_path: Path) -> None:
    store = SessionStore(tmp_path)
    good, newer = recorder(tmp_path, []), recorder(tmp_path, [])
    good.rename("good")
    for session in (good, newer):
        for event in EVENTS:
            session(event)
        session.close()
    newer.path.write_bytes(newer.path.read_bytes().replace(b'"version": 1', b'"version": 2'))
    (tmp_path / "broken.jsonl").write_bytes(b"\xff[" * 9)
    (tmp_path / "folder.jsonl").mkdir()
    (tmp_path / "link.jsonl").symlink_to("/nowhere")
    assert [each.id for each in store.load_all(store.paths(Path("/work")))] == [good.id]
    assert store.find("good", Path("/work")) == good.path
    with pytest.raises(SessionError, match="newer"):
        store.load(newer.path)


def test_a_session_that_is_open_cannot_be_opened_again(tmp_path: Path) -> None:
    first, second = recorder(tmp_path, []), recorder(tmp_path, [])
    for event in EVENTS:
        first(event)
    with pytest.raises(SessionError, match="open in another"):
        second.go_on(first.path)
    with pytest.raises(SessionError, match="is this one"):
        first.go_on(first.path)
    first.close()
    assert second.go_on(first.path).messages == [USER, ASSISTANT]
    second.close()
