"""What slash commands work on, and how they ask the user."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from text_agent.agent.agent import Agent
from text_agent.agent.counters import ProtocolCounters
from text_agent.config.settings import ProviderName
from text_agent.events import EventSink
from text_agent.sessions.recorder import SessionRecorder
from text_agent.terminal.input.clipboard import Clipboard
from text_agent.terminal.slash.kept import Kept

Ask = Callable[[str], str]
# Shows a question and lines to choose from, and returns the index of the chosen one.
Pick = Callable[[str, Sequence[str]], int]
# Puts a model of a provider in the place of the current one; None stands for what is configured, or what the
# provider chooses. Raises `TextAgentError`: it cannot be used; the current one stays.
Switch = Callable[[ProviderName, str | None], None]


@dataclass(frozen=True, slots=True)
class ProfileSwitch:
    """Takes profiles of the user's config file."""

    # Tells them: where each leads, by name. Raises `TextAgentError`: the file cannot be read.
    known: Callable[[], Mapping[str, str]]
    # Takes one. Raises `TextAgentError`: it cannot be used; the current model stays.
    take: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Chat:
    """The parts of a chat."""

    agent: Agent
    recorder: SessionRecorder
    counters: ProtocolCounters  # what the protocol made of the replies
    kept: Kept
    clipboard: Clipboard
    tell: EventSink  # shows events
    ask: Ask | None  # asks the user a question and returns the answer; None where nobody can be asked
    pick: Pick | None  # lets the user choose one of several lines; None where nobody can be asked
    mask: Callable[[str], str]  # takes keys out of what is shown
    environment: Mapping[str, str]  # of commands that the user runs
    switch: Switch  # takes another model
    profiles: ProfileSwitch  # takes a profile of the user's
    examine: Callable[[], None]  # examines the endpoint and the model, and shows what it finds


def answer_to(question: str, ask: Ask | None) -> str | None:
    """The user's answer; None where nobody can be asked, or the question was broken off."""
    try:
        return ask(question).strip() if ask else None
    except (EOFError, KeyboardInterrupt):
        return None
