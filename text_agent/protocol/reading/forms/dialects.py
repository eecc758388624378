"""The forms in which models were trained to write calls: one table, one reader for each form.

A call stands in containers, or alone:

    container = OPENER { element | separator } [CLOSER]
    element   = one of the readers of `_ELEMENTS`, tried in their order

Adding a dialect is adding its tokens to `_CONTAINERS`, or a pattern with a reader to `_ELEMENTS` (inside
a container) or `_ALONE` (without one).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from text_agent.lazy_regex import late_pattern, past
from text_agent.protocol.markers import (
    BAR,
    CALLED,
    PREFIX,
    bracket_tokens,
    closers,
    openers,
    signs,
    word_tokens,
)
from text_agent.protocol.reading.arguments import normalise
from text_agent.protocol.reading.forms.bare import read_python_calls
from text_agent.protocol.reading.forms.json_calls import TERMINATOR, read_object_call, read_objects
from text_agent.protocol.reading.forms.tags import (
    ARGUMENTS,
    CLINE,
    FUNCTION,
    GLM,
    INVOKE,
    NAME_TAG,
    OPEN_CALL,
    OUTER,
    TOOL_NAME,
    read_cline,
    read_function,
    read_glm,
    read_named_tool,
    read_open_call,
)
from text_agent.protocol.reading.forms.taught import read_taught
from text_agent.protocol.reading.forms.unknown import attempt_token
from text_agent.protocol.reading.line_syntax import FENCE_END, TAUGHT
from text_agent.protocol.reading.quoting import INVENTED
from text_agent.protocol.reading.reading import Found, Reading, begins_line
from text_agent.protocol.reading.source import ReadError
from text_agent.protocol.reading.values import ValueReader
from text_agent.protocol.types import MalformedCall, ToolCall

ElementReader = Callable[[Reading, re.Match[str]], Found | None]

_NAME = rf"(?P<name>{CALLED})"
_OPENERS = late_pattern(openers("container"))
_CALLS = late_pattern(openers("container", "element"))
_CLOSERS = late_pattern(closers("container", "element"))
_BETWEEN = late_pattern(
    r"(?:[\s,;]++|\\n|```(?:json|python|xml|tool_code|tool_call)?[ \t\r]*+(?:\n|(?=<)|\Z))*+"
)
_SEP = rf"(?:<{BAR}tool[▁_ ]sep{BAR}>|<tool_sep>)"
_LABEL = rf"(?:function\s{{0,9}}{_SEP}\s{{0,9}})?(?:functions?\.)?"
_ELEMENT_NAME = late_pattern(
    rf"{_LABEL}{_NAME}(?::\d{{1,6}})?\s*+(?:{_SEP}|<\|tool_call_argument_begin\|>"
    r"|(?:\[CALL_ID\][\w-]{1,64}+)?\[ARGS\]|<\|constrain\|>\s*+json)?\s*+(?:<\|message\|>)?\s*+"
    r"(?:```(?:json)?\s*+)?(?=\{)"
)
_GEMMA = late_pattern(rf"(?:call)?:{_NAME}\s*+(?=\{{)")
_QWEN_AGENT = late_pattern(rf"✿FUNCTION✿\s*+:?\s*+{_NAME}\s*+✿ARGS✿\s*+:?\s*+(?=\{{)")
_STEP_LABEL = late_pattern(rf"function\s*+{_SEP}\s*+(?:[\w.-]++\s*+)?(?=<)")
_OBJECTS = late_pattern(r"\{|\[\s*+(?=\{)")
_PYTHON = late_pattern(rf"\[?\s*+(?:print\([ \t]*+)?{CALLED}[ \t]*+\(")
_HARMONY = late_pattern(
    r"(?:<\|start\|>)?(?:assistant)?\s*+(?:<\|channel\|>)?\s*+(?P<before>analysis|commentary|final)?\s*+"
    rf"to=(?:functions\.)?{_NAME}\s*+(?:<\|channel\|>\s*+(?P<after>analysis|commentary|final))?\s*+"
    r"(?:<\|constrain\|>)?\s*+(?:json|code)?\s*+(?:<\|message\|>)?\s*+(?=\{)"
)
_NAME_BEHIND = late_pattern(rf"<{OUTER}>\s*+<{ARGUMENTS}>\s*+(?=\{{)")
_LAST_NAME = late_pattern(
    rf"\s*+</{ARGUMENTS}>\s*+<(?P<tag>(?:tool_)?name)>\s*+(?P<name>[^<>\n]{{1,80}}+)</(?P=tag)>(?:\s*+</{OUTER}>)?"
)
_MIDDLE_MARK = late_pattern(rf"<\|tool_call_argument_begin\|>\s*+(?=\{{)|{_SEP}|<{PREFIX}arg_key>")
_CUT_WORD = late_pattern(r"[^\s\])}>]*+")
_NAME_BEFORE = late_pattern(rf"(?:functions?\.)?{_NAME}(?::\d{{1,6}})?\s*+\Z")

# How a token in square brackets begins; one that means something may have further letters.
_SQUARE = "|".join(re.escape(token[:5]) for token in bracket_tokens("["))
_WORDS = frozenset(re.split(r"(?<==)|\W", word.rpartition(" ")[2])[0] for word in word_tokens())
_BRACKET_MARK = late_pattern(
    rf"<(?={BAR}|[/a-zA-Z]|!--)|\[(?=/?(?:{_SQUARE})|[A-Z_]{{1,20}}(?:TOOL|CALL))|[{signs()}](?=/?\w)"
)
MARK = late_pattern(rf"{_BRACKET_MARK.pattern}|\b(?:{'|'.join(map(re.escape, word_tokens()))})")
"""Where a dialect's call, thinking or a comment may begin in the middle of a line."""


def mark_pattern(text: str) -> re.Pattern[str]:
    """`MARK`, or a faster pattern if the words in it do not occur in `text`."""
    return MARK if any(word in text for word in _WORDS) else _BRACKET_MARK


STRAY = late_pattern(rf"(?:{_CLOSERS.pattern})(?:[ \t]*+(?:{_CLOSERS.pattern}))*+")
"""Closing tokens that are left over when their opener was lost."""


def read_dialect(reading: Reading, position: int) -> Found | None:
    """The calls of a trained form that begins at `position`; None if none does."""
    for pattern, reader in _ALONE:
        if (match := pattern.match(reading.text, position)) and (found := reader(reading, match)):
            return found
    opener = _OPENERS.match(reading.text, position)
    if opener and (found := _read_container(reading, opener)):
        return found
    return _read_attempt(reading, position)


def _read_attempt(reading: Reading, position: int) -> Found | None:
    """What an unknown token or tag means that says that a call follows: calls, or an attempt."""
    token = attempt_token(reading, position)
    if token is None:
        return None
    unknown = "called" in token.groupdict() and not _OPENERS.match(reading.text, position)
    if unknown and (found := _read_container(reading, token)):
        return found
    error = ReadError("there is no call that can be read behind the token", token.end())
    rest = max(token.end(), reading.source.line_end(token.end()))
    following = _CALLS.search(reading.text, token.end(), rest)
    end = following.start() if following else rest
    reading.source.reached_end |= end == reading.source.end
    return reading.failed(None, position, error, end)


def _read_container(reading: Reading, opener: re.Match[str]) -> Found | None:
    items: list[ToolCall | MalformedCall] = []
    tokens = _pass_tokens(reading, opener.end(), opened=True, fenced=False)
    limit = reading.source.limit(opener.start())
    while not tokens.over and tokens.position < limit and (found := _element(reading, tokens.position)):
        if items and (reading.anywhere if tokens.opened else not reading.is_plausible(found.items)):
            break
        items += found.items
        tokens = _pass_tokens(reading, found.end, opened=False, fenced=tokens.fence_follows)
    if not items:
        return _empty_container(reading, opener, tokens)
    if tokens.position == reading.source.end and not tokens.over:
        reading.source.reached_end = True
    end = past(FENCE_END, reading.text, tokens.end) if tokens.fenced else tokens.end
    return Found(tuple(items), opener.start(), end)


class _Tokens(NamedTuple):
    """Tokens and separators that were passed."""

    position: int  # where the next element would begin
    end: int  # the end of the last token
    opened: bool  # whether the last token opens a container
    over: bool  # whether the container ends here: the last token closes it, or a fence opens behind it
    fenced: bool  # whether a fence is open at `end`
    fence_follows: bool  # whether one is open at `position`


def _pass_tokens(reading: Reading, position: int, *, opened: bool, fenced: bool) -> _Tokens:
    end, closed = position, False
    limit = reading.source.limit(position)
    while True:
        begin, position = position, past(_BETWEEN, reading.text, position)
        passed = reading.text.count("```", begin, position)
        reading.source.reach(position)
        fence_follows = (fenced + passed) % 2 == 1
        leaves = not opened and passed > fenced
        closer = _CLOSERS.match(reading.text, position)
        token = closer or _OPENERS.match(reading.text, position) or _STEP_LABEL.match(reading.text, position)
        if token is None or position >= limit or leaves:
            return _Tokens(position, end, opened, closed or leaves, fenced, fence_follows)
        opened, closed, fenced = closer is None, closer is not None, fence_follows
        position = end = token.end()


def _element(reading: Reading, position: int) -> Found | None:
    if INVENTED.match(reading.text, position):
        return None
    for pattern, reader in _ELEMENTS:
        match = pattern.match(reading.text, position)
        found = reader(reading, match) if match else None
        if found and found.end > position:
            return found
    return None


def _empty_container(reading: Reading, opener: re.Match[str], tokens: _Tokens) -> Found | None:
    """What an opener means behind which no call can be read: an attempt, or only a mention of the tag."""
    position = tokens.position
    rest = reading.source.line_end(position)
    if opener.group() in ("<tools>", "<invoke>") or not begins_line(reading.text, opener.start()):
        return None
    if tokens.over:
        return _nothing_but_tokens(reading, opener, tokens.end)
    word = reading.text[position:rest].strip()
    if rest == reading.source.end and _CUT_WORD.fullmatch(word):
        reading.source.reached_end = True
        error = ReadError("the text ends inside the call", reading.source.end, cut=True)
        return reading.failed(None, opener.start(), error)
    closer = _CLOSERS.search(reading.text, position, min(reading.source.end, position + 4000))
    end = closer.end() if closer else rest
    if _OPENERS.search(reading.text, position, end) or not (closer or word.startswith(("[", "{", "<"))):
        return None
    return reading.failed(None, opener.start(), ReadError("there is no call between the tags", position), end)


def _nothing_but_tokens(reading: Reading, opener: re.Match[str], end: int) -> Found | None:
    """The attempt of a reply that is an empty container and no more; None for a mention of its tags."""
    reading.source.reached_end = True
    if reading.text[: opener.start()].strip() or reading.text[end:].strip():
        return None
    error = ReadError("there is no call between the tags", opener.end())
    return reading.failed(None, opener.start(), error, end)


def _read_named_object(reading: Reading, match: re.Match[str]) -> Found:
    """A name, perhaps a token, and the arguments as an object."""
    name = reading.called(match["name"])
    tool = reading.tool(name)
    keys = frozenset(tool.properties) if tool else frozenset[str]()
    reader = ValueReader(
        reading.source, reading.source.limit(match.start()), keys=keys, terminator=TERMINATOR
    )
    closer = FENCE_END if "```" in match.group() else None
    return read_object_call(reading, name, match.start(), match.end(), reader, closer)


def _read_harmony(reading: Reading, match: re.Match[str]) -> Found | None:
    """A recipient in a channel; in the analysis channel it is only thought of."""
    found = _read_named_object(reading, match)
    before = reading.text[max(0, match.start() - 12) : match.start()]
    if "analysis" in (match.group("before"), match.group("after")) or before.rstrip().endswith("analysis"):
        return Found((), match.start(), found.end)
    return found


def _read_name_behind(reading: Reading, match: re.Match[str]) -> Found | None:
    """The object of the arguments with the name behind it; None without one."""
    body = match.end()
    reader = ValueReader(reading.source, reading.source.limit(body), terminator=TERMINATOR)
    try:
        written, end = reader.object_at(body)
    except ReadError:
        return None
    name = _LAST_NAME.match(reading.text, end)
    if name is None:
        return None
    called = reading.called(name["name"])
    arguments = normalise(called, written, reading.tool(called), reader)
    call = ToolCall(called, arguments, (match.start(), name.end()), tuple(reader.repairs))
    return Found((call,), match.start(), name.end())


def _read_lost_begin(reading: Reading, match: re.Match[str]) -> Found | None:
    """A mark that stands behind the name, where the mark before the name was lost."""
    before = reading.text[max(0, match.start() - 120) : match.start()]
    name = _NAME_BEFORE.search(before)
    if name is None:
        return None
    start = match.start() - len(before) + name.start()
    if whole := _ELEMENT_NAME.match(reading.text, start):
        return _read_named_object(reading, whole)
    whole = GLM.match(reading.text, start)
    return read_glm(reading, whole) if whole and reading.tool(whole["name"]) else None


_ALONE: tuple[tuple[re.Pattern[str], ElementReader], ...] = (
    (FUNCTION, read_function),
    (INVOKE, read_function),
    (TOOL_NAME, read_named_tool),
    (_NAME_BEHIND, _read_name_behind),
    (OPEN_CALL, read_open_call),
    (_HARMONY, _read_harmony),
    (_QWEN_AGENT, _read_named_object),
    (_MIDDLE_MARK, _read_lost_begin),
    (CLINE, read_cline),
)

_ELEMENTS: tuple[tuple[re.Pattern[str], ElementReader], ...] = (
    (TAUGHT, read_taught),
    (_OBJECTS, lambda reading, match: read_objects(reading, match.start())),
    *_ALONE,
    (NAME_TAG, read_named_tool),
    (_GEMMA, _read_named_object),
    (_ELEMENT_NAME, _read_named_object),
    (GLM, read_glm),
    (_PYTHON, read_python_calls),
)
