"""The chat's own commands: one table, each with its help."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import get_args

from text_agent.config.permission_mode import PermissionMode
from text_agent.config.settings import ProviderName
from text_agent.errors import TextAgentError
from text_agent.protocol.signatures import render_signature
from text_agent.protocol.templates import fill_template
from text_agent.terminal.slash.chat import Chat
from text_agent.terminal.slash.export_command import export
from text_agent.terminal.slash.model_commands import switch_model, switch_profile, switch_provider
from text_agent.terminal.slash.session_commands import copy_answer, list_sessions, resume, save
from text_agent.terminal.slash.undo_commands import run_undo, show_diff


@dataclass(frozen=True, slots=True)
class SlashCommand:
    """A command that the user types at the prompt.

    `run` gets what follows the command's name; it returns what is shown, or None to leave the chat.
    """

    help: str
    run: Callable[[Chat, str], str | None]
    gives_diff: bool = False  # what `run` returns is a diff
    gives_turn: bool = False  # what `run` returns is not shown, but asked of the model
    choices: tuple[str, ...] = ()  # words that may follow its name
    takes_model: bool = False  # the name of a model may follow its name
    is_slow: bool = False  # it asks nothing, and takes its time
    is_listed: bool = True  # /help has a row for it; all of them fit a screen


KEYS: Mapping[str, str] = {
    "@PATH": "attaches a file or a folder to your message",
    "!COMMAND": "runs a command of your own, and shows it to the model",
    "!!COMMAND": "runs one, and shows it only to you",
    "Tab": "completes commands, and paths behind @",
    "Ctrl-R": "searches what you typed earlier",
    "Enter": "sends; while something runs, what you type waits for its end",
    "Alt-Enter": "begins a new line; so does Enter behind a \\",
    "Ctrl-X Ctrl-E": "opens your editor (vi: Esc v); what it saves is sent",
    "Esc, Ctrl-C": "stops a turn, a !COMMAND, /compact or /doctor",
    "Ctrl-C": "takes back what is typed at the prompt",
    "Ctrl-D": "leaves",
}
_MEANINGS: Mapping[PermissionMode, str] = {
    "read-only": "the model may look, and change nothing",
    "ask": "changes of files are asked about, and commands that do more than read",
    "edits": "changes of files run without asking, commands that do more than read are asked about",
    "all": "everything runs without asking, but for what may be lost for good, secrets, and lasting power",
}
_FORGET = "forget"
# Characters of a line, and where what a command does begins in it.
_WIDTH, _COLUMN = 79, 16


def _help(_chat: Chat, argument: str) -> str:
    if argument.strip().lower() == "keys":
        return "\n".join(_row(key, text) for key, text in KEYS.items())
    commands = (_row(name, command.help) for name, command in COMMANDS.items() if command.is_listed)
    return "\n".join(["Type what you want done. Keys: /help keys. Commands:", *commands])


def _row(name: str, text: str) -> str:
    lead = f"  {name}".ljust(_COLUMN)
    return textwrap.fill(text, _WIDTH, initial_indent=lead, subsequent_indent=" " * _COLUMN)


def _clear(chat: Chat, _argument: str) -> str:
    chat.agent.clear()
    chat.kept.clear()
    return "The conversation starts anew."


def _tools(chat: Chat, _argument: str) -> str:
    return "\n".join(f"  {render_signature(tool)}" for tool in chat.agent.tools.values())


def _protocol(chat: Chat, _argument: str) -> str:
    counters = chat.counters
    lines = [
        f"  replies: {counters.replies}",
        f"  calls: {counters.calls}, repaired: {counters.repaired}",
        *(f"  refused, {reason}: {count}" for reason, count in counters.refused.most_common()),
        *(f"  not run, {reason}: {count}" for reason, count in counters.quotations.most_common()),
    ]
    if counters.invented:
        lines.append(f"  invented results cut: {counters.invented}")
    return "\n".join(lines)


def _set_permissions(chat: Chat, argument: str) -> str:
    """Changes the mode if `argument` names one, or forgets what was allowed; says how things stand."""
    policy, word = chat.agent.policy, argument.strip().lower()
    mode = next((mode for mode in _MEANINGS if mode == word), policy.mode)
    if word == _FORGET:
        policy.forget()
    elif word and mode != word:
        return f"There is no mode {word!r}. Choose {', '.join(_MEANINGS)} or {_FORGET}."
    policy.mode = mode
    allowed = (f"  allowed, {line}" for line in policy.approvals())
    return "\n".join([f"Mode {mode}: {_MEANINGS[mode]}.", *allowed])


def _compact(chat: Chat, _argument: str) -> str:
    try:
        return chat.agent.compact()
    except TextAgentError as error:
        return f"No summary was made: {error}" + (f"\n{error.hint}" if error.hint else "")
    except KeyboardInterrupt:
        return "Interrupted; the conversation is as it was."


def _usage(chat: Chat, _argument: str) -> str:
    ledger, context = chat.agent.ledger, chat.agent.context
    return "\n".join(
        [
            f"  last turn: {ledger.line(ledger.turn)}",
            f"  session:   {ledger.line(ledger.session)}",
            f"  context:   about {context.tokens:,} of {context.limit:,} tokens ({context.percent} %)",
            *(f"  limit:     {limit}" for limit in ledger.limits),
        ]
    )


def _init(_chat: Chat, argument: str) -> str:
    return "\n\n".join(filter(None, [fill_template("init"), argument.strip()]))


def _doctor(chat: Chat, _argument: str) -> str:
    chat.examine()
    return "The conversation is as it was."


COMMANDS: Mapping[str, SlashCommand] = {
    "/help": SlashCommand(
        "shows the commands; /help keys the keys", _help, choices=("keys",), is_listed=False
    ),
    "/model": SlashCommand(
        "takes another model: /model NAME, or choose; /provider an API", switch_model, takes_model=True
    ),
    "/provider": SlashCommand(
        "the same for the provider: /provider NAME, or NAME MODEL",
        switch_provider,
        choices=get_args(ProviderName),
        is_listed=False,
    ),
    "/profile": SlashCommand("takes a profile of your config file: /profile NAME, or choose", switch_profile),
    "/doctor": SlashCommand(
        "tries the endpoint and the model with a few small prompts", _doctor, is_slow=True
    ),
    "/clear": SlashCommand("forgets the conversation", _clear),
    "/plan": SlashCommand("shows the model's plan", lambda chat, _: chat.kept.plan()),
    "/show": SlashCommand(
        "shows all of the last call's result; /show 3 of call #3",
        lambda chat, argument: chat.kept.result(argument),
    ),
    "/tools": SlashCommand("lists the tools that the model may call", _tools),
    "/system": SlashCommand("shows the system prompt", lambda chat, _: chat.agent.system_prompt),
    "/init": SlashCommand("lets the model write AGENTS.md, the project's notes", _init, gives_turn=True),
    "/diff": SlashCommand("shows all changes of files in this session", show_diff, gives_diff=True),
    "/undo": SlashCommand(
        "takes back the last change of files; /undo 3, /undo all", run_undo, choices=("all",)
    ),
    "/permissions": SlashCommand(
        "what runs unasked: read-only, ask, edits, all; or forget",
        _set_permissions,
        choices=(*_MEANINGS, _FORGET),
    ),
    "/compact": SlashCommand(
        "lets the model summarise the conversation, to save room", _compact, is_slow=True
    ),
    "/usage": SlashCommand("shows tokens, cost, and how full the model's context is", _usage),
    "/protocol": SlashCommand("counts what was understood, repaired and refused", _protocol),
    "/save": SlashCommand("gives this session a name; every session is saved by itself", save),
    "/sessions": SlashCommand("lists the saved sessions of this folder", list_sessions),
    "/resume": SlashCommand("goes on with another session; /resume ID, or choose", resume),
    "/export": SlashCommand("writes the session as Markdown, or as HTML; /export FILE.html", export),
    "/copy": SlashCommand("copies the last answer to the clipboard", copy_answer),
    "/exit": SlashCommand("leaves", lambda _chat, _argument: None),
}


def find_command(word: str) -> SlashCommand | str:
    """The command that `word` names, or a sentence that says there is none and what is near it."""
    command = COMMANDS.get(word.lower())
    if command:
        return command
    near = get_close_matches(word.lower(), COMMANDS, n=1)
    return f"There is no command {word}. " + (f"Did you mean {near[0]}?" if near else "See /help.")
