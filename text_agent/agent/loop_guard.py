"""Notices a model that goes round in circles: what makes two calls the same, however they are spelled."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from text_agent.agent.actions import spelled
from text_agent.config.limits import MAX_REPEATED_REFUSALS, MAX_REPEATS
from text_agent.errors import ArgumentError
from text_agent.files.workspace import FileChange, Workspace
from text_agent.lazy_regex import late_pattern
from text_agent.permissions.command_lines.lines import parse_line
from text_agent.permissions.command_lines.words import UnreadableLineError
from text_agent.permissions.policy import Effect
from text_agent.protocol.binding.bind import bind_arguments
from text_agent.protocol.types import ResultStatus
from text_agent.tools.tool import Tool

# What small models vary when they try the same once more.
_TRIFLES = late_pattern(r"[\s'\"`\\]+")


@dataclass(frozen=True, slots=True)
class CallKeys:
    """A call, apart from its spelling."""

    # Equal for calls that mean the same for certain: defaults, paths and the blanks and quotes of a plain
    # command are spelled in one way.
    exact: str
    # Equal for calls that differ in blanks, quotes and numbers, too: a sign that a model turns in circles,
    # but no reason not to run one.
    near: str


def keys_of(name: str, arguments: Mapping[str, Any], tool: Tool | None, workspace: Workspace) -> CallKeys:
    """The keys of a call.

    `name`: the tool's, or what the model took for one. `tool`: None if there is none of this name.
    """
    bound = _bound(arguments, tool)
    spelling = _spelling(tool)
    spelled = {
        key: spelling[key](value, workspace) if key in spelling and isinstance(value, str) else value
        for key, value in bound.items()
    }
    near = {key: _without_trifles(value) for key, value in spelled.items()}
    return CallKeys(_key(name, spelled), f"near {_key(name, near)}")


def _bound(arguments: Mapping[str, Any], tool: Tool | None) -> Mapping[str, Any]:
    if tool is None:
        return arguments
    defaults = {name: schema["default"] for name, schema in tool.properties.items() if "default" in schema}
    try:
        return {**defaults, **bind_arguments(arguments, tool)}
    except ArgumentError:
        return arguments


def _spelling(tool: Tool | None) -> Mapping[str, Callable[[str, Workspace], Any]]:
    """How the values of some parameters are spelled in one way."""
    if tool is None:
        return {}
    declared = tool.declaration
    return {**dict.fromkeys(declared.paths or (), spelled), declared.command: _command}


def _command(command: str, _: Workspace) -> str | list[tuple[str, int]]:
    """The words of a plain command; any other one as it is, for blanks may count in it."""
    try:
        line = parse_line(command)
    except UnreadableLineError:
        return command
    return [(word.text, word.glob) for word in line.commands[0].words] if line.plain else command.strip()


def _without_trifles(value: Any) -> Any:
    if isinstance(value, str):
        return _TRIFLES.sub("", value)
    return None if isinstance(value, int | float) and not isinstance(value, bool) else value


def _key(name: str, arguments: Mapping[str, Any]) -> str:
    return json.dumps([name, dict(arguments)], sort_keys=True, default=str)


# How long a test run took: no two runs take the same time, and nothing else may have changed.
_DURATION = late_pattern(r"\bin \d+\.\d+ ?s\b")


@dataclass(slots=True)
class _Seen:
    result: int
    times: int = 0


@dataclass(slots=True)
class LoopGuard:
    """Counts how often a call gave the same result within a turn.

    It counts each call by itself, so that several calls in turns are noticed like one. A call whose result
    changes makes progress, and so do all others with it: what they look at may have changed, too. The same
    holds for a file that gets a content which it has not had in this turn, so that the same tests may fail
    again after each new attempt; and for a command that succeeds with a result of its own.
    """

    _seen: dict[str, _Seen] = field(default_factory=dict)
    _results: dict[str, set[int]] = field(default_factory=dict)
    _contents: set[tuple[str, int]] = field(default_factory=set)
    _circling: int = 0
    _is_counted: bool = False

    @property
    def is_circling(self) -> bool:
        """Whether the model has been told often enough, and goes on all the same."""
        return self._circling >= MAX_REPEATED_REFUSALS

    def reset(self) -> None:
        """Forgets everything: a new turn begins."""
        self.forgive()
        self._contents.clear()
        self._circling = 0

    def forgive(self) -> None:
        """Lets every call be made again: the model does not see the results any more."""
        self._seen.clear()
        self._results.clear()

    def begin_reply(self) -> None:
        """A reply that makes the same call many times at once has not been told yet: it counts once."""
        self._is_counted = False

    def note_content(self, change: FileChange) -> None:
        """Takes down that a file was changed."""
        path, before, after = change.path, hash(change.before), hash(change.after)
        self._contents.add((path, before))
        if (path, after) not in self._contents:
            self._contents.add((path, after))
            self._seen.clear()

    def refuses(self, keys: CallKeys) -> bool:
        """Whether a call would be in vain; one that is refused counts as a turn of the circle."""
        seen = self._seen.get(keys.exact)
        is_in_vain = seen is not None and seen.times >= MAX_REPEATS
        self._count_circle(is_in_vain)
        return is_in_vain

    def note(self, keys: CallKeys, effect: Effect | None, status: ResultStatus, text: str) -> bool:
        """Takes down what a call gave.

        `effect`: its tool's; None if there is no such tool. Returns whether the model should be told that it
        repeats itself.
        """
        result = hash(_DURATION.sub("in s", text) if effect == "execute" else text)
        done = status == "ok"
        if self._is_new(keys, result):
            if keys.near in self._seen or (effect == "execute" and done):
                self._seen.clear()
            self._circling *= not done
        times = max(self._count(key, result) for key in (keys.exact, keys.near))
        self._count_circle(times > MAX_REPEATS)
        return times >= MAX_REPEATS

    def _count_circle(self, is_one: bool) -> None:
        self._circling += is_one and not self._is_counted
        self._is_counted |= is_one

    def _is_new(self, keys: CallKeys, result: int) -> bool:
        """Whether a call, or one that is nearly the same, has not given this result before."""
        results = self._results.setdefault(keys.near, set())
        is_new = result not in results
        results.add(result)
        return is_new

    def _count(self, key: str, result: int) -> int:
        seen = self._seen.get(key)
        if seen is None or seen.result != result:
            seen = self._seen[key] = _Seen(result)
        seen.times += 1
        return seen.times
