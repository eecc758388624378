"""How well a model keeps to the form of calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

from text_agent.cli.doctor.findings import Finding, ok, warning
from text_agent.cli.doctor.prober import Answer
from text_agent.protocol.binding.bind import binds
from text_agent.protocol.tool import ToolDescriptions
from text_agent.protocol.types import MalformedCall, ToolCall

Form = Literal["well-formed", "repaired", "malformed", "without a call", "unasked call", "unfinished"]
_FENCE = "```"


def form_of_call(answer: Answer, tools: ToolDescriptions) -> Form:
    """The form of an answer that should be a call: of its worst call."""
    calls = answer.parsed.calls
    is_cut_in_call = bool(calls) and isinstance(last := calls[-1], MalformedCall) and last.cut
    if answer.is_cut and (not calls or is_cut_in_call):
        return "unfinished"
    if not calls:
        return "without a call"
    if not all(_can_run(call, tools) for call in calls):
        return "malformed"
    return "repaired" if any(isinstance(call, ToolCall) and call.repairs for call in calls) else "well-formed"


def form_of_words(answer: Answer) -> Form:
    """The form of an answer that should be words."""
    if answer.parsed.calls:
        return "unasked call"
    return "unfinished" if answer.is_unfinished else "well-formed"


def check_format(calls: Sequence[Form], words: Form) -> Finding:
    """How the answers keep to the form.

    Args:
        calls: the forms of those that should be calls.
        words: the form of the one that should be words.
    """
    if not any(form in ("well-formed", "repaired") for form in calls):
        sentence = f"The model wrote no call that can be run ({_counted([*calls, words])})."
        return Finding("failed", "format", sentence, "Take another model, such as a larger one for code.")
    forms = [*calls, words]
    if set(forms) == {"well-formed"}:
        return ok("format", f"All {len(forms)} replies were as taught.")
    remedy = "What is repaired runs, what is malformed costs another try; larger models do better."
    return warning("format", f"Of {len(forms)} replies: {_counted(forms)}.", remedy)


def check_fences(answers: Sequence[Answer]) -> Finding:
    """Whether calls stand in fences."""
    if any(_is_fenced(answer) for answer in answers):
        return ok("fences", "The model puts calls into fences; they are run all the same.")
    return ok("fences", "The model puts no calls into fences.")


def thinks(answers: Sequence[Answer]) -> bool:
    """Whether the model thinks before it answers."""
    return any(answer.thinks_in_text or answer.reasoning for answer in answers)


def check_thinking(answers: Sequence[Answer]) -> Finding:
    """Where the model thinks, if it does."""
    if any(answer.thinks_in_text for answer in answers):
        return ok("thinking", "The model writes it into its replies, in tags; no call in it runs.")
    if any(answer.reasoning for answer in answers):
        return ok("thinking", "The endpoint reports it apart from the replies.")
    return ok("thinking", "None was seen.")


def _can_run(call: ToolCall | MalformedCall, tools: ToolDescriptions) -> bool:
    return isinstance(call, ToolCall) and binds(call.name, call.arguments, tools)


def _is_fenced(answer: Answer) -> bool:
    return any(answer.text.count(_FENCE, 0, call.span[0]) % 2 == 1 for call in answer.parsed.calls)


def _counted(forms: Sequence[Form]) -> str:
    counts: Mapping[str, int] = Counter(forms)
    return ", ".join(f"{count} {form}" for form, count in counts.items())
