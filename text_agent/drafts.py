"""The first reply of a small model that sees all of a small project: a draft of every file that changes.

With tools before it, a small model calls one at once, and changes the wrong line. Asked for nothing but an
explanation and whole files, each under its name, it thinks before it writes; the files it shows are then
what it calls `write_file` for. A draft that changes nothing is dropped, and the model asked as usual.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from text_agent.messages import MalformedCall, ParsedReply, Reply, ToolCall
from text_agent.nudges import TurnFacts
from text_agent.patterns import late_pattern
from text_agent.protocol.blocks import find_blocks, outside_blocks, unwritten_files
from text_agent.protocol.parts import own_words
from text_agent.protocol.prose import tidy_prose
from text_agent.templates import load_template

# A path with a suffix; no call such as `day.name(6)`, and no address.
_PATH = late_pattern(r"(?<![\w./-])[\w./-]*\w\.[A-Za-z]\w{0,7}(?![\w/(])")
_TEST = late_pattern(r"(?:^|/)(?:tests?[/_]|.*_test\.)")
_QUESTION = late_pattern(r"[?\uff1f\u061f](?:\s|$)")
_ANY = "NAME.py"
# Lines of a file that may all be others afterwards.
_FEW_LINES = 3


def draft_prompt(request: str, paths: Iterable[str]) -> str:
    """The system prompt that asks for a draft; empty for a question, which changes nothing.

    Its example has a path that really exists, for a small model writes to the one that it is shown.

    Args:
        request: what the user asks for.
        paths: of the project's files.
    """
    if _QUESTION.search(request):
        return ""
    return load_template("draft").substitute(path=_example(request, list(paths)))


def read_draft(reply: Reply, parsed: ParsedReply, facts: TurnFacts) -> ParsedReply | None:
    """What a draft says, with a call of `write_file` for each file in it that is to change.

    Args:
        reply: as it came.
        parsed: what it says by itself.
        facts: what the user asked for, and what the project's files are.

    Returns:
        None if it is no draft, but calls tools itself, or changes no file.
    """
    if parsed.calls or parsed.ends_at is not None or reply.stop_reason == "max_tokens":
        return None
    calls: list[ToolCall | MalformedCall] = [
        ToolCall("write_file", {"path": path, "content": text}, repairs=("a file under its name",))
        for path, text in unwritten_files(own_words(reply.text, parsed.parts), facts.request).items()
        if _is_change(text, facts.texts.get(path, ""))
    ]
    return replace(parsed, calls=calls) if calls else None


def words_of(draft: ParsedReply) -> str:
    """What a draft says beside its files."""
    paths = [call.arguments["path"] for call in draft.calls if isinstance(call, ToolCall)]
    captions = {block.caption for block in find_blocks(draft.prose)}
    lines = outside_blocks(draft.prose).split("\n")
    words = "\n".join(line for line in lines if line.strip() not in captions)
    return tidy_prose(words) or f"Written: {', '.join(paths)}"


def _is_change(text: str, before: str) -> bool:
    """Whether a text can be a file's new one; what has no line of a longer file is something else."""
    old, new = ({line.strip() for line in each.splitlines()} - {""} for each in (before, text))
    return text.strip() != before.strip() and (len(old) <= _FEW_LINES or bool(old & new))


def _example(request: str, paths: list[str]) -> str:
    named = [path for path in paths if path.rpartition("/")[2] in request]
    new = _PATH.findall(request)
    code = [path for path in paths if not _TEST.search(path) and not path.endswith(".md")]
    return next(iter([*named, *new, *code, *paths]), _ANY)
