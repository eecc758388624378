"""Writes the manual page, `.env.example` and the table of settings in docs/settings.md: `make manual`."""

from __future__ import annotations

import argparse
import re
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path

from text_agent.cli.flags import EXAMPLES, EXIT_CODES, USAGE, create_parser
from text_agent.config.settings import SETTINGS, VARIABLES
from text_agent.config.table import Row
from text_agent.terminal.slash.slash_commands import COMMANDS, KEYS

_ROOT = Path(__file__).parents[1]
PAGE = _ROOT / "docs/text-agent.1"
EXAMPLE = _ROOT / ".env.example"
SETTINGS_PAGE = Path(__file__).with_name("settings.md")
_WIDTH = 110
_BEGIN, _END = "<!-- settings: make manual -->\n", "<!-- end of settings -->"
_EXAMPLE_HEAD = """\
# Settings of text-agent. Copy this file to .env in the folder that you work in, and take the # away where you
# need a line. What is to hold for you everywhere is set by text-agent config.
#
# Order: a flag wins over the environment, that over .env, that over your config file. An empty value is an
# unset one. The .env of a folder may come from somebody else: what it says counts after you have agreed to
# it, once in the chat for each value, unless it is said below that it may or must not stand there.
"""
_IN_PROJECT = {
    "never": "It must not stand in a folder's .env.",
    "free": "A folder's .env may set it.",
    "asked": "",
}
_FILES = {
    ".env": "settings of the folder",
    "~/.config/text-agent/config.toml": "settings of the user (macOS: in ~/Library/Application Support), "
    "written by text-agent config; config.env beside it, of NAME=value lines, is weaker",
    ".text-agent-ignore": "files of the folder that are secret, written as a .gitignore is",
    "AGENTS.md": "notes for agents; else CLAUDE.md, AGENT.md or .cursorrules",
    "~/.local/share/text-agent": "sessions, the history of the prompt, and what /undo brings back",
}


def render_manual() -> str:
    """The page, in the language of man."""
    parser = create_parser(with_commands=True)
    lines = [
        ".TH TEXT-AGENT 1",
        ".SH NAME",
        f"text-agent \\- {_escaped(_as_phrase(parser.description or ''))}",
        ".SH SYNOPSIS",
        ".nf",
        *map(_escaped, USAGE),
        ".fi",
        ".SH DESCRIPTION",
        "Without \\fB-p\\fR a chat begins in the terminal, with \\fIPROMPT\\fR if there is one.",
        *_options(parser),
        *_table("COMMANDS", _commands(parser)),
        *_table("IN THE CHAT", ((name, command.help) for name, command in COMMANDS.items())),
        *_table("KEYS", KEYS.items()),
        *_table("EXIT STATUS", _columns(EXIT_CODES)),
        *_table("ENVIRONMENT", VARIABLES.items()),
        *_table("FILES", _FILES.items()),
        *_table("EXAMPLES", _columns(EXAMPLES)),
    ]
    return "\n".join(lines) + "\n"


def _as_phrase(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:].rstrip(".")


def _options(parser: argparse.ArgumentParser) -> Iterator[str]:
    yield ".SH OPTIONS"
    for group in parser._action_groups:
        options = [action for action in group._group_actions if action.option_strings]
        if options and group.title != "options":
            yield f".SS {_escaped(group.title or '')}"
        for action in options:
            help_text = (action.help or "") % {**vars(action), "prog": parser.prog}
            yield f".TP\n{_flags(action)}\n{_escaped(help_text)}"


def _flags(action: argparse.Action) -> str:
    value = action.metavar or ("|".join(map(str, action.choices)) if action.choices else "")
    shown = f" \\fI{_escaped(str(value))}\\fR" if value and action.nargs != 0 else ""
    if action.nargs == "?":
        shown = f" [{shown.strip()}]"
    return ", ".join(f"\\fB{_escaped(flag)}\\fR{shown}" for flag in action.option_strings)


def _commands(parser: argparse.ArgumentParser) -> Iterator[tuple[str, str]]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for choice in action._choices_actions:
                yield choice.dest, choice.help or ""


def _columns(text: str) -> Iterator[tuple[str, str]]:
    """The rows of a text in two columns, of which the second may go on in the next line."""
    for line in re.sub(r"\n {4,}", " ", text).splitlines():
        name, *rest = re.split(r" {2,}", line.strip(), maxsplit=1)
        yield name, "".join(rest)


def _table(title: str, rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    yield f".SH {title}"
    for name, text in rows:
        yield f".TP\n\\fB{_escaped(name)}\\fR\n{_escaped(text)}".rstrip()


def _escaped(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^(?=[.'])", r"\\&", text)


def render_example() -> str:
    """A file of settings to copy: each with what it is, and a value."""
    return "\n".join([_EXAMPLE_HEAD, *map(_example, SETTINGS)])


def _example(row: Row) -> str:
    words = f"{row.help[:1].upper()}{row.help[1:]}. {row.details} {_IN_PROJECT[row.project]}"
    comment = textwrap.wrap(" ".join(words.split()), _WIDTH - 2)
    return "".join(
        f"# {line}\n" for line in [*comment, *(f"{name}={row.example}" for name in row.variables())]
    )


def render_settings_page() -> str:
    """The page about settings, with their table as it is now."""
    before, _, rest = SETTINGS_PAGE.read_text(encoding="utf-8").partition(_BEGIN)
    rows = (f"| {_names(row)} | {row.help.replace('|', chr(92) + '|')} |\n" for row in SETTINGS)
    table = "".join(["| flag, variable | |\n|---|---|\n", *rows])
    return f"{before}{_BEGIN}{table}{_END}{rest.partition(_END)[2]}"


def _names(row: Row) -> str:
    names = [row.option] if row.option else []
    if row.is_bare:
        names.append(row.option.replace("--", "--no-", 1))
    value = row.metavar or "\\|".join(row.kind.choices)
    if names and value and not row.is_bare:
        names[0] += f" {value}"
    return ", ".join(f"`{name}`" for name in [*names, *row.variables()])


if __name__ == "__main__":
    PAGE.write_text(render_manual(), encoding="utf-8")
    EXAMPLE.write_text(render_example(), encoding="utf-8")
    SETTINGS_PAGE.write_text(render_settings_page(), encoding="utf-8")
