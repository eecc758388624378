"""What a tool's signature says, for the other parts of the protocol."""

from __future__ import annotations

import inspect

from text_agent.protocol.tool import ToolDescription


def render_signature(description: ToolDescription) -> str:
    """The tool's name and parameters, as in `read_file(path: str, start: int = 1)`."""
    parameters = description.signature.replace(return_annotation=inspect.Signature.empty)
    return f"{description.name}{parameters}"


def is_required(parameter: inspect.Parameter) -> bool:
    """Whether a call must give this parameter."""
    if parameter.default is not parameter.empty:
        return False
    return parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)


def payload_parameter(description: ToolDescription) -> str | None:
    """The parameter that a fenced block after the call stands for: the declared one, or the last text."""
    if description.words.payload is not None:
        return description.words.payload or None
    parameters = description.signature.parameters.values()
    texts = [
        parameter.name for parameter in parameters if is_required(parameter) and parameter.annotation is str
    ]
    return texts[-1] if texts else None
