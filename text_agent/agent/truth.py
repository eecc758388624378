"""Holds the end of a turn against what its calls came to: what is said, and what was asked, to be done."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass

from text_agent.agent.claims import Work, asked_of, claims_of, files_claimed, is_question, refuses
from text_agent.agent.turn import Turn
from text_agent.protocol.reading.blocks import unwritten_files
from text_agent.protocol.templates import fill_template
from text_agent.protocol.tool import ToolDescriptions
from text_agent.protocol.writing import render_call
from text_agent.tools.own_calls import call_to_write

# The part of a file's lines that a new version of it has, too.
_KEPT_SHARE = 0.3


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the facts of a turn say of its answer."""

    untrue: tuple[str, ...] = ()  # facts that the answer contradicts, each half a sentence
    missing: tuple[str, ...] = ()  # facts that the request does not fit, whatever the answer says
    unfulfilled: bool = False  # something was to be changed, nothing was, and nobody has refused it


def judge_answer(
    turn: Turn, answer: str, heard: Iterable[str], read: Callable[[str], str], *, has_past: bool
) -> Judgement:
    """Compares an answer, and the request that it ends, with the facts of the turn.

    Args:
        turn: has the facts.
        answer: the model's own words.
        heard: what the model was told so far.
        read: gives the present text of a file by its path; empty for none.
        has_past: work was done before the request, of which the answer may speak.
    """
    asked = asked_of(turn.task)
    claims = set(claims_of(answer, turn.task, heard, has_past=has_past))
    if not turn.changed and shown_files(turn.task, answer, read):
        claims.add("change")
    is_undone = ("change" in asked and not turn.changed) or ("success" in asked and not turn.commands)
    unfulfilled = is_undone and not turn.denied and not refuses(answer)
    unchanged = _unchanged(turn, answer) if "change" in claims else ()
    return Judgement(
        (*_facts_against(turn, claims), *unchanged),
        _facts_against(turn, asked) if unfulfilled else (),
        unfulfilled,
    )


def shown_files(request: str, answer: str, read: Callable[[str], str]) -> dict[str, str]:
    """The files, as paths and texts, that an answer shows as if that wrote them."""
    if is_question(request):
        return {}
    shown = unwritten_files(answer, request)
    return {path: text for path, text in shown.items() if is_new_version(text, read(path))}


def is_new_version(text: str, before: str) -> bool:
    """Whether a text that was shown can be meant for a file with the text `before`: it has lines of it."""
    old = {line.strip() for line in before.splitlines()} - {""}
    new = {line.strip() for line in text.splitlines()} - {""}
    return text.strip() != before.strip() and len(old & new) >= _KEPT_SHARE * len(old)


def render_objection(turn: Turn, facts: Sequence[str], shown: dict[str, str], tools: ToolDescriptions) -> str:
    """Tells the model what is true, and what to write."""
    writing = [call_to_write(path, text) for path, text in shown.items()]
    if writing and not turn.changed and writing[0].name in tools:
        calls = [render_call(call.name, call.arguments, tools) for call in writing]
        return fill_template("unwritten", calls="\n\n".join(calls))
    if turn.failed and not turn.changed:
        turn.given.add("failed")
        return fill_template("failed_change")
    return fill_template("untrue", facts=", and ".join(facts))


def _unchanged(turn: Turn, answer: str) -> tuple[str, ...]:
    """The files that an answer says were changed, where other ones were."""
    if not turn.files or turn.changed_unseen:
        return ()
    claimed = dict.fromkeys(each for each in files_claimed(answer, turn.files))
    return tuple(f"{each} was not changed" for each in claimed)


def _facts_against(turn: Turn, works: Set[Work]) -> tuple[str, ...]:
    """The facts that some work cannot have been done by."""
    facts = {
        "change": "" if turn.changed else "no file was changed",
        "command": "" if turn.commands else "no command was run",
        "success": f"the last command failed with exit code {turn.exit_code}" if turn.exit_code else "",
        "passed": "the last tests failed" if turn.tests_failed and not turn.exit_code else "",
    }
    return tuple(fact for work, fact in facts.items() if fact and work in works)
