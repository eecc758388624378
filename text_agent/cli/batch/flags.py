"""The flags that a task of many may have, read and written."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import NoReturn

from text_agent.cli.flags import OF_TASKS, WORKSPACE, Parser, add_flags
from text_agent.errors import ConfigError


class _StrictParser(Parser):
    """A parser that raises its errors."""

    def error(self, message: str) -> NoReturn:
        raise ConfigError(message)


def _task_parser() -> _StrictParser:
    parser = _StrictParser(prog="text-agent -p", add_help=False, allow_abbrev=False)
    add_flags(parser, OF_TASKS, without=(WORKSPACE,))
    return parser


def read_task_flags(flags: Iterable[str]) -> argparse.Namespace:
    """Reads the flags of a task of many. Raises `ConfigError` for one that it cannot have."""
    arguments: argparse.Namespace = _task_parser().parse_args([*flags])
    return arguments


def write_task_flags(arguments: argparse.Namespace) -> list[str]:
    """Returns those of the flags that a task of many may have, as `read_task_flags` takes them."""
    return [
        word
        for action in _task_parser()._actions
        if (value := getattr(arguments, action.dest)) != action.default
        for word in _words(action, value)
    ]


def _words(action: argparse.Action, value: object) -> list[str]:
    name = action.option_strings[-1]
    if isinstance(action, argparse.BooleanOptionalAction):
        return [each for each in action.option_strings if each.startswith("--no-") != value]
    if action.nargs == 0:
        return [name]
    return [f"{name}={each}" for each in (value if isinstance(value, list) else [value])]
