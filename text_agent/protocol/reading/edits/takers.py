"""The tools that take edits, and the calls that edits are for them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from text_agent.lazy_regex import late_pattern
from text_agent.protocol.reading.announcements import announces_example
from text_agent.protocol.reading.edits.values import FileEdit, Hunk
from text_agent.protocol.reading.reading import Found
from text_agent.protocol.tool import EditParameters, ToolDescriptions
from text_agent.protocol.types import EDIT_NOTATION, MalformedCall, ToolCall

# What introduces a change that was made.
_REPORTS = (
    r"\bwhat\s+(?:(?:i|we|it|you)\s+)?(?:was\s+|has\s+|have\s+|had\s+|is\s+)?(?:been\s+)?(?:changed|done|did|differs|committed|staged)\b",
    r"\b(?:changes?|edits?|diffs?|patch(?:es)?|modifications?)\s+(?:(?:that|which)\s+)?(?:(?:i|we)\s+)?(?:was|were|made|did|applied|so\s+far|above|is\s+done|are\s+done|has\s+been|have\s+been|in\s+(?:the|that|this|your)\s+(?:last\s+)?(?:commit|branch|diff|history))\b",
    r"\bgit\s+(?:diff|show|log|blame|stash)\b|\b(?:commit|resulting|final|full|complete|whole|current|entire)\s+(?:\w+\s+)?diff\b|\bcommit\s+`?[0-9a-f]{7,40}\b|\b(?:last|previous|earlier|that|this)\s+commit\b",
    r"\b(?:was|were|has\s+been|have\s+been|had\s+been)\s+(?:\w+\s+)?(?:changed|updated|modified|edited|made|applied|fixed|replaced|added|removed|renamed|rewritten|committed)\b",
)
# What claims that the model has made it.
_CLAIMS = (
    r"\b(?:i|we)(?:['\u2019]ve|\s+have)?\s+(?:(?:just|now|already|also|then)\s+)*(?:changed|updated|modified|edited|made|applied|fixed|replaced|added|removed|renamed|rewrote|rewritten|did|done|corrected|adjusted|refactored|implemented)\b",
    r"\b(?:ich\s+habe|habe\s+ich|wurden?\s|das\s+hat\s+sich|die\s+\u00e4nderung(?:en)?\s+(?:war|ist|sind))",
    r"\b(?:j['\u2019]ai|nous\s+avons|voici\s+ce\s+qui|a\s+\u00e9t\u00e9|ont\s+\u00e9t\u00e9|les\s+changements\s+(?:effectu|apport))",
    r"\b(?:he\s+(?:cambi|modific|actualiz|correg|a\u00f1ad|elimin)\w+|se\s+(?:cambi|modific|ha)\w*|eu\s+(?:mudei|alterei)|ho\s+(?:cambiat|modificat|aggiornat|corrett)\w*|\u00e8\s+stat\w+)",
    r"(?:\u044f\s+(?:\u0438\u0437\u043c\u0435\u043d|\u043e\u0431\u043d\u043e\u0432|\u0438\u0441\u043f\u0440\u0430\u0432)\w+|\u5df2(?:\u7ecf)?(?:\u4fee\u6539|\u66f4\u65b0|\u6539)|\u5909\u66f4\u3057\u307e\u3057\u305f|\u4fee\u6b63\u3057\u307e\u3057\u305f|\ubcc0\uacbd\ud588|\uc218\uc815\ud588)",
)
_REPORTED = late_pattern("|".join(_REPORTS), re.IGNORECASE)
_CLAIMED = late_pattern("|".join(_CLAIMS), re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class BrokenEdit(MalformedCall):
    """An edit that cannot be read; `path` is its file, as far as that is known."""

    path: str = ""


@dataclass(frozen=True, slots=True)
class Takers:
    """Who takes edits."""

    editing: tuple[str, EditParameters]  # the tool that changes files, and how; its name is empty without one
    writing: tuple[str, EditParameters]  # the one that takes a whole text, and how; the same

    @property
    def exist(self) -> bool:
        """Whether there are both."""
        return bool(self.editing[0] and self.writing[0])

    def call(self, edit: FileEdit, span: tuple[int, int], repairs: tuple[str, ...] = ()) -> ToolCall:
        """The call that makes an edit."""
        if edit.text is not None:
            name, parameters = self.writing
            arguments: dict[str, Any] = {parameters.text: edit.text}
        else:
            name, parameters = self.editing
            arguments = _changes(edit, parameters)
        return ToolCall(name, {parameters.path: edit.path, **arguments}, span, (EDIT_NOTATION, *repairs))

    def first_of_same_file(
        self, calls: Sequence[ToolCall | MalformedCall], call: ToolCall | MalformedCall
    ) -> int | None:
        """Where the edits of the file of `call` begin, if nothing but edits stands behind them."""
        path = self._path(call)
        for index in range(len(calls) - 1, -1, -1) if path else ():
            other = self._path(calls[index])
            if other is None:
                return None
            if other == path:
                return index
        return None

    def _path(self, call: ToolCall | MalformedCall) -> str | None:
        """The file that an edit changes, empty if it does more; None for what is no edit."""
        if isinstance(call, BrokenEdit):
            return call.path
        if not isinstance(call, ToolCall) or EDIT_NOTATION not in call.repairs:
            return None
        name, parameters = self.editing
        goes_on = call.name == name and not {parameters.target, parameters.delete} & call.arguments.keys()
        return call.arguments.get(parameters.path, "") if goes_on else ""

    def joined(
        self, first: ToolCall | MalformedCall, second: ToolCall | MalformedCall
    ) -> ToolCall | MalformedCall:
        """Two edits of one file as one call: if one of them cannot be read, none is made."""
        if isinstance(first, MalformedCall):
            return first
        if isinstance(second, MalformedCall):
            error = f"{second.error}; none of the edits of {self._path(first)} was made"
            return replace(second, error=error, span=(first.span[0], second.span[1]))
        name, parameters = self.editing
        parts = [part for call in (first, second) for part in _parts(call.arguments, parameters)]
        arguments = {
            parameters.path: first.arguments[parameters.path],
            parameters.parts: parts,
            parameters.whole: True,
        }
        repairs = tuple(dict.fromkeys([*first.repairs, *second.repairs]))
        return ToolCall(name, arguments, (first.span[0], second.span[1]), repairs)


def merge_edits(
    calls: Sequence[ToolCall | MalformedCall], tools: ToolDescriptions
) -> list[ToolCall | MalformedCall]:
    """The calls with those edits of one file together that nothing but edits stands between."""
    merged: list[ToolCall | MalformedCall] = []
    takers = takers_among(tools)
    for call in calls:
        first = takers.first_of_same_file(merged, call)
        if first is None:
            merged.append(call)
        else:
            merged[first] = takers.joined(merged[first], call)
    return [_plain(call) for call in merged]


def is_told(found: Found, words: str) -> bool:
    """Whether the words before an edit only tell of it: as an example, or as one that was made."""
    if not is_edit(found):
        return False
    first = found.items[0]
    is_diff = isinstance(first, ToolCall) and "diff" in first.repairs
    # Models also say "I have changed it:" above the edit by which they change it, unless that is a diff.
    is_report = _REPORTED.search(words) or (is_diff and _CLAIMED.search(words))
    return announces_example(words) or bool(is_report)


def is_edit(found: Found) -> bool:
    """Whether what was found stands in the reply as an edit in another notation."""
    first = found.items[0] if found.items else None
    return isinstance(first, BrokenEdit) or (isinstance(first, ToolCall) and EDIT_NOTATION in first.repairs)


def takers_among(tools: ToolDescriptions) -> Takers:
    """The tools that take edits."""
    return Takers(*(_first(tools, member) for member in ("parts", "text")))


def _first(tools: ToolDescriptions, member: str) -> tuple[str, EditParameters]:
    for name, tool in tools.items():
        if tool.words.edits and getattr(tool.words.edits, member):
            return name, tool.words.edits
    return "", EditParameters("")


def _changes(edit: FileEdit, parameters: EditParameters) -> dict[str, Any]:
    if edit.deleted:
        return {parameters.delete: True}
    parts = [_part(hunk, parameters) for hunk in edit.hunks]
    arguments = parts[0] if len(parts) == 1 else {parameters.parts: parts} if parts else {}
    whole = {parameters.whole: True} if parts else {}
    return {**arguments, **whole, **({parameters.target: edit.target} if edit.target else {})}


def _part(hunk: Hunk, parameters: EditParameters) -> dict[str, Any]:
    old, new = hunk.texts
    part: dict[str, Any] = {parameters.old: old, parameters.new: new}
    if hunk.under:
        part[parameters.under] = list(hunk.under)
    if hunk.at_end:
        part[parameters.at_end] = True
    return part


def _parts(arguments: Any, parameters: EditParameters) -> list[Any]:
    if parameters.parts in arguments:
        return list(arguments[parameters.parts])
    others = (parameters.path, parameters.whole)
    return [{name: value for name, value in arguments.items() if name not in others}]


def _plain(call: ToolCall | MalformedCall) -> ToolCall | MalformedCall:
    if not isinstance(call, BrokenEdit):
        return call
    return MalformedCall(call.error, call.name, call.suggestion, call.cut, span=call.span)
