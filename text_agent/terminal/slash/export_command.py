"""`/export`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from text_agent.agent.agent import Agent
from text_agent.files.atomic_write import write_atomically
from text_agent.files.problems import reason_of
from text_agent.sessions.recorder import SessionRecorder
from text_agent.sessions.records import Record, read_records
from text_agent.terminal.export.html import render_html
from text_agent.terminal.export.markdown import render_markdown
from text_agent.terminal.export.transcript import Transcript, read_transcript
from text_agent.text.sanitize import sanitize

Ask = Callable[[str], str]


def export(recorder: SessionRecorder, workspace: Path, agent: Agent, ask: Ask | None, argument: str) -> str:
    """Writes the session to a file, as HTML if its name ends so, else as Markdown."""
    transcript = read_transcript(recorder.id, _records(recorder, agent), agent.tools)
    if not transcript.entries:
        return "There is nothing to export yet."
    name = argument.strip() or f"text-agent-{recorder.id}.md"
    try:
        target = workspace / Path(name).expanduser()
        if target.exists() and not target.is_file():
            return f"{name} cannot be written: it is no file."
        if target.exists() and not _may_replace(ask, name):
            return f"{name} exists; nothing was written. /export FILE writes another one."
        write_atomically(target, _render(transcript, target.suffix).encode("utf-8", "replace"))
    except (OSError, ValueError, RuntimeError) as error:
        reason = reason_of(error) if isinstance(error, OSError) else "there is no such place"
        return f"{name} cannot be written: {reason}."
    return f"The session is in {name}."


def _render(transcript: Transcript, suffix: str) -> str:
    is_html = suffix.lower() in (".html", ".htm")
    return render_html(transcript) if is_html else render_markdown(transcript)


def _may_replace(ask: Ask | None, name: str) -> bool:
    if ask is None:
        return False
    try:
        return ask(sanitize(f"{name} exists. Replace it? [y]es, [n]o: ")).strip().lower() in ("y", "yes")
    except (EOFError, KeyboardInterrupt):
        return False


def _records(recorder: SessionRecorder, agent: Agent) -> Iterator[Record | None]:
    """What the session's file holds; what the conversation holds if it could not be saved."""
    data = recorder.saved()
    return _conversation(agent) if data is None else read_records(data)


def _conversation(agent: Agent) -> Iterator[Record]:
    for number, message in enumerate(agent.conversation.messages, 1):
        if message.kind == "request":
            yield {"type": "turn", "text": message.content}
        elif message.kind == "results":
            yield {
                "type": "result",
                "number": number,
                "name": "results",
                "status": "",
                "text": message.content,
            }
        else:
            yield {"type": "message", "role": message.role, "content": message.content}
