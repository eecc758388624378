"""Going on with a saved session."""

from __future__ import annotations

from pathlib import Path

from text_agent.agent.agent import Agent
from text_agent.events import EventSink, Notice
from text_agent.protocol.reading.parser import parse_reply
from text_agent.protocol.templates import fill_template
from text_agent.protocol.types import ToolResult
from text_agent.sessions.recorder import SessionRecorder
from text_agent.sessions.saved import SavedSession


def resume_session(
    agent: Agent, recorder: SessionRecorder, path: Path, workspace: Path, tell: EventSink
) -> SavedSession:
    """Goes on with the session in `path`: the agent with its conversation, the recorder with its file.

    Raises `SessionError`: it cannot be used; everything is as it was.
    """
    saved = recorder.go_on(path)
    if saved.damaged:
        lines = "a damaged line" if saved.damaged == 1 else f"{saved.damaged} damaged lines"
        tell(Notice(f"The session {saved.id} has {lines}: what stood there is left out."))
    if saved.workspace not in ("", str(workspace)):
        tell(Notice(f"The session {saved.id} was made in {saved.workspace}; it goes on in {workspace}."))
    if saved.plan:
        tell(saved.plan)
    _give(agent, saved)
    return saved


def _give(agent: Agent, session: SavedSession) -> None:
    """Gives the agent the conversation; calls that a broken-off session left without a result get one."""
    results = _unsent_results(agent, session)
    calls = results[-1].number if results else session.calls
    agent.resume(session.messages, session.marks, calls)
    if results:
        agent.conversation.add_results(results, fill_template("broken_off"))


def _unsent_results(agent: Agent, session: SavedSession) -> list[ToolResult]:
    """The results that the last reply waits for; empty unless its calls were being run."""
    if not session.is_open:
        return []
    results = list(session.answered)
    calls = parse_reply(session.messages[-1].content, agent.tools).calls
    first = session.calls - len(results) + 1
    for number, call in enumerate(calls[len(results) :], first + len(results)):
        was_running = number == session.running
        text = fill_template("broken_off_running" if was_running else "broken_off_waiting")
        results.append(ToolResult(number, call.name or "call", "error" if was_running else "not run", text))
    return results
