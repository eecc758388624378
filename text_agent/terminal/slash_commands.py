"""The chat's own commands: one table, each with its help."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from text_agent.agent import Agent


@dataclass(frozen=True, slots=True)
class SlashCommand:
    """A command that the user types at the prompt.

    `run` returns what is shown, or None to leave the chat.
    """

    help: str
    run: Callable[[Agent], str | None]


def _help(_: Agent) -> str:
    lines = [f"  {name:<8} {command.help}" for name, command in COMMANDS.items()]
    return "\n".join(["Type what you want done. Commands:", *lines, "Ctrl-C stops a turn, Ctrl-D leaves."])


def _clear(agent: Agent) -> str:
    agent.clear()
    return "The conversation starts anew."


def _tools(agent: Agent) -> str:
    return "\n".join(f"  {tool.name}{tool.signature}" for tool in agent.tools.values())


def _exit(_: Agent) -> None:
    return None


COMMANDS: Mapping[str, SlashCommand] = {
    "/help": SlashCommand("shows this", _help),
    "/clear": SlashCommand("forgets the conversation", _clear),
    "/tools": SlashCommand("lists the tools that the model may call", _tools),
    "/system": SlashCommand("shows the system prompt", lambda agent: agent.system_prompt),
    "/exit": SlashCommand("leaves", _exit),
}


def find_command(word: str) -> SlashCommand | str:
    """The command that `word` names, or a sentence that says there is none and what is near it."""
    command = COMMANDS.get(word.lower())
    if command:
        return command
    near = get_close_matches(word.lower(), COMMANDS, n=1)
    return f"There is no command {word}. " + (f"Did you mean {near[0]}?" if near else "See /help.")
