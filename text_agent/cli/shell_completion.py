"""Scripts that let a shell complete the flags of `text-agent`, made from its parser."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from typing import Any

import shtab

from text_agent.cli.flags import create_parser
from text_agent.config.settings import SETTINGS
from text_agent.config.table import FILE

# Where a path is wanted.
_PATHS: Mapping[str, Any] = {
    "workspace": shtab.DIRECTORY,
    "file": shtab.FILE,
    "out": shtab.DIRECTORY,
    **{row.name: shtab.FILE for row in SETTINGS if row.kind is FILE},
}


def completion_script(shell: str) -> str:
    """The script for `shell`: bash, zsh or fish."""
    parser = create_parser(with_commands=True)
    for action in _actions(parser):
        if action.dest in _PATHS:
            action.complete = _PATHS[action.dest]  # type: ignore[attr-defined]
    return shtab.complete(parser, shell) + "\n"


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from _actions(command)
