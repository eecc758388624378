"""The echo guard: a call that a model repeats from a text it was shown is a quotation.

A file or a command's output may hold a line that reads as a call. A model that quotes it does not mean
it; a model that obeys it was misled. Either way the call came from outside, so it is recognised here.
"""

from __future__ import annotations

import json
import re
from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any, Protocol

from text_agent.lazy_regex import late_pattern
from text_agent.protocol.binding.aliases import resolve_tool_name
from text_agent.protocol.binding.bind import name_arguments
from text_agent.protocol.guard.neutralising import map_strings, neutralise, restore, restore_strings
from text_agent.protocol.reading.scanning import Scan, scan
from text_agent.protocol.tool import ToolDescription, ToolDescriptions
from text_agent.protocol.types import EDIT_NOTATION, ToolCall

# Calls that are remembered, two marks each: about 20 MB at most. The oldest go first.
MAX_MARKS = 200_000
# How much of a text and of the next one is read together: a call may be read in two parts.
_SEAM_CHARS = 1500
# The numbers that stand before the lines of a file, and a note in brackets below a part of one.
_NUMBER = late_pattern(r"^\d+\| ", re.MULTILINE)
_NOTE = late_pattern(r"(?:\n\[[^\n]*\])+\s*\Z")
_NO_DEFAULT = object()


class EffectReader(Protocol):
    """Says what calls would do: texts that are equal for calls that do the same.

    The arguments come under the names of the tool's parameters; those that equal a default are left out.
    """

    def has_effect(self, name: str) -> bool:
        """Whether calls of a tool do anything; the others need not be remembered."""
        ...

    def effects(self, name: str, arguments: Mapping[str, Any]) -> Collection[str]:
        """What a call is for: by these it is remembered."""
        ...

    def covered(self, name: str, arguments: Mapping[str, Any]) -> Collection[str]:
        """All that a call does: it is an echo if one of them is an effect of a remembered call."""
        ...


class _FoldedCalls:
    def has_effect(self, _: str) -> bool:
        return True

    def effects(self, name: str, arguments: Mapping[str, Any]) -> Collection[str]:
        return (folded_call(name, arguments),)

    covered = effects


def folded_call(name: str, arguments: Mapping[str, Any]) -> str:
    """A call, white space in its texts aside."""
    return json.dumps([name, map_strings(arguments, fold_text)], sort_keys=True, default=repr)


def fold_text(text: str) -> str:
    """A text without its white space."""
    return "".join(text.split())


class EchoGuard:
    """Remembers the calls in foreign texts, as hashes, for as long as a session lasts.

    Args:
        tools: the tools that exist, by name.
        effects: says what calls would do; by default, calls with other arguments do something else.

    No method raises.

    >>> guard = EchoGuard(tools)
    >>> shown = guard.adopt('tool: read_note({"name": "a"})')
    >>> reply = 'tool: read_note({"name": "a"})'
    >>> guard.is_echo(parse_reply(reply, tools).calls[0], reply)
    True
    """

    def __init__(self, tools: ToolDescriptions, effects: EffectReader | None = None) -> None:
        self._tools = tools
        self._effects = effects or _FoldedCalls()
        # A set that knows its order.
        self._marks: OrderedDict[str, None] = OrderedDict()
        self._own: set[str] = set()
        self._seen: list[str] = []
        self._end = ""

    def remember(self, text: str) -> None:
        """Remembers every call found anywhere in a raw text.

        Where a text was made so that its calls cannot all be read, every call of their tool is an echo.
        """
        self._remember(text, scan(text, self._tools))

    def adopt(self, text: str) -> str:
        """Remembers a text that the model is to read, and returns it neutralised."""
        found = scan(text, self._tools)
        self._remember(text, found)
        return neutralise(text, self._tools, found)

    def _remember(self, text: str, found: Scan) -> None:
        marks = self._marks_in(text, found)
        if self._end and text:
            seam = self._end + _NUMBER.sub("", text[:_SEAM_CHARS])
            marks += self._marks_in(seam, scan(seam, self._tools))
        self._end = _NUMBER.sub("", _NOTE.sub("", text[-_SEAM_CHARS:])) + "\n"
        self._seen += marks
        del self._seen[:-MAX_MARKS]
        self.restore(marks)

    def is_echo(self, call: ToolCall, reply_text: str) -> bool:
        """Whether the call repeats a remembered one: its text, white space folded, or what it does.

        Args:
            call: a call of the reply.
            reply_text: the whole reply, in which the call's span lies.
        """
        start, end = call.span
        # The model saw the foreign text with our marks, and may have copied them.
        arguments, written = restore_strings(call.arguments), restore(reply_text[start:end])
        name = resolve_tool_name(call.name, self._tools) or call.name
        arguments = self._meaning(name, arguments)
        marks = [_hash("tool", name), *_marks(self._effects.covered(name, arguments), written)]
        changes = self._changes(name, arguments)
        # A text may tell of a change without its file.
        anywhere = self._changes(name, arguments, anywhere=True)
        if any(mark in self._marks for mark in (*marks, *changes, *anywhere)):
            return True
        # What the model has changed itself comes back in diffs, and stays its own.
        self._own.update((*changes, *anywhere))
        return False

    def export(self) -> list[str]:
        """All that is remembered; the oldest first."""
        return list(self._marks)

    def take_seen(self) -> tuple[str, ...]:
        """What the texts since the last time that this was asked held, for a saved session."""
        seen, self._seen = tuple(self._seen), []
        return seen

    def restore(self, marks: Iterable[str]) -> None:
        """Adds what `take_seen` or `export` gave, perhaps in another process."""
        for mark in marks:
            self._marks[mark] = None
            self._marks.move_to_end(mark)
        while len(self._marks) > MAX_MARKS:
            self._marks.popitem(last=False)

    def _marks_in(self, text: str, found: Scan) -> list[str]:
        marks = [_hash("tool", name) for name in found.unread]
        known: dict[tuple[str, str, str], list[str]] = {}
        for call in found.calls:
            written = text[slice(*call.span)]
            key = call.name, repr((call.arguments, call.repairs)), written
            if key not in known:
                known[key] = self._marks_of(call, written)
            marks += known[key]
        return marks

    def _marks_of(self, call: ToolCall, written: str) -> list[str]:
        name = resolve_tool_name(call.name, self._tools) or call.name
        meaning = self._meaning(name, call.arguments)
        changes = self._changes(name, meaning)
        marks = [change for change in changes if change not in self._own]
        # A diff stands in many texts, and says nothing by its single lines.
        is_diff = changes and EDIT_NOTATION in call.repairs
        if not is_diff and self._effects.has_effect(name):
            marks += _marks(self._effects.effects(name, meaning), written)
        return marks

    def _changes(self, name: str, arguments: Mapping[str, Any], *, anywhere: bool = False) -> list[str]:
        """The marks of the lines that a call changes, in a file of that name or anywhere."""
        if (tool := self._tools.get(name)) is None:
            return []
        told = _changes_of(arguments, tool)
        return [_hash("change", f"{'' if anywhere else file}\n{change}") for file, change in told]

    def _meaning(self, name: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """The arguments that count, under the names of the tool's parameters."""
        if name not in self._tools:
            return arguments
        properties = self._tools[name].properties
        # One that does not bind cannot run as it stands, but perhaps when the model has mended it.
        bound = name_arguments(arguments, self._tools[name])
        return {
            key: value
            for key, value in bound.items()
            if key not in properties or value != properties[key].get("default", _NO_DEFAULT)
        }


def _changes_of(arguments: Mapping[str, Any], tool: ToolDescription) -> Iterator[tuple[str, str]]:
    """The changes that a call makes: the name of the file, perhaps empty, and what is changed in it.

    There are none if its tool takes no edits. `arguments`: the call's, under the names of the tool's
    parameters.
    """
    names = tool.words.edits
    if names is None or not names.parts:
        return
    path, parts = arguments.get(names.path), arguments.get(names.parts)
    file = path.replace("\\", "/").rpartition("/")[2] if isinstance(path, str) else ""
    for part in [arguments, *(parts if isinstance(parts, list) else ())]:
        old, new = (
            (part.get(name, "") for name in (names.old, names.new)) if isinstance(part, Mapping) else ("", "")
        )
        if isinstance(old, str) and isinstance(new, str) and old != new:
            yield file, json.dumps(_core(old, new))


def _core(old: str, new: str) -> tuple[list[str], list[str]]:
    """The lines that differ, without white space."""
    before, after = (["".join(line.split()) for line in text.split("\n")] for text in (old, new))
    before, after = ([line for line in lines if line] for lines in (before, after))
    start = _equal_lines(before, after)
    before, after = before[start:], after[start:]
    end = _equal_lines(before[::-1], after[::-1])
    return before[: len(before) - end], after[: len(after) - end]


def _equal_lines(one: Sequence[str], other: Sequence[str]) -> int:
    """How many lines both begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((number for number, (a, b) in pairs if a != b), min(len(one), len(other)))


def _marks(effects: Iterable[str], written: str) -> list[str]:
    folded = " ".join(written.split())
    marks = [_hash("call", effect) for effect in effects]
    return [_hash("text", folded), *marks] if folded else marks


def _hash(kind: str, text: str) -> str:
    return blake2b(f"{kind}\n{text}".encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
