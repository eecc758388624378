"""The first replies of a small model that sees all of a small project: drafts of every file that changes.

With tools before it, a small model calls one at once, and changes the wrong line. Asked for nothing but an
explanation and whole files, each under its name, it thinks before it writes; each such file then counts as a
call of `write_file`. The form is strict, since a block may also be an example, a piece or an output: the line
above it holds the file's name and nothing else. Where no file stands so, whole definitions of the project
count, too (see `draft_definitions`); a reply with neither is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from posixpath import normpath

from text_agent.agent.endings import has_open_fence, was_cut
from text_agent.agent.small_models.draft_definitions import files_with_definitions
from text_agent.agent.truth import is_new_version
from text_agent.files.index.query import is_named
from text_agent.files.kinds import is_test
from text_agent.lazy_regex import late_pattern
from text_agent.messages import Reply
from text_agent.protocol.guard.neutralising import restore
from text_agent.protocol.reading.blocks import Block, find_blocks, outside_blocks
from text_agent.protocol.reading.outcome import own_words, tidy_prose
from text_agent.protocol.templates import load_template
from text_agent.protocol.types import MalformedCall, ParsedReply, ToolCall
from text_agent.tools.editing.validity import find_invalidity
from text_agent.tools.own_calls import call_to_write

# A new file that a request names.
_PATH = late_pattern(
    r"(?<![\w./-])[\w./-]*\w\.(?:c|cfg|cpp|css|csv|go|h|html|ini|java|js|json|jsx|md|php|py|rb|rs|sh|sql|toml"
    r"|ts|tsx|txt|xml|ya?ml)(?![\w/(])"
)
# Requests that change nothing.
_NO_CHANGE = late_pattern(
    r"[?\uff1f\u061f](?:\s|$)|^\W*(?:describe|explain|how|list|look|review|run|show|tell|what|where|which|why)\b(?!\()"
    r"|\b(?:change|touch|write) nothing\b(?! else)|\b(?:do not|don't) (?:change|touch|write) any",
    re.IGNORECASE,
)
# The name of a file, and nothing else, as the model writes it above a block.
_CAPTION = late_pattern(
    r"[#*`\s]*(?![\d.]+[*`:\s]*\Z)([\w.@+/-]*\w\.[A-Za-z0-9]{1,10})[*`]*(?: is now)?[*`:\s]*\Z"
)
# Files in which a fence is text, so that a block may end too soon.
_WITH_FENCES = late_pattern(r"\.(?:md|markdown|mdx|rst|txt)\Z")
# Lines of a file that may all be others afterwards.
_FEW_LINES = 3


def draft_prompt(request: str, paths: Iterable[str], notes: str = "") -> str:
    """The system prompt that asks for a draft; empty where none is wanted, as for a question.

    Its example has a path of the project or of the request, for a small model writes to the one it reads.

    Args:
        request: what the user asks for.
        paths: of the project's files.
        notes: the project's.
    """
    example = _example(request, list(paths))
    if not example or _NO_CHANGE.search(request):
        return ""
    return "\n\n".join(filter(None, [load_template("draft").substitute(path=example), notes]))


def read_draft(reply: Reply, parsed: ParsedReply, texts: Mapping[str, str]) -> ParsedReply | None:
    """What a draft says, with a call of `write_file` for each file in it that is to change.

    Args:
        reply: as it came.
        parsed: what it says by itself.
        texts: the project's files, by path.

    Returns:
        None if it is no draft, but calls tools itself, or changes no file for certain.
    """
    words = own_words(reply.text, parsed.parts)
    if (
        parsed.calls
        or parsed.ends_at is not None
        or reply.stop_reason == "refusal"
        or was_cut(reply, words)
        or has_open_fence(words)
    ):
        return None
    blocks = find_blocks(words)
    if not all(block.sure for block in blocks):
        return None
    files: dict[str, str] = {}
    for block in blocks:
        path = _name(block)
        if path and files.setdefault(path, block.text) != block.text:
            return None
    if len(files) < len(blocks) and any(_may_hold_fences(path, texts) for path in files):
        return None
    form = "a file under its name" if files else "a definition alone"
    files = files or files_with_definitions(blocks, texts)
    calls: list[ToolCall | MalformedCall] = [
        _call(path, text, form)
        for path, text in files.items()
        if _is_change(path, restore(text).strip(), texts)
    ]
    return replace(parsed, calls=calls) if calls else None


def words_of(draft: ParsedReply) -> str:
    """What a draft says beside its files."""
    paths = [call.arguments["path"] for call in draft.calls if isinstance(call, ToolCall)]
    lines = outside_blocks(draft.prose).split("\n")
    words = "\n".join(line for line in lines if not _CAPTION.match(line))
    return tidy_prose(words) or f"Written: {', '.join(paths)}"


def mends_of(draft: ParsedReply) -> list[str]:
    """What was mended in its files, so that they are valid."""
    calls = (call for call in draft.calls if isinstance(call, ToolCall))
    return [f"{call.arguments['path']}: {mend}" for call in calls for mend in call.repairs[1:]]


def _call(path: str, text: str, form: str) -> ToolCall:
    problem = find_invalidity(path, text)
    repairs = [form]
    if problem and problem.mended:
        repairs.append(f"line {problem.line} was no valid {problem.language}, and was mended")
        text = problem.mend(text)
    return call_to_write(path, text, tuple(repairs))


def _name(block: Block) -> str:
    """The file whose whole text a block is; empty if it is none's."""
    caption = _CAPTION.match(block.caption)
    return normpath(caption[1]) if caption and block.info.lower() not in ("diff", "patch") else ""


def _may_hold_fences(path: str, texts: Mapping[str, str]) -> bool:
    return bool(_WITH_FENCES.search(path)) or "```" in _before(path, texts)


def _before(path: str, texts: Mapping[str, str]) -> str:
    """The present text of a file, which may be named from the root of the system on; empty if it is new."""
    known = next((each for each in texts if path.startswith("/") and path.endswith(f"/{each}")), path)
    return texts.get(known, "")


def _is_change(path: str, text: str, texts: Mapping[str, str]) -> bool:
    """Whether a text can be a file's new one; a piece of a file, or something else, is not."""
    if any(text in shown for shown in texts.values()):
        return False
    before = _before(path, texts).strip()
    return len(before.splitlines()) <= _FEW_LINES or is_new_version(text, before)


def _example(request: str, paths: list[str]) -> str:
    """A path, no test's if there is another: with a test as the example, its cases are put into one."""
    named = [path for path in paths if is_named(request, path)]
    candidates = [
        *named,
        *_PATH.findall(request),
        *(path for path in paths if not path.endswith(".md")),
        *paths,
    ]
    return next((path for path in candidates if not is_test(path)), next(iter(candidates), ""))
