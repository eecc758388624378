"""What a model is told once when it ends a turn too early, where nobody could tell it.

Every model may announce work and stop, or leave its plan unfinished. Small ones also describe a change
instead of making it, take a failed change for a made one, and answer about files without looking; others do
so with reason, and it would cost them a request. Each is seen from the facts of the turn, and said once.
"""

from __future__ import annotations

from collections.abc import Mapping

from text_agent.agent.small_models.project_view import named_identifiers
from text_agent.agent.small_models.unfinished_work import announces_work
from text_agent.agent.turn import Nudge, TurnFacts
from text_agent.protocol.reading.blocks import unwritten_files
from text_agent.protocol.templates import load_template
from text_agent.protocol.tool import ToolDescriptions
from text_agent.protocol.writing import render_call
from text_agent.tools.editing.renaming import asked_renaming

# The part of a file's lines that a new version of it has, too.
_KEPT_SHARE = 0.3


def choose_nudge(
    facts: TurnFacts, answer: str, tools: ToolDescriptions, *, is_small_model: bool = False
) -> str:
    """What to tell the model instead of taking its reply for the answer; empty if it is one.

    Args:
        facts: what the turn has come to; the nudge is noted there, and not given again.
        answer: the reply, which holds no call.
        tools: those that the model may call.
        is_small_model: whether it needs to hear all that could be said.
    """
    for_small = _for_small_models(facts, answer, tools) if is_small_model else {}
    for nudge, text in {**for_small, **_for_all(facts, answer)}.items():
        if nudge not in facts.given and text:
            facts.given.add(nudge)
            return text
    return ""


def _for_small_models(facts: TurnFacts, answer: str, tools: ToolDescriptions) -> Mapping[Nudge, str]:
    """What could be said, the most urgent first; an empty text where there is no reason to."""
    return {
        "unwritten": "" if facts.changed else _unwritten(facts, answer, tools),
        "failed": load_template("failed_change").substitute() if facts.failed and not facts.changed else "",
        "unrenamed": _unrenamed(facts) if facts.changed else "",
        "unseen": "" if facts.looked or facts.sees_all else _unseen(facts.request, tools),
    }


def _for_all(facts: TurnFacts, answer: str) -> Mapping[Nudge, str]:
    if facts.denied or facts.given:
        return {}
    return {"announced": _announced(answer), "planned": _planned(facts.open_step)}


def _unwritten(facts: TurnFacts, answer: str, tools: ToolDescriptions) -> str:
    calls = [
        render_call("write_file", {"path": path, "content": text}, tools)
        for path, text in unwritten_files(answer, facts.request).items()
        if is_new_version(text, facts.texts.get(path, ""))
    ]
    return load_template("unwritten").substitute(calls="\n\n".join(calls)) if calls else ""


def is_new_version(text: str, before: str) -> bool:
    """Whether a text that was shown can be meant for a file with the text `before`: it has lines of it."""
    old = {line.strip() for line in before.splitlines()} - {""}
    new = {line.strip() for line in text.splitlines()} - {""}
    return text.strip() != before.strip() and len(old & new) >= _KEPT_SHARE * len(old)


def _unrenamed(facts: TurnFacts) -> str:
    renaming = asked_renaming(facts.request)
    lines = facts.find(renaming.pattern) if renaming else ()
    if not renaming or not lines:
        return ""
    path = lines[0].partition(":")[0]
    return load_template("unrenamed").substitute(
        old=renaming.old, new=renaming.new, lines="\n".join(lines), path=path
    )


def _unseen(request: str, tools: ToolDescriptions) -> str:
    names = named_identifiers(request)
    call = render_call("search", {"pattern": names[0]}, tools) if names else ""
    return load_template("unseen").substitute(
        example=f", for example:\n\n{call}" if call else " with search."
    )


def _announced(answer: str) -> str:
    return load_template("nudge_announcement").substitute() if announces_work(answer) else ""


def _planned(open_step: str) -> str:
    return load_template("nudge_plan").substitute(step=open_step) if open_step else ""
