"""Notices a model that goes round in circles."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class _Seen:
    result: str
    times: int


@dataclass(slots=True)
class LoopGuard:
    """Counts how often a call gave the same result within a turn.

    It counts each call by itself, so that two calls in turns are noticed like one. A call whose result
    changes makes progress, and is counted anew; a file that gets a content which it has not had in this
    turn makes progress for all calls, so that the same tests may fail again after each new attempt. So does
    a command that succeeds with a result of its own, for it may have changed files.
    """

    _seen: dict[str, _Seen] = field(default_factory=dict)
    _contents: set[tuple[str, int]] = field(default_factory=set)

    def reset(self) -> None:
        """Forgets everything: a new turn begins."""
        self._seen.clear()
        self._contents.clear()

    def note_content(self, path: str, before: bytes | None, after: bytes) -> None:
        """Takes down that a file was changed."""
        self._contents.add((path, hash(before)))
        if (path, hash(after)) not in self._contents:
            self._contents.add((path, hash(after)))
            self._seen.clear()

    def note_command(self, name: str, arguments: Mapping[str, Any], result: str) -> None:
        """Takes down that a command succeeded."""
        self.note_content(_key(name, arguments), None, result.encode("utf-8", "surrogatepass"))

    def times(self, name: str, arguments: Mapping[str, Any]) -> int:
        """How often this call gave the result that it gave last, without another in between."""
        seen = self._seen.get(_key(name, arguments))
        return seen.times if seen else 0

    def note(self, name: str, arguments: Mapping[str, Any], result: str) -> int:
        """Takes down what a call gave; returns `times`, this one included."""
        key = _key(name, arguments)
        seen = self._seen.get(key)
        times = seen.times + 1 if seen and seen.result == result else 1
        self._seen[key] = _Seen(result, times)
        return times


def _key(name: str, arguments: Mapping[str, Any]) -> str:
    return json.dumps([name, dict(arguments)], sort_keys=True, default=str)
