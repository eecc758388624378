"""Writing the protocol: calls in the taught form, results, and what the model is told about its calls.

The longer texts lie in `prompts/`. None of them holds a line that our own parser would run, except
the corrected call that the model is to write.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from text_agent.errors import ArgumentError
from text_agent.protocol.binding.aliases import nearest_tool, resolve_tool_name
from text_agent.protocol.binding.bind import bind_arguments
from text_agent.protocol.signatures import render_signature
from text_agent.protocol.templates import fill_template
from text_agent.protocol.tool import ToolDescription, ToolDescriptions
from text_agent.protocol.types import MalformedCall, ToolCall, ToolResult

# Characters from which on a text is easier to write in a block than as a JSON string.
_LONG_TEXT = 200
# A tool's name in a result is the model's own word: no longer than any real name.
_NAME_MAX_CHARS = 60
# Characters of what a reply repeats that it is shown: enough to know it, too few to fall into it again.
_REPEATED_MAX_CHARS = 100
# Characters of one part of a long text: never less than this, however early the reply was cut.
_PART_MIN_CHARS = 500


def render_call(name: str, arguments: Mapping[str, Any], tools: ToolDescriptions | None = None) -> str:
    """A call in the taught form, which parses back to the same arguments.

    Args:
        name: the tool's.
        arguments: JSON values by the names of the parameters.
        tools: tell which argument may stand in a block: a long or multi-line text is put in one.

    Returns:
        The line of the call, and the block that belongs to it.

    Raises:
        TypeError: an argument is no value of JSON.

    >>> print(render_call("read_note", {"name": "a"}))
    tool: read_note({"name": "a"})
    """
    parameter = tools[name].payload if tools and name in tools else None
    text = arguments.get(parameter) if parameter else None
    if parameter and isinstance(text, str) and _wants_block(text):
        return render_call_with_payload(name, arguments, parameter)
    return f"tool: {name}({_json(arguments)})"


def render_call_with_payload(name: str, arguments: Mapping[str, Any], parameter: str) -> str:
    """A call whose argument `parameter`, a text, follows in a fenced block that nothing in it closes."""
    others = {key: value for key, value in arguments.items() if key != parameter}
    return f"tool: {name}({_json(others)})\n{render_block(arguments[parameter])}"


def render_block(text: str, language: str = "") -> str:
    """A text as a fenced block that nothing in it closes.

    `language`: the word behind the fence that opens the block.
    """
    longest_run = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest_run + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def render_results(results: Sequence[ToolResult]) -> str:
    """Writes all results of a reply as the text of one message.

    Args:
        results: one for each call of the reply, in its order; texts from outside must have been neutralised.

    Returns:
        A header line and the raw text of each; never raises.

    >>> print(render_results([ToolResult(1, "read_note", "ok", "buy milk")]))
    tool_result(read_note #1 ok):
    buy milk
    """
    return "\n\n".join(_result(result) for result in results)


def render_malformed(call: MalformedCall, tools: ToolDescriptions) -> str:
    """Tells the model why a call could not be read, and how to write it.

    Args:
        call: one of the calls of a parsed reply.
        tools: the tools that exist, by name.

    Returns:
        A text for the result of the call; never raises.

    >>> call = parse_reply('tool: read_note({"name": )', tools).calls[0]
    >>> "read_note(name: str, lines: int = 10)" in render_malformed(call, tools)
    True
    """
    name = resolve_tool_name(call.name, tools) if call.name else None
    if call.cut:
        return _cut(call, name, tools)
    facts = f"Signature: {render_signature(tools[name])}" if name else f"Tools: {', '.join(tools)}"
    if call.suggestion:
        advice = fill_template("corrected_call", call=call.suggestion)
    else:
        advice = fill_template("call_form", form=render_form(tools[name]) if name else "tool: NAME({...})")
    return fill_template("malformed_call", error=call.error.strip().rstrip("."), facts=facts, advice=advice)


def render_unknown_tool(name: str, arguments: Mapping[str, Any], tools: ToolDescriptions) -> str:
    """Tells the model which tools there are, and the call that it may have meant.

    Args:
        name: as the model wrote it.
        arguments: of its call.
        tools: the tools that exist, by name.

    Returns:
        A text for the result of the call; never raises.

    >>> 'tool: read_note({"name": "a"})' in render_unknown_tool("read_notes", {"name": "a"}, tools)
    True
    """
    return fill_template(
        "unknown_tool",
        name=_short(name),
        tools=", ".join(tools),
        advice=_nearest_call(nearest_tool(name, tools), arguments, tools),
    )


def bind_call(call: ToolCall | MalformedCall, tools: ToolDescriptions) -> tuple[str, dict[str, Any]]:
    """Finds the tool of a call, and binds the arguments to its parameters.

    Args:
        call: one of the calls of a parsed reply.
        tools: the tools that exist, by name.

    Returns:
        The tool's own name, and the arguments under its own names, as `bind_arguments` gives them.

    Raises:
        ArgumentError: the call is malformed, no such tool exists, or the arguments do not fit it; its text
            tells the model what to write.

    >>> bind_call(ToolCall("Read-Note", {"name": "a"}), tools)
    ('read_note', {'name': 'a'})
    """
    if isinstance(call, MalformedCall):
        raise ArgumentError(render_malformed(call, tools))
    name = resolve_tool_name(call.name, tools)
    if name is None:
        raise ArgumentError(render_unknown_tool(call.name, call.arguments, tools))
    return name, bind_arguments(call.arguments, tools[name])


def render_repetition(text: str) -> str:
    """Tells the model that its reply was stopped because it repeated `text` without end."""
    return fill_template("repetition", text=_json(" ".join(text.split())[:_REPEATED_MAX_CHARS]))


def render_echo(name: str) -> str:
    """Tells the model that its call of the tool `name` equals one in a text that it was shown."""
    return fill_template("echo", name=_short(name))


def render_standard_input(request: str, data: str) -> str:
    """The user's request with data from standard input, which must have been made harmless."""
    return fill_template("standard_input", request=request.strip(), data=data.strip("\n"))


def render_undone(paths: Iterable[str]) -> str:
    """Tells the model that the user took back what it did to these files."""
    return fill_template("undone", paths=", ".join(_json(path) for path in paths))


def _json(value: object) -> str:
    readable = json.dumps(value, ensure_ascii=False)
    try:
        readable.encode()
    except UnicodeEncodeError:
        # A lone surrogate, which UTF-8 cannot carry but a JSON escape can.
        return json.dumps(value)
    return readable


def _wants_block(text: str) -> bool:
    # Control characters and line breaks other than \n are safe in JSON only.
    plain = all(line.replace("\t", "").isprintable() for line in text.split("\n"))
    return plain and ("\n" in text or len(text) > _LONG_TEXT)


def _result(result: ToolResult) -> str:
    text = result.text.rstrip("\n") if result.text.strip() else "(no output)"
    return f"tool_result({_short(result.name)} #{result.number} {result.status}):\n{text}"


def _short(name: str) -> str:
    """A name that the model made up, on one line and of bounded length."""
    return " ".join(name.split())[:_NAME_MAX_CHARS]


def render_form(description: ToolDescription, without: str | None = None) -> str:
    """How a call of a tool is written, with dots for values: not a call that could be run.

    `without`: a required parameter that the call leaves out.
    """
    required = [f"{_json(name)}: ..." for name in description.required if name != without]
    return f"tool: {description.name}({{{', '.join(required) or '...'}}})"


def _nearest_call(nearest: str | None, arguments: Mapping[str, Any], tools: ToolDescriptions) -> str:
    if nearest is None:
        return fill_template("no_nearest_tool")
    try:
        bound = bind_arguments(arguments, tools[nearest])
    except ArgumentError:
        return fill_template("nearest_tool", signature=render_signature(tools[nearest]))
    return fill_template("corrected_call", call=render_call(nearest, bound, tools))


def _cut(call: MalformedCall, name: str | None, tools: ToolDescriptions) -> str:
    characters = call.span[1] - call.span[0]
    # A long text can be sent in parts where one tool begins a file and another one extends it.
    pairs = [(known, tool.words.continued_by) for known, tool in tools.items()]
    begin, extend = next((pair for pair in pairs if name in pair and pair[1] in tools), ("", ""))
    if begin:
        part = max(_PART_MIN_CHARS, characters // 2)
        advice = fill_template("text_in_parts", part=part, write=begin, edit=extend)
    else:
        advice = fill_template("shorter_call")
    return fill_template("cut_call", name=_short(call.name or "a tool"), characters=characters, advice=advice)
