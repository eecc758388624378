"""What a model is told of replies that cannot be used: each one in a row gets another kind of help.

What has not helped once does not help twice: first the form is told, then shown with the model's own values,
and then the work is made smaller.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from text_agent.lazy_regex import late_pattern
from text_agent.protocol.binding.aliases import resolve_tool_name
from text_agent.protocol.templates import load_template
from text_agent.protocol.tool import ToolDescription, ToolDescriptions
from text_agent.protocol.types import MalformedCall
from text_agent.protocol.writing import render_malformed

# The templates of the second and the third time, for a call and for a reply that holds none.
_CALL_HELP = ("own_values", "smaller_steps")
_REPLY_HELP = ("no_answer_again", "smaller_steps")
# A value that certainly ends: a string on one line, a number or a constant before the next key, or the end.
_VALUE = (
    r"\s*[:=]\s*(?:(?P<json>\"(?:[^\"\\\n]|\\.)*\"|-?\d+|true|false|null)|'(?P<plain>[^'\\\n]*)')"
    r"(?=\s*(?:,\s*[\"']?\w+[\"']?\s*[:=]|[)}\]]))"
)
_TAGGED = (
    r"<{name}>(?P<tagged>[^<\n]*)</{name}>"
    r"|<parameter(?:=| name=[\"']?){name}[\"']?>(?P<parameter>[^<\n]*)</parameter>"
)
_ANY_FORM = "tool: NAME({...})"


def correct_call(call: MalformedCall, reply: str, tools: ToolDescriptions, times_before: int) -> str:
    """Tells the model why a call could not be read, and how to write it.

    `times_before`: how many replies in a row could not be used before this one.
    """
    if not times_before:
        return render_malformed(call, tools)
    name = resolve_tool_name(call.name, tools) if call.name else None
    written = reply[slice(*call.span)]
    form = call.suggestion or (_form(tools[name], written) if name else _forms(tools))
    return _help(_CALL_HELP, times_before, call.error, form, _form(tools[name]) if name else _ANY_FORM)


def correct_reply(note: str, error: str, tools: ToolDescriptions, times_before: int) -> str:
    """Tells the model why a reply without a call is no answer; `note` is what it is told the first time."""
    return _help(_REPLY_HELP, times_before, error, _forms(tools), _ANY_FORM) if times_before else note


def _help(templates: tuple[str, ...], times_before: int, error: str, call: str, form: str) -> str:
    template = load_template(templates[min(times_before, len(templates)) - 1])
    return template.safe_substitute(error=error.strip().rstrip("."), call=call, form=form)


def _forms(tools: ToolDescriptions) -> str:
    return "\n".join(map(_form, tools.values()))


def _form(description: ToolDescription, written: str = "") -> str:
    """A call with the values that are certain in what was written, and dots for others: those do not run.

    A text that may stand in a block is left out, and asked for there.
    """
    own = _own_values(description, written)
    values = {name: json.dumps(value, ensure_ascii=False) for name, value in own}
    payload = description.payload
    shown = [
        f'"{name}": {values.get(name, "...")}'
        for name in description.properties
        if name in values or (name in description.required and name != payload)
    ]
    call = f"tool: {description.name}({{{', '.join(shown)}}})"
    in_block = payload is not None and payload not in values
    return f"{call}\n(and `{payload}` in a fenced block directly under it)" if in_block and written else call


def _own_values(description: ToolDescription, written: str) -> Iterator[tuple[str, Any]]:
    for name in description.properties:
        key = re.escape(name)
        tagged = _TAGGED.format(name=key)
        pattern = late_pattern(rf"(?<![\w-])[\"']?{key}[\"']?{_VALUE}|{tagged}")
        found = list(pattern.finditer(written))
        if len(found) == 1:
            groups = found[0].groupdict()
            text = groups.pop("json")
            value = _loaded(text) if text else next(each for each in groups.values() if each is not None)
            if value is not None:
                yield name, value


def _loaded(text: str) -> Any:
    """A JSON value; None if it is none."""
    try:
        return json.loads(text)
    except ValueError:
        return None
