"""Tools of other programs, as their definitions for function calling have them."""

from __future__ import annotations

from typing import Any

from text_agent.protocol.tool import ToolDescription, ToolWords

TEXT = {"type": "string"}
WHOLE = {"type": "integer"}


def obj(required: str = "", **properties: Any) -> dict[str, Any]:
    """The schema of an object."""
    return {"type": "object", "properties": properties, "required": required.split()}


def tool(
    name: str, parameters: dict[str, Any], words: ToolWords | None = None, description: str = "A tool."
) -> ToolDescription:
    """A tool of another program."""
    return ToolDescription.from_schema(name, description, parameters, words)


_NODE = {
    "type": "object",
    "properties": {
        "title": TEXT,
        "kind": {"enum": ["task", "note"]},
        "parent": {"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}]},
        "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
    },
    "required": ["title"],
}
_DAY = {"type": "object", "properties": {"date": TEXT}, "required": ["date"], "additionalProperties": False}
_MOMENT = {"properties": {"dateTime": TEXT, "timeZone": TEXT}, "required": ["dateTime"]}

CALENDAR = tool(
    "mcp__calendar__create-event",
    obj(
        "summary start",
        summary=TEXT,
        start={"oneOf": [_DAY, _MOMENT]},
        attendees={"type": "array", "items": obj("email", email=TEXT, optional={"type": "boolean"})},
        reminders=obj(
            useDefault={"type": "boolean"},
            overrides={
                "type": "array",
                "items": obj(
                    "method minutes",
                    method={"type": "string", "enum": ["email", "popup"]},
                    minutes={"type": "integer", "minimum": 0},
                ),
            },
        ),
        lines=TEXT,
        colorId={"type": ["string", "null"]},
    ),
)
WEB_SEARCH = tool("search", obj("query", query=TEXT, count={"type": "integer", "minimum": 1, "maximum": 20}))
ISSUES = tool(
    "github.list_issues",
    obj(
        "owner repo",
        owner=TEXT,
        repo=TEXT,
        filter=obj(
            status={"type": "string", "enum": ["open", "closed", "all"]},
            labels={"type": "array", "items": TEXT},
            milestone={"anyOf": [{"type": "integer"}, {"const": "*"}, {"type": "null"}]},
        ),
        id={"type": "integer"},
        number=TEXT,
    ),
)
EDIT = tool(
    "edit_file",
    obj(
        "path edits",
        path=TEXT,
        edits={"type": "array", "items": obj("oldText newText", oldText=TEXT, newText=TEXT)},
        dryRun={"type": "boolean", "default": False},
    ),
)
CLICK = tool(
    "browser_click",
    {
        "type": "object",
        "properties": {
            "element": TEXT,
            "ref": TEXT,
            "button": {"enum": ["left", "right", "middle"]},
            "position": obj("x y", x={"type": "number"}, y={"type": "number"}),
            "modifiers": {"type": "array", "items": {"enum": ["Alt", "Shift"]}},
        },
        "required": ["element", "ref"],
        "additionalProperties": False,
        "$schema": "http://json-schema.org/draft-07/schema#",
    },
)
GREP = tool(
    "Grep",
    obj(
        "pattern",
        **{"pattern": TEXT, "-i": {"type": "boolean"}, "-A": WHOLE, "from": TEXT, "file-path": TEXT},
        output_mode={"type": "string", "enum": ["content", "files_with_matches", "count"]},
    ),
)
READ = tool(
    "Read", obj("file_path", file_path=TEXT, offset=WHOLE, limit=WHOLE), ToolWords(names="read_file cat view")
)
WRITE = tool("write", obj("content filePath", content=TEXT, filePath=TEXT))
TREE = tool(
    "api.tree",
    {
        "type": "object",
        "properties": {
            "root": {"$ref": "#/$defs/Node"},
            "weights": {"type": "object", "additionalProperties": WHOLE},
            "env": {"type": "object", "additionalProperties": TEXT},
            "version": {"const": 2},
            "any": {},
        },
        "required": ["root"],
        "$defs": {"Node": _NODE},
    },
)
NOW = tool("get-time", {"type": "object"})
FLAG = tool("-i", obj("from", **{"from": TEXT, "-i": {"type": "boolean"}}))

FOREIGN_TOOLS = {
    each.name: each
    for each in (CALENDAR, WEB_SEARCH, ISSUES, EDIT, CLICK, GREP, READ, WRITE, TREE, NOW, FLAG)
}
