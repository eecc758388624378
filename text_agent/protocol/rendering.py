"""Writing the protocol: calls in the taught form, tool results, signatures."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from text_agent.messages import ToolResult
from text_agent.protocol.description import ToolDescription, ToolDescriptions

# Characters from which on a text is easier to write in a block than as a JSON string.
_LONG_TEXT = 200
# A tool's name in a result is the model's own word: no longer than any real name.
_NAME_MAX_CHARS = 60


def render_signature(description: ToolDescription) -> str:
    """The tool's name and parameters, as in `read_file(path: str, start: int = 1)`."""
    parameters = description.signature.replace(return_annotation=inspect.Signature.empty)
    return f"{description.name}{parameters}"


def payload_parameter(description: ToolDescription) -> str | None:
    """The parameter that a fenced block after the call stands for: the last required string."""
    required = [
        parameter.name
        for parameter in description.signature.parameters.values()
        if parameter.default is parameter.empty and parameter.annotation is str
    ]
    return required[-1] if required else None


def render_call(name: str, arguments: Mapping[str, Any], tools: ToolDescriptions | None = None) -> str:
    """A call in the taught form, which parses back to the same arguments.

    Where `tools` tells which argument may stand in a block, a long or multi-line text is put in one.
    """
    parameter = payload_parameter(tools[name]) if tools and name in tools else None
    text = arguments.get(parameter) if parameter else None
    if parameter and isinstance(text, str) and _wants_block(text):
        return render_call_with_payload(name, arguments, parameter)
    return f"tool: {name}({render_json(arguments)})"


def render_call_with_payload(name: str, arguments: Mapping[str, Any], parameter: str) -> str:
    """A call whose argument `parameter`, a text, follows in a fenced block that nothing in it closes."""
    others = {key: value for key, value in arguments.items() if key != parameter}
    text: str = arguments[parameter]
    longest_run = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest_run + 1)
    return f"tool: {name}({render_json(others)})\n{fence}\n{text}\n{fence}"


def render_json(value: object) -> str:
    """JSON on one line, readable, and escaped as far as UTF-8 needs it (a lone surrogate)."""
    readable = json.dumps(value, ensure_ascii=False)
    try:
        readable.encode()
    except UnicodeEncodeError:
        return json.dumps(value)
    return readable


def render_results(results: Sequence[ToolResult]) -> str:
    """All results of a reply as the text of one message: a header line and the raw text of each."""
    return "\n\n".join(_render_result(result) for result in results)


def _render_result(result: ToolResult) -> str:
    name = " ".join(result.name.split())[:_NAME_MAX_CHARS]
    text = result.text.rstrip("\n") if result.text.strip() else "(no output)"
    return f"tool_result({name} #{result.number} {result.status}):\n{text}"


def _wants_block(text: str) -> bool:
    # Control characters and line breaks other than \n are safe in JSON only.
    plain = all(line.replace("\t", "").isprintable() for line in text.split("\n"))
    return plain and ("\n" in text or len(text) > _LONG_TEXT)
