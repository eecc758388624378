"""Grammars in llama.cpp's notation (GBNF): does one accept a text, and which texts does it accept?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\[(?:\\.|[^\]\\])*\]|[\w-]+|\S')
_CHARACTER = re.compile(r"\\x(\w\w)|\\u(\w{4})|\\(.)|(.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
# Where a class takes nearly everything, letters that mean something to a parser say more than any others.
_TELLING = "tol:<>`{}[]()\"' \t.=-*#/|_aé中\\0"


@dataclass(frozen=True, eq=False)
class Characters:
    """One character of a class."""

    ranges: tuple[tuple[int, int], ...]
    negated: bool

    def holds(self, character: str) -> bool:
        code = ord(character)
        return any(first <= code <= last for first, last in self.ranges) != self.negated

    def draw(self, random: Random) -> str:
        if self.negated:
            return random.choice([one for one in _TELLING if self.holds(one)])
        return chr(random.randint(*random.choice(self.ranges)))


Symbol = Characters | str  # a string names a rule
Sequence = tuple[Symbol, ...]
Stack = tuple[Symbol, "Stack"] | None


class Grammar:
    """A grammar, from its text."""

    def __init__(self, text: str) -> None:
        self._rules: dict[str, list[Sequence]] = {}
        for line in text.splitlines():
            name, _, body = line.partition(" ::= ")
            tokens = _TOKEN.findall(body)
            self._rules[name] = self._alternatives(tokens, name)
            assert not tokens, (name, tokens)
        used = {
            s for rule in self._rules.values() for sequence in rule for s in sequence if isinstance(s, str)
        }
        assert used <= self._rules.keys(), used - self._rules.keys()
        self._depths = self._shortest_depths()

    def accepts(self, text: str) -> bool:
        """Whether the grammar accepts the whole text."""
        return None in self._after(text)

    def accepts_beginning(self, text: str) -> bool:
        """Whether a text that the grammar accepts may begin so."""
        return bool(self._after(text))

    def _after(self, text: str) -> set[Stack]:
        """What may follow a text: nothing more, or what a stack says."""
        stacks = self._open(("root", None))
        for character in text:
            stacks = {
                stack
                for top, below in filter(None, stacks)
                if isinstance(top, Characters) and top.holds(character)
                for stack in self._open(below)
            }
        return stacks

    def sample(self, random: Random, *, length: int) -> tuple[str, Counter[str]]:
        """A text that the grammar accepts, and how often each rule is used in it.

        Beyond so many characters it ends as soon as it can.
        """
        text: list[str] = []
        used = Counter[str]()
        left: Stack = ("root", None)
        while left:
            top, left = left
            if isinstance(top, Characters):
                text.append(top.draw(random))
                continue
            used[top] += 1
            rule = self._rules[top]
            if len(text) > length:
                rule = [min(rule, key=self._depth)]
            for symbol in reversed(random.choice(rule)):
                left = (symbol, left)
        return "".join(text), used

    def _open(self, stack: Stack) -> set[Stack]:
        """The stacks with a character at their top that a stack stands for."""
        opened, seen, left = set[Stack](), {stack}, [stack]
        while left:
            stack = left.pop()
            if stack is None or isinstance(stack[0], Characters):
                opened.add(stack)
                continue
            for sequence in self._rules[stack[0]]:
                below = stack[1]
                for symbol in reversed(sequence):
                    below = (symbol, below)
                if below not in seen:
                    seen.add(below)
                    left.append(below)
        return opened

    def _alternatives(self, tokens: list[str], name: str) -> list[Sequence]:
        found = [self._sequence(tokens, name)]
        while tokens and tokens[0] == "|":
            tokens.pop(0)
            found.append(self._sequence(tokens, name))
        return found

    def _sequence(self, tokens: list[str], name: str) -> Sequence:
        symbols: list[Symbol] = []
        while tokens and tokens[0] not in "|)":
            atom = self._atom(tokens, name)
            mark = tokens.pop(0) if tokens and tokens[0] in "?*+" else ""
            symbols += [self._repeated(atom, mark, name)] if mark else atom
        return tuple(symbols)

    def _repeated(self, atom: Sequence, mark: str, name: str) -> str:
        rule = f"{name}/{len(self._rules)}"
        self._rules[rule] = []
        again = () if mark == "?" else (rule,)
        self._rules[rule] = [(*atom, *again), atom if mark == "+" else ()]
        return rule

    def _atom(self, tokens: list[str], name: str) -> Sequence:
        token = tokens.pop(0)
        if token == "(":
            rule = f"{name}/{len(self._rules)}"
            self._rules[rule] = []
            self._rules[rule] = self._alternatives(tokens, name)
            assert tokens.pop(0) == ")"
            return (rule,)
        if token[0] == '"':
            return tuple(Characters(((ord(one), ord(one)),), False) for one in _characters(token[1:-1]))
        if token[0] == "[":
            return (_character_class(token[1:-1]),)
        assert re.fullmatch(r"[a-z][\w-]*", token), token
        return (token,)

    def _depth(self, sequence: Sequence) -> int:
        return sum(self._depths[symbol] if isinstance(symbol, str) else 1 for symbol in sequence)

    def _shortest_depths(self) -> dict[str, int]:
        """How many characters each rule takes at least."""
        self._depths = dict.fromkeys(self._rules, 10**6)
        while True:
            found = {name: min(map(self._depth, rule)) for name, rule in self._rules.items()}
            if found == self._depths:
                return found
            self._depths = found


def _characters(text: str) -> Iterator[str]:
    for match in _CHARACTER.finditer(text):
        code = match[1] or match[2]
        yield chr(int(code, 16)) if code else _ESCAPES.get(match[3], match[3]) if match[3] else match[4]


def _character_class(text: str) -> Characters:
    negated = text.startswith("^")
    parts = [match.group() for match in _CHARACTER.finditer(text.removeprefix("^"))]
    ranges: list[tuple[int, int]] = []
    while parts:
        first = last = ord(next(_characters(parts.pop(0))))
        if len(parts) > 1 and parts[0] == "-":
            last = ord(next(_characters(parts[1])))
            del parts[:2]
        ranges.append((first, last))
    return Characters(tuple(ranges), negated)
