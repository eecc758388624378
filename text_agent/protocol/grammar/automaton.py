r"""Lines in which none of some patterns occurs, as rules of a grammar.

A grammar has no way to say "anything but this". The patterns are therefore made into an automaton that
follows all of them at once, and each of its states into a rule: the characters that may follow in it, and
the state after them. Where a pattern is complete, no rule goes on.

A pattern is a small part of Python's regular expressions: characters, classes without negation, groups
`(?:...)`, `|`, `?`, `*`, `+`, and `(?i)` at its beginning. The end of a line is `\n` to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

END = "\n"
"""Ends a line, and is no part of it."""

# No text that anybody would write; some readers take them for line breaks.
_CONTROLS = "".join(map(chr, (*range(9), *range(11, 32), 127))) + "\x85\u1680\u2028\u2029\u205f\ufeff"
_TOKEN = re.compile(r"\(\?:|\\u\w{4}|\\.|\[(?:\\.|[^\]\\])*\]|.", re.DOTALL)
_ESCAPES = {r"\n": "\n", r"\t": "\t"}
# What Python takes for the same letter, besides upper and lower case.
_SAME_LETTERS = {"i": "\u0130\u0131", "k": "\u212a", "s": "\u017f"}

State = frozenset[int]


@dataclass(slots=True)
class _Network:
    """All patterns as one network of places, with steps by a character or by none."""

    steps: list[list[tuple[frozenset[str], int]]] = field(default_factory=list)
    jumps: list[list[int]] = field(default_factory=list)
    _closures: dict[State, State] = field(default_factory=dict)

    def place(self) -> int:
        """A new place."""
        self.steps.append([])
        self.jumps.append([])
        return len(self.steps) - 1

    def closure(self, places: Iterable[int]) -> State:
        """The places, and those that no character leads to from them."""
        if (begun := frozenset(places)) not in self._closures:
            self._closures[begun] = self._reached_from(begun)
        return self._closures[begun]

    def _reached_from(self, places: State) -> State:
        reached, left = set[int](), list(places)
        while left:
            if (place := left.pop()) not in reached:
                reached.add(place)
                left += self.jumps[place]
        return frozenset(reached)


class _PatternReader:
    """Adds a pattern to a network."""

    def __init__(self, network: _Network, pattern: str) -> None:
        self._network = network
        self._folds = pattern.startswith("(?i)")
        self._tokens = _TOKEN.findall(pattern.removeprefix("(?i)"))
        self._next = 0

    def read(self, start: int) -> int:
        """Adds alternatives from `start` on, up to the group's end; where they end."""
        end = self._network.place()
        self._network.jumps[self._sequence(start)].append(end)
        while self._taken("|"):
            self._network.jumps[self._sequence(start)].append(end)
        return end

    def _sequence(self, start: int) -> int:
        while self._peek() not in ("", "|", ")"):
            start = self._repeated(start)
        return start

    def _repeated(self, start: int) -> int:
        """Adds an atom with what says how often it may stand."""
        begin = self._network.place()
        self._network.jumps[start].append(begin)
        end = self._atom(begin)
        mark = self._peek()
        if mark and mark in "?*":
            self._network.jumps[begin].append(end)
        if mark and mark in "*+":
            self._network.jumps[end].append(begin)
        self._next += bool(mark and mark in "?*+")
        after = self._network.place()
        self._network.jumps[end].append(after)
        return after

    def _atom(self, start: int) -> int:
        token = self._tokens[self._next]
        self._next += 1
        if token == "(?:":
            end = self.read(start)
            self._next += 1
            return end
        end = self._network.place()
        self._network.steps[start].append((self._characters(token), end))
        return end

    def _characters(self, token: str) -> frozenset[str]:
        parts = _TOKEN.findall(token[1:-1]) if token[0] == "[" and token[1:] else [token]
        found = set[str]()
        while parts:
            first = last = _character(parts.pop(0))
            if len(parts) > 1 and parts[0] == "-":
                last = _character(parts[1])
                del parts[:2]
            found.update(map(chr, range(ord(first), ord(last) + 1)))
        return frozenset(form for one in found for form in (_forms(one) if self._folds else one))

    def _peek(self) -> str:
        return self._tokens[self._next] if self._next < len(self._tokens) else ""

    def _taken(self, token: str) -> bool:
        is_next = self._peek() == token
        self._next += is_next
        return is_next


def _character(token: str) -> str:
    return chr(int(token[2:], 16)) if token.startswith(r"\u") else _ESCAPES.get(token, token[-1])


def _forms(character: str) -> set[str]:
    lower = character.lower()
    return {character, lower, character.upper(), *_SAME_LETTERS.get(lower, "")}


class _LineAutomaton:
    """Follows patterns through a line."""

    def __init__(self, at_start: Sequence[str], anywhere: Sequence[str] = ()) -> None:
        self._network = _Network()
        first, self._again = self._network.place(), self._network.place()
        self._complete = frozenset(
            _PatternReader(self._network, pattern).read(place)
            for place, patterns in ((first, at_start), (self._again, anywhere))
            for pattern in patterns
        )
        # The states at a line's start, and behind a character that begins nothing.
        self.first = self._network.closure((first, self._again))
        self.free = self._network.closure((self._again,))

    def following(self, state: State) -> Mapping[str, State | None]:
        """The state after each character that counts in `state`; None where a pattern is complete."""
        targets: dict[str, set[int]] = {}
        for place in state:
            for characters, target in self._network.steps[place]:
                for character in characters:
                    targets.setdefault(character, set()).add(target)
        after = {one: self._network.closure((*places, self._again)) for one, places in targets.items()}
        return {one: None if reached & self._complete else reached for one, reached in after.items()}


class _RuleWriter:
    """Writes the rules of an automaton: one for each state, and one for what several states have in common.

    In most states a few characters go on with a pattern, and all others do what they always do.
    """

    def __init__(self, automaton: _LineAutomaton, name: str) -> None:
        self.rules: dict[str, str] = {}
        self._name = name
        self._automaton = automaton
        self._usual = automaton.following(automaton.free)
        self._names = {automaton.first: name}
        self._commons: dict[frozenset[str], str] = {}
        self._left = [automaton.first]
        while self._left:
            state = self._left.pop()
            self.rules[self._names[state]] = self._state(automaton.following(state))

    def _state(self, follow: Mapping[str, State | None]) -> str:
        own = {
            one: state for one, state in follow.items() if one not in self._usual or state != self._usual[one]
        }
        # What most characters do comes first: it is tried first.
        return " | ".join([self._common(frozenset(own)), *self._steps(own)])

    def _common(self, own: frozenset[str]) -> str:
        """The rule for all characters but some."""
        if own not in self._commons:
            self._commons[own] = name = f"{self._name}-{len(self._commons)}"
            usual = {one: state for one, state in self._usual.items() if one not in own}
            free = f"[^{class_text({*own, *usual, END, *_CONTROLS})}] {self._name_of(self._automaton.free)}"
            end = [] if END in own or END in usual else ['""']
            self.rules[name] = " | ".join([free, *self._steps(usual), *end])
        return self._commons[own]

    def _steps(self, follow: Mapping[str, State | None]) -> Iterator[str]:
        by_target: dict[State, set[str]] = {}
        for character, target in follow.items():
            if target is not None and character != END:
                by_target.setdefault(target, set()).add(character)
        for target, characters in by_target.items():
            yield f"[{class_text(characters)}] {self._name_of(target)}"

    def _name_of(self, state: State) -> str:
        if state not in self._names:
            self._names[state] = f"{self._name}{len(self._names)}"
            self._left.append(state)
        return self._names[state]


def line_rules(name: str, at_start: Sequence[str], anywhere: Sequence[str] = ()) -> Mapping[str, str]:
    """The rules that accept a line without its end; the first one is called `name`.

    `at_start`: patterns that must not match at a line's start. `anywhere`: patterns that must not match at
    any character of it.
    """
    return _RuleWriter(_LineAutomaton(at_start, anywhere), name).rules


def class_text(characters: Iterable[str]) -> str:
    """Characters as the inside of a class in a grammar, runs of them as ranges."""
    codes = sorted(map(ord, characters))
    runs: list[list[int]] = []
    for code in codes:
        if runs and runs[-1][1] == code - 1:
            runs[-1][1] = code
        else:
            runs.append([code, code])
    return "".join(_run_text(first, last) for first, last in runs)


def _run_text(first: int, last: int) -> str:
    if last - first < 2:
        return "".join(map(_character_text, range(first, last + 1)))
    return f"{_character_text(first)}-{_character_text(last)}"


def _character_text(code: int) -> str:
    if 32 < code < 127 and chr(code) not in '[]^-\\"':
        return chr(code)
    return f"\\x{code:02X}" if code < 256 else f"\\u{code:04X}"
