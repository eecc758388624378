"""Notices a model that goes round in circles."""

from __future__ import annotations

from dataclasses import dataclass, field

from text_agent.agent.call_keys import CallKeys
from text_agent.config.limits import MAX_REPEATED_REFUSALS, MAX_REPEATS
from text_agent.files.workspace import FileChange
from text_agent.lazy_regex import late_pattern
from text_agent.permissions.policy import Effect
from text_agent.protocol.types import ResultStatus

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

        Args:
            keys: the call's.
            effect: its tool's; None if there is no such tool.
            status: its result's.
            text: its result's.

        Returns:
            Whether the model should be told that it repeats itself.
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
