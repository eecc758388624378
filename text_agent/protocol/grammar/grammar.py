"""A grammar of replies: with it, a server lets a model write well-formed calls only.

It is made from the tools' schemas, in the notation of llama.cpp (GBNF), and covers the whole reply:

    reply     = { thinking | line | shown | call | texted }
    call      = "tool: " NAME "({" arguments "})"
    texted    = a call without its last text, and directly below it a fence that holds that text
    shown     = a fence that is no request; never directly below a call, where it would be a made-up result;
                behind a text it has a word behind its marks, or it could belong to that text
    line      = any line that the parser takes for prose

Arguments come in the order of the schema, each with a value of its type, at every depth. What a line must
not be is a list of patterns (`_AT_START`, `_ANYWHERE`): wider than what the parser reads as a
call, never narrower.

The limit: a fence that shows a JSON object is free but for the names of tools; if the object has a name that
only means a tool (`"name": "grep"`), and all that the tool needs, the parser reads it as a call as ever.
"""

from __future__ import annotations

import json
import re
import types
from collections.abc import Container, Mapping, Sequence
from typing import Any

from text_agent.protocol.grammar.automaton import line_rules
from text_agent.protocol.markers import leads
from text_agent.protocol.schemas import Schema, alternatives
from text_agent.protocol.tool import ToolDescription, ToolDescriptions

_SPACE = "\t \xa0\u2000-\u200b\u202f\u3000"
# What may stand before a call that begins a line: bullets, numbers, boxes to tick, markup.
_BEFORE = rf"(?:[{_SPACE}\-*+\u2022\u2013\u2192#_`\[\]/0-9.)xX]|[a-z]\))*"
_AFTER = rf"[{_SPACE}*_`0-9]*[:\uff1a]"
# The beginnings of the keys that make an object a call: four letters tell them from most others.
_KEYS = r"name|tool|func|acti|reci|argu|para|inpu|kwar|type|id[\"'\u201d:]|thou|role|cont|inde|call"
_AT_START = (
    # Nothing but blanks is no line: below it, a fence would stand directly under a call.
    rf"[{_SPACE}]*\n",
    rf"(?i){_BEFORE}tool(?:[_{_SPACE}]*calls?)?{_AFTER}",
    rf"(?i){_BEFORE}tool[_{_SPACE}]*(?:result|output|respon)",
    rf"(?i){_BEFORE}(?:action|observations?|user|human){_AFTER}",
    *(f"{_BEFORE}{lead}" for lead in leads(at_start=True)),
    rf"[{_SPACE}]*analysis[A-Z]",
    rf"{_BEFORE}(?:```|~~~)",
    rf"{_BEFORE}{{[{_SPACE}]*[\"'\u201c]?(?:{_KEYS}|\n)",
    rf"{_BEFORE}(?:print\([{_SPACE}]*)?(?:(?:default_api|functions)\.)?(?:NAMES)[{_SPACE}\"'*`:0-9]*[({{\n]",
)
_ANYWHERE = (r"<!-", r"(?i)</?(?:obse|result|outp|s>)", r"</?(?:BEGINNINGS)", *leads(at_start=False))
# How much of a tool's name tells it from other names of tags.
_NAME_BEGINNING = 6
# In a block, a line of marks closes it, or begins another one inside.
_FENCE = rf"(?:[{_SPACE}\-*+\u2022#0-9.)]|[a-z]\))*```{{}}"
_REPLY = r"""
root ::= before
before ::= ("<think>" thought)? "</think>" gap? before | (line | shown) (gap before?)? | calls
calls ::= call (gap after?)? | texted (gap below?)?
after ::= line (gap between?)? | calls
between ::= (line | shown) (gap between?)? | calls
below ::= line (gap beyond?)? | (call | texted) (gap below?)?
beyond ::= (line | labelled) (gap beyond?)? | (call | texted) (gap below?)?
gap ::= "\n" "\n"? "\n"?
thought ::= ([^<] | "<"+ [^/|<])*
shown ::= near (opened3 near "```" | opened4 near "````") | far (opened3 " "* "```" | opened4 " "* "````")
labelled ::= near (label3 near "```" | label4 near "````")
near ::= (" " (" " " "?)?)?
far ::= "    " " "*
opened3 ::= "```" info shown3
opened4 ::= "````" info shown4
label3 ::= "```" word shown3
label4 ::= "````" word shown4
shown3 ::= "\n" (gap? (line "\n" (body3 "\n")* | [\x5B{] data "\n" (data "\n")*))?
shown4 ::= "\n" (gap? line "\n" (body4 "\n")*)?
info ::= word?
word ::= [a-zA-Z0-9+#.:/-]+
block ::= "```" info "\n" (text3 "\n")* "```" | "````" info "\n" (text4 "\n")* "````"
"""
JSON_RULES: Mapping[str, str] = types.MappingProxyType(
    {
        "comma": '"," " "?',
        "colon": '":" " "?',
        "string": r'"\"" character* "\""',
        "character": r'[^"\\\x00-\x1F] | "\\" (["\\/bfnrt] | "u" hex hex hex hex)',
        "hex": "[0-9a-fA-F]",
        # No longer than what any reader takes for exact.
        "integer": '"-"? ("0" | [1-9] digits)',
        "number": 'integer ("." [0-9] digits)? ([eE] [-+]? [0-9] [0-9]?)?',
        "digits": "([0-9] " * 14 + "[0-9]?" + ")?" * 14,
        "boolean": '"true" | "false"',
        "value": 'string | number | boolean | "null" | "[" (value (comma value)*)? "]" | object',
        "object": '"{" (string colon value (comma string colon value)*)? "}"',
    }
)
_SIMPLE = frozenset({"string", "integer", "number", "boolean", "object"})
# Objects and lists with a rule of their own, and how deep they are; beyond it, any value is taken.
_MAX_RULES = 500
_MAX_DEPTH = 40


def reply_grammar(tools: ToolDescriptions) -> str:
    """Makes a grammar of replies that call these tools in the taught form, for servers that take one.

    Args:
        tools: the tools that exist, by name.

    Returns:
        The grammar in the notation of llama.cpp (GBNF); empty if there are no tools. Never raises.

    >>> reply_grammar(tools).splitlines()[0]
    'root ::= before'
    """
    if not tools:
        return ""
    values = SchemaRules()
    numbered = list(enumerate(tools.values(), 1))
    calls = {f"call-{number}": _call(tool, values) for number, tool in numbered}
    texted = {
        f"texted-{number}": _call(tool, values, payload=False) for number, tool in numbered if tool.payload
    }
    rules = {
        "call": f'"tool: " ({" | ".join(calls)})',
        "texted": f'"tool: " ({" | ".join(texted)}) "\\n" block' if texted else "call",
        **calls,
        **texted,
        **JSON_RULES,
        **values.rules,
        **_lines(tools),
    }
    return _REPLY.lstrip() + "".join(f"{name} ::= {body}\n" for name, body in rules.items())


def _lines(tools: ToolDescriptions) -> Mapping[str, str]:
    """The rules for lines: of prose, in fences of three marks and of four, and of data in those of three."""
    names = "|".join(map(re.escape, tools))
    beginnings = "|".join(re.escape(name[:_NAME_BEGINNING]) for name in tools)
    anywhere = [pattern.replace("BEGINNINGS", beginnings) for pattern in _ANYWHERE]
    three, four = (_FENCE.format(more) for more in ("", "`"))
    return {
        **line_rules("line", [pattern.replace("NAMES", names) for pattern in _AT_START], anywhere),
        **line_rules("text3", [three]),
        **line_rules("text4", [four]),
        # What is shown may be no edit below the name of its file.
        **line_rules("body3", [three, *leads(at_start=True, kind="edit")]),
        **line_rules("body4", [four, *leads(at_start=True, kind="edit")]),
        **line_rules("data", [three], [f"[\"'](?:{names})[\"']", rf"(?:{names})[{_SPACE}]*\("]),
    }


def _call(tool: ToolDescription, values: SchemaRules, *, payload: bool = True) -> str:
    """A call of a tool behind `tool: `, with all that it needs; perhaps without its payload."""
    properties = {key: schema for key, schema in tool.properties.items() if payload or key != tool.payload}
    members = values.members(properties, tool.required, tool.parameters)
    return f'{quoted(tool.name + "({")} {members} "}})"'


class SchemaRules:
    """Makes rules of schemas; those of objects and lists have names, so that a schema may hold itself."""

    def __init__(self) -> None:
        self.rules: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._depth = 0

    def members(self, properties: Mapping[str, Any], required: Container[str], root: Schema) -> str:
        """The members of an object: in their order, and the optional ones only perhaps."""
        return _in_order(
            [
                (f"{_literal(name)} colon {self.value(schema, root)}", name in required)
                for name, schema in properties.items()
            ]
        )

    def value(self, schema: Any, root: Schema) -> str:
        """What accepts a value of a schema, its limits aside."""
        parts = dict.fromkeys(self._plain(plain, root) for plain in alternatives(schema, root))
        return f"({' | '.join(parts)})" if len(parts) > 1 else next(iter(parts), "value")

    def _plain(self, plain: Schema, root: Schema) -> str:
        if "enum" in plain:
            return f"({' | '.join(map(_literal, plain['enum']))})"
        kind = plain.get("type")
        has_members = plain.get("properties") or isinstance(plain.get("additionalProperties"), Mapping)
        if kind == "array" or (kind == "object" and has_members):
            return self._named(plain, root)
        if kind == "null":
            return '"null"'
        return kind if kind in _SIMPLE else "value"

    def _named(self, plain: Schema, root: Schema) -> str:
        key = json.dumps(plain, sort_keys=True, default=str)
        if key not in self._names:
            if len(self._names) == _MAX_RULES or self._depth == _MAX_DEPTH:
                return "value"
            name = self._names[key] = f"value-{len(self._names) + 1}"
            self._depth += 1
            self.rules[name] = self._body(plain, root)
            self._depth -= 1
        return self._names[key]

    def _body(self, plain: Schema, root: Schema) -> str:
        if plain["type"] == "array":
            item = self.value(plain.get("items", True), root)
            return f'"[" ({item} (comma {item})*)? "]"'
        if plain.get("properties"):
            return f'"{{" {self.members(plain["properties"], plain.get("required", ()), root)} "}}"'
        member = f"string colon {self.value(plain['additionalProperties'], root)}"
        return f'"{{" ({member} (comma {member})*)? "}}"'


def _in_order(members: Sequence[tuple[str, bool]]) -> str:
    """Members, each with whether it must be there."""
    if not members:
        return '""'
    (first, is_required), *rest = members
    further = [f"comma {member}" if must else f"(comma {member})?" for member, must in rest]
    begun = " ".join([first, *further])
    return begun if is_required else f"({begun} | {_in_order(rest)})"


def _literal(value: Any) -> str:
    """A JSON value that stands as it is."""
    return quoted(json.dumps(value, ensure_ascii=False))


def quoted(text: str) -> str:
    """A text as a grammar has it."""
    return json.dumps(text, ensure_ascii=False)
