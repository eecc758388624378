"""`/export`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from text_agent.agent.agent import Agent
from text_agent.files.atomic_write import write_atomically
from text_agent.files.problems import reason_of
from text_agent.sessions.records import Record, read_records
from text_agent.terminal.export.html import render_html
from text_agent.terminal.export.markdown import render_markdown
from text_agent.terminal.export.transcript import Transcript, read_transcript
from text_agent.terminal.slash.chat import Chat, answer_to


def export(chat: Chat, argument: str) -> str:
    """Writes the session to a file, as HTML if its name ends so, else as Markdown."""
    transcript = read_transcript(chat.recorder.id, _records(chat), chat.agent.tools)
    if not transcript.entries:
        return "There is nothing to export yet."
    name = argument.strip() or f"text-agent-{chat.recorder.id}.md"
    try:
        target = chat.agent.workspace.root / Path(name).expanduser()
        if target.exists() and not target.is_file():
            return f"{name} cannot be written: it is no file."
        if target.exists() and not _may_replace(chat, name):
            return f"{name} exists; nothing was written. /export FILE writes another one."
        write_atomically(target, _render(transcript, target.suffix).encode("utf-8", "replace"))
    except (OSError, ValueError, RuntimeError) as error:
        reason = reason_of(error) if isinstance(error, OSError) else "there is no such place"
        return f"{name} cannot be written: {reason}."
    return f"The session is in {name}."


def _render(transcript: Transcript, suffix: str) -> str:
    is_html = suffix.lower() in (".html", ".htm")
    return render_html(transcript) if is_html else render_markdown(transcript)


def _may_replace(chat: Chat, name: str) -> bool:
    answer = answer_to(f"{name} exists. Replace it? [y]es, [n]o: ", chat.ask)
    return answer is not None and answer.lower() in ("y", "yes")


def _records(chat: Chat) -> Iterator[Record | None]:
    """What the session's file holds; what the conversation holds if it could not be saved."""
    data = chat.recorder.saved()
    return _conversation(chat.agent) if data is None else read_records(data)


def _conversation(agent: Agent) -> Iterator[Record]:
    for number, message in enumerate(agent.conversation.messages, 1):
        text = message.content
        if message.kind == "request":
            yield {"type": "turn", "text": text}
        elif message.kind == "results":
            yield {"type": "result", "number": number, "name": "results", "status": "", "text": text}
        else:
            yield {"type": "message", "role": message.role, "content": text}
