"""The values that a reply and its results are made of.

All of them are frozen: a value that was sent, stored or shown never changes afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

ResultStatus = Literal["ok", "error", "denied", "not run"]
# What a call of a tool is for the user: a look at something, a change of files, a command, or a plan.
ToolKind = Literal["looks", "changes", "runs", "plans"]


QuotationReason = Literal[
    "thinking", "comment", "example fence", "sentence", "after an invented result", "payload", "echo"
]


# Among the repairs of a call: it stands in the reply as an edit in the notation of another program.
EDIT_NOTATION = "edit notation"
# The same for a call of a tool that other programs have.
FOREIGN_TOOL = "another program's tool"
# The repairs that supply what ends a call.
SUPPLIED_ENDS = frozenset({"missing )", "missing }", "missing ]", "missing closing tag", "missing end"})


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that the model meant, as it wrote it: not yet bound to the tool's signature.

    Attributes:
        name: the tool's name as written (without a namespace such as `functions.`).
        arguments: argument names to JSON values.
        span: where it stands in the reply, in characters: start, end.
        repairs: what had to be read liberally, a few words each; empty for the taught form.

    >>> ToolCall("read_note", {"name": "a"}).lacks_closer
    False
    """

    name: str
    arguments: Mapping[str, Any]
    span: tuple[int, int] = field(default=(0, 0), compare=False)
    repairs: tuple[str, ...] = field(default=(), compare=False)

    @property
    def lacks_closer(self) -> bool:
        """Whether a bracket or tag at its end had to be supplied: more may have stood there."""
        return not SUPPLIED_ENDS.isdisjoint(self.repairs)


@dataclass(frozen=True, slots=True)
class MalformedCall:
    """An attempted call that has not exactly one sensible reading, and is never run.

    Attributes:
        error: what is wrong, and where, in one sentence.
        name: the tool's name where it is known.
        suggestion: the corrected call, in the taught form, where one can be given.
        cut: the text ends inside the call: the reply was too long, not wrong.
        runs_away: the reply was stopped inside the call, because it said the same over and over.

    >>> parse_reply('tool: read_note({"name": "a', tools).calls[0].cut
    True
    """

    error: str
    name: str | None = None
    suggestion: str | None = None
    cut: bool = False
    runs_away: bool = False
    span: tuple[int, int] = field(default=(0, 0), compare=False)


@dataclass(frozen=True, slots=True)
class Quotation:
    """Text that looks like a call, and why it was not taken as one.

    >>> parse_reply("I could write tool: read_note({}).", tools).quotations[0].reason
    'sentence'
    """

    text: str
    reason: QuotationReason
    span: tuple[int, int] = field(default=(0, 0), compare=False)


PartKind = Literal["prose", "call"] | QuotationReason


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a reply that is of one kind.

    Attributes:
        kind: `prose` for the reply's own words, examples among them; `call` for calls, attempts at them,
            their payload blocks and the tokens of a template; or why nothing in it runs.
        span: where it stands in the reply, in characters: start, end.

    >>> parse_reply("Hello.", tools).parts
    (Part(kind='prose', span=(0, 6)),)
    """

    kind: PartKind
    span: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Repetition:
    """What a reply says over and over at its end, where it was stopped."""

    at: int  # the character up to which the reply counts: behind the first time
    text: str  # what is repeated, once


@dataclass(frozen=True, slots=True)
class ParsedReply:
    """What a reply says.

    Attributes:
        calls: in the order of the reply.
        quotations: call-shaped text that does not run.
        prose: the reply's own words, without its calls, their payload blocks, thinking, and all
            that follows an invented result.
        invented_at: the character at which an invented tool result, observation or user turn
            begins; everything from there on was discarded. None without one.
        parts: the whole reply divided by what it is, in order and without gaps.
        repetition: what the reply, or the thinking before it, repeats without end; None if it does not.

    >>> parse_reply("Hello.", tools).calls
    []
    """

    calls: list[ToolCall | MalformedCall]
    quotations: list[Quotation]
    prose: str
    invented_at: int | None = None
    parts: tuple[Part, ...] = field(default=(), compare=False)
    repetition: Repetition | None = None

    @property
    def ends_at(self) -> int | None:
        """The character up to which the reply counts; None if all of it does."""
        return self.repetition.at if self.repetition else self.invented_at


FileFate = Literal["created", "modified", "deleted"]


@dataclass(frozen=True, slots=True)
class AppliedChange:
    """What a call did to a file."""

    path: str  # relative to the folder that the tools work in, with `/`
    diff: str  # the change, whether the user has seen it or not
    fate: FileFate = "modified"  # what became of the file


@dataclass(frozen=True, slots=True)
class Plan:
    """What the model is about to do, and how far it has come."""

    steps: tuple[str, ...]  # a few words each, in order
    done: frozenset[int] = frozenset()  # the numbers of the finished ones, from 1

    @property
    def next(self) -> int | None:
        """The number of the first step that is not done; None if all are."""
        return next((number for number in range(1, len(self.steps) + 1) if number not in self.done), None)

    @property
    def open_step(self) -> str:
        """The first step that is not done, behind its number; empty if all are."""
        return "" if self.next is None else f"{self.next}. {self.steps[self.next - 1]}"

    @property
    def summary(self) -> str:
        """How far the plan has come, in one line."""
        so_far = f"plan: {len(self.done)} of {len(self.steps)} steps done"
        return f"{so_far}; next: {self.open_step}" if self.open_step else so_far


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a call gave, as text for the model and as data for the program, which never reads the text.

    Attributes:
        number: counts the calls of the whole conversation from 1, so that a result can be referred to.
        name: the tool's, or what the model took for one.
        status: whether the call did what it should.
        text: what the model reads.
        exit_code: that of the command that was run; None if none was.
        output: what that command printed, as far as it is kept.
        change: what was changed in a file; None for a command, which may change any.
        plan: what the model is about to do, if the call says it.

    >>> ToolResult(1, "read_note", "ok", "buy milk").status
    'ok'
    """

    number: int
    name: str
    status: ResultStatus
    text: str
    exit_code: int | None = None
    output: str = ""
    change: AppliedChange | None = None
    plan: Plan | None = None
