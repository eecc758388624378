"""Tools that are described by a JSON Schema: what is told of them, and what their arguments may be."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

import pytest

from tests.support.foreign_tools import (
    CALENDAR,
    CLICK,
    EDIT,
    FOREIGN_TOOLS,
    GREP,
    ISSUES,
    NOW,
    READ,
    TEXT,
    TREE,
    WEB_SEARCH,
    WHOLE,
    WRITE,
    obj,
    tool,
)
from text_agent.errors import ArgumentError
from text_agent.protocol.binding.aliases import resolve_tool_name
from text_agent.protocol.binding.bind import bind_arguments
from text_agent.protocol.describing import describe
from text_agent.protocol.prompt import render_system_prompt
from text_agent.protocol.signatures import render_signature
from text_agent.protocol.tool import ToolDescription, ToolWords


def refusal(description: ToolDescription, arguments: dict[str, Any]) -> str:
    with pytest.raises(ArgumentError) as caught:
        bind_arguments(arguments, description)
    return str(caught.value).partition(" The call was not run.")[0]


def takes(schema: Any, value: Any) -> Any:
    """The value as a parameter of this schema gets it."""
    return bind_arguments({"x": value}, tool("t", obj(x=schema)))["x"]


# --- What the model is told ---


@pytest.mark.parametrize(
    ("description", "signature"),
    [
        (WEB_SEARCH, "search(query: str, count?: int)"),
        (WRITE, "write(content: str, filePath: str)"),
        (EDIT, "edit_file(path: str, edits: list[{oldText: str, newText: str}], dryRun: bool = False)"),
        (NOW, "get-time()"),
        (
            GREP,
            "Grep(pattern: str, -i?: bool, -A?: int, from?: str, file-path?: str,"
            " output_mode?: 'content' | 'files_with_matches' | 'count')",
        ),
        (
            TREE,
            "api.tree(root: Node {title: str, kind?: 'task' | 'note', parent?: Node | None,"
            " children?: list[Node]}, weights?: dict[str, int], env?: dict[str, str], version?: 2, any?)",
        ),
        (
            tool("odd", obj("", **{"a b": {"type": ["array", "null"]}, "c:d": True})),
            'odd("a b"?: list | None, "c:d"?)',
        ),
        (tool("never", obj(x=False)), "never(x?: nothing)"),
    ],
    ids=lambda value: value.name if isinstance(value, ToolDescription) else "",
)
def test_a_signature_tells_all_that_a_schema_takes(description: ToolDescription, signature: str) -> None:
    assert render_signature(description) == signature


def test_a_schema_that_holds_itself_without_an_end_is_told_in_part() -> None:
    endless = {"allOf": [{"$ref": "#/$defs/A"}, {}]}
    root = {**obj(x=endless), "$defs": {"A": obj(x=endless)}}
    assert len(render_signature(tool("t", root))) < 200


def test_the_prompt_tells_what_each_parameter_is() -> None:
    described = tool(
        "list",
        obj(
            filter={
                "description": "Which ones.",
                **obj(status={"enum": ["a"], "description": "Their\nstatus."}),
            },
            rows={
                "type": "array",
                "items": obj(n={"type": "integer", "minimum": 1, "description": "A number."}),
            },
        ),
        description="Lists.",
    )
    assert (
        "\n  Lists.\n  - filter: Which ones.\n  - filter.status: Their status.\n  - rows[].n: A number.\n"
        in render_system_prompt([described])
    )


# --- Functions ---


class Edit(TypedDict):
    old: str
    new: str


def test_a_function_is_described_by_its_signature_and_docstring() -> None:
    def change(
        path: str, edits: list[Edit], mode: Literal["a", "b"] = "a", limit: float | None = None, **more: Any
    ) -> None:
        """Changes a file."""

    described = describe(change, ToolWords(names="alter"), bound=1)
    assert (described.name, described.description, described.words.names) == (
        "change",
        "Changes a file.",
        "alter",
    )
    assert described.parameters == {
        "type": "object",
        "properties": {
            "edits": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"old": {"type": "string"}, "new": {"type": "string"}},
                    "required": ["old", "new"],
                },
            },
            "mode": {"enum": ["a", "b"], "default": "a"},
            "limit": {"anyOf": [{"type": "number"}, {"type": "null"}], "default": None},
        },
        "required": ["edits"],
        "additionalProperties": True,
    }
    arguments = {"edits": [{"old": "a", "new": "b"}], "limit": 1.5, "other": None}
    assert bind_arguments(arguments, described) == arguments


def test_a_function_with_a_type_that_json_has_not() -> None:
    def weigh(weight: complex) -> None: ...

    with pytest.raises(ValueError, match="complex"):
        describe(weigh)


# --- Payloads ---


@pytest.mark.parametrize(
    ("properties", "payload"),
    [
        ("path content", "content"),
        ("content filePath", "content"),
        ("file_path old_string new_string", "new_string"),
        ("path newText", "newText"),
        ("patch", "patch"),
        ("command id", "command"),
        ("message channel_id", "message"),
        ("path", None),
        ("old_path new_path", None),
        ("title owner repo", None),
        ("url name key", None),
        ("issueID", None),
    ],
)
def test_a_payload_is_a_content_and_never_a_path_or_an_id(properties: str, payload: str | None) -> None:
    schema = obj(properties, **{name: {"type": "string"} for name in properties.split()})
    assert tool("t", schema).payload == payload


@pytest.mark.parametrize("content", [{"enum": ["a"]}, {"type": ["string", "null"]}, {"type": "array"}, {}])
def test_only_free_text_is_a_payload(content: dict[str, Any]) -> None:
    assert tool("t", obj("content", content=content)).payload is None


# --- Names ---


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("read_file", "Read"),
        ("cat", "Read"),
        ("grep", "Grep"),
        ("mcp__calendar__create_event", "mcp__calendar__create-event"),
        ("get_time", "get-time"),
        ("rg", None),
        ("find", None),
        ("web_search", None),
    ],
)
def test_a_foreign_tool_is_found_by_its_own_words_only(written: str, meant: str | None) -> None:
    assert resolve_tool_name(written, FOREIGN_TOOLS) == meant


def test_a_web_search_is_no_grep() -> None:
    assert resolve_tool_name("grep", {"search": WEB_SEARCH}) is None


def test_a_range_is_split_for_line_numbers_only() -> None:
    assert refusal(WEB_SEARCH, {"query": "x", "lines": "10-20"}).startswith("there is no argument 'lines'")
    arguments = {"summary": "a", "start": {"date": "b"}, "lines": "10-20"}
    assert bind_arguments(arguments, CALENDAR) == arguments
    ranged = tool(
        "show", obj(first={"type": "integer"}, last={"type": "integer"}), ToolWords(lines=("first", "last"))
    )
    assert bind_arguments({"lines": "10-20"}, ranged) == {"first": 10, "last": 20}


# --- Values at every depth ---

ROOT: dict[str, Any] = {"root": {"title": "a"}}


@pytest.mark.parametrize(
    ("description", "given", "bound"),
    [
        (ISSUES, {"owner": "a", "repo": "b", "filter": '{"status": "open"}'}, {"filter": {"status": "open"}}),
        (ISSUES, {"owner": "a", "repo": "b", "filter": {"labels": "bug"}}, {"filter": {"labels": ["bug"]}}),
        (ISSUES, {"owner": "a", "repo": "b", "filter": {"milestone": "5"}}, {"filter": {"milestone": 5}}),
        (ISSUES, {"owner": "a", "repo": "b", "filter": {"milestone": "*"}}, {"filter": {"milestone": "*"}}),
        (ISSUES, {"owner": "a", "repo": "b", "filter": {"milestone": None}}, {"filter": {"milestone": None}}),
        (ISSUES, {"owner": "a", "repo": "b", "filter": {"status": None}}, {"filter": {}}),
        (ISSUES, {"owner": "a", "repo": "b", "id": 2**70 + 1}, {"id": 2**70 + 1}),
        (ISSUES, {"owner": "a", "repo": "b", "id": str(2**70 + 1)}, {"id": 2**70 + 1}),
        (ISSUES, {"owner": "a", "repo": "b", "number": "007"}, {"number": "007"}),
        (
            ISSUES,
            {"owner": "a", "repo": "b", "number": 12345678901234567890},
            {"number": "12345678901234567890"},
        ),
        (
            EDIT,
            {"path": "a", "edits": {"oldText": "b", "newText": "5"}},
            {"edits": [{"oldText": "b", "newText": "5"}]},
        ),
        (
            EDIT,
            {"path": "a", "edits": [{"old_text": 1, "newtext": ""}]},
            {"edits": [{"oldText": "1", "newText": ""}]},
        ),
        (EDIT, {"path": "a", "edits": "[]", "dry_run": "True"}, {"edits": [], "dryRun": True}),
        (
            CLICK,
            {"element": "a", "ref": "b", "position": {"x": "1.5", "y": 2}},
            {"position": {"x": 1.5, "y": 2}},
        ),
        (TREE, {**ROOT, "weights": {"a": "5", "A": 6.0}}, {"weights": {"a": 5, "A": 6}}),
        (TREE, {**ROOT, "env": {"B": "007", "b": 1}}, {"env": {"B": "007", "b": "1"}}),
        (TREE, {**ROOT, "version": "2"}, {"version": 2}),
        (TREE, {**ROOT, "any": {"x": [None, 1.0]}}, {"any": {"x": [None, 1.0]}}),
        (
            TREE,
            {"root": {"title": "a", "children": ['{"title": 1}', {"title": "b", "parent": {"title": "c"}}]}},
            {"root": {"title": "a", "children": [{"title": "1"}, {"title": "b", "parent": {"title": "c"}}]}},
        ),
        (CALENDAR, {"summary": "a", "start": {"date": 2026}}, {"start": {"date": "2026"}}),
        (CALENDAR, {"summary": "a", "start": {"datetime": "x"}}, {"start": {"dateTime": "x"}}),
        (CALENDAR, {"summary": "a", "start": {"date": "x"}, "colorId": None}, {"colorId": None}),
    ],
)
def test_a_value_is_read_at_every_depth(
    description: ToolDescription, given: dict[str, Any], bound: dict[str, Any]
) -> None:
    found = bind_arguments(given, description)
    assert {key: found[key] for key in bound} == bound
    assert bind_arguments(found, description) == found


@pytest.mark.parametrize(
    ("description", "given", "problem"),
    [
        (
            ISSUES,
            {"owner": "a", "repo": "b", "filter": {"status": "opne"}},
            'the argument \'filter.status\' must be one of "open", "closed", "all", but is "opne".',
        ),
        (
            ISSUES,
            {"owner": "a", "repo": "b", "filter": {"stat": "open"}},
            "there is no argument 'filter.stat' (did you mean 'status'?).",
        ),
        (
            EDIT,
            {"path": "a", "edits": [{"oldText": "a", "newText": "b"}, {"oldText": "c"}]},
            "the argument 'edits[1].newText' is missing.",
        ),
        (
            EDIT,
            {"path": "a", "edits": [{"oldText": ["c"], "newText": True}]},
            "the argument 'edits[0].oldText' must be str, but is [\"c\"];"
            " the argument 'edits[0].newText' must be str, but is true.",
        ),
        (
            CLICK,
            {"element": "a", "ref": "b", "modifiers": ["Alt", "Hyper"]},
            'the argument \'modifiers[1]\' must be one of "Alt", "Shift", but is "Hyper".',
        ),
        (
            TREE,
            {"root": {"title": "a", "children": [{"kind": "task"}]}},
            "'root.children[0].title' is missing.",
        ),
        (
            TREE,
            {"root": {"title": "a", "parent": {"title": "b", "kind": "x"}}},
            'the argument \'root.parent.kind\' must be one of "task", "note", but is "x".',
        ),
        (TREE, {**ROOT, "weights": {"a": "many"}}, "the argument 'weights.a' must be int, but is \"many\"."),
        (TREE, {**ROOT, "version": 3}, "the argument 'version' must be 2, but is 3."),
        (TREE, {"root": "a tree"}, "the argument 'root' must be Node {title: str, kind?: 'task'"),
        (WEB_SEARCH, {"query": "a", "count": 0}, "the argument 'count' must be at least 1, but is 0."),
        (WEB_SEARCH, {"query": "a", "count": "99"}, "the argument 'count' must be at most 20, but is 99."),
        (
            CALENDAR,
            {
                "summary": "a",
                "start": {"date": "x"},
                "reminders": {"overrides": [{"method": "sms", "minutes": 1}]},
            },
            'the argument \'reminders.overrides[0].method\' must be one of "email", "popup", but is "sms".',
        ),
        (CALENDAR, {"summary": "a", "start": {}}, "the argument 'start.date' is missing."),
        (
            ISSUES,
            {"owner": "a", "repo": "b", "filter": {"milestone": True}},
            "must be int | '*' | None, but is true.",
        ),
        (NOW, {"zone": "UTC"}, "there is no argument 'zone'."),
        (
            EDIT,
            {"path": "a", "edits": [{"oldText": "a", "old_text": "b", "newText": ""}]},
            "'edits[0].old_text' and another argument both mean 'edits[0].oldText'.",
        ),
    ],
)
def test_what_is_wrong_is_told_with_its_place(
    description: ToolDescription, given: dict[str, Any], problem: str
) -> None:
    assert problem in refusal(description, given)


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "integer"}, "007"),
        ({"type": "integer"}, "1_000"),
        ({"type": "integer"}, 1e300),
        ({"type": "number"}, "1e999"),
        ({"type": "number"}, "NaN"),
        ({"type": "null"}, 0),
        ({"type": "object"}, '{"a": NaN}'),
        ({"type": "object"}, [1]),
        ({"enum": [1]}, True),
        ({"enum": [1, "1"]}, "01"),
        ({"enum": [1]}, 1.5),
        ({"const": "a"}, "b"),
        (False, 1),
        ({"type": "string", "pattern": "^a+$"}, "b"),
        ({"type": "string", "minLength": 2}, "b"),
        ({"type": "string", "maxLength": 2}, "bcd"),
        ({"type": "array", "minItems": 1}, []),
        ({"type": "array", "maxItems": 1}, [1, 2]),
        ({"type": "object", "minProperties": 1}, {}),
        ({"type": "object", "maxProperties": 0}, {"a": 1}),
        ({"type": "number", "exclusiveMinimum": 1}, 1),
        ({"type": "number", "exclusiveMaximum": 1}, 1),
        ({"type": "number", "multipleOf": 0.5}, 0.7),
        ({"type": "array", "items": {"type": "integer"}}, None),
        ({"type": "array", "prefixItems": [{"type": "integer"}], "items": False}, [1, 2]),
        ({"allOf": [{"type": "integer"}, {"type": "string"}]}, 1),
        ({"allOf": [{"enum": ["a", "b"]}, {"enum": ["b", "c"]}]}, "a"),
        ({"allOf": [obj("a", a=TEXT), obj("b", b=TEXT)]}, {"a": "x"}),
        ({"patternProperties": {"^x-": {"type": "integer"}}, "additionalProperties": False}, {"y": 1}),
        ({"$ref": "#/properties/x"}, 1),
    ],
)
def test_what_does_not_fit_is_refused(schema: Any, value: Any) -> None:
    with pytest.raises(ArgumentError):
        bind_arguments({"x": value}, tool("t", obj("x", x=schema)))


@pytest.mark.parametrize(
    ("schema", "value", "bound"),
    [
        ({"enum": [1, "1"]}, "1", "1"),
        ({"enum": [1, "b"]}, "1", 1),
        ({"enum": [None, True]}, "null", None),
        ({"enum": [[1], {"a": 1}]}, {"a": 1}, {"a": 1}),
        ({"type": "integer", "nullable": True}, None, None),
        ({"type": "integer", "nullable": True}, "null", None),
        ({"oneOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "integer"}]}, "5", 5),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, "007", "007"),
        ({"allOf": [{"type": "number"}, {"type": "integer"}]}, "5", 5),
        (
            {"properties": {"a": {"type": "integer"}}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
            {"a": "1"},
            {"a": 1},
        ),
        ({"patternProperties": {"^x-": {"type": "integer"}}}, {"x-a": "1", "y": "1"}, {"x-a": 1, "y": "1"}),
        ({"type": "string", "pattern": "["}, "a", "a"),
        ({"$ref": "https://example.org/schema.json"}, {"a": 1}, {"a": 1}),
        ({"$ref": "#/gone"}, [1], [1]),
        ({"$ref": "#/$defs/a~1b%20c/anyOf/1"}, "1", 1),
        ({"$ref": "#/$defs/a~1b%20c/anyOf/9"}, "1", "1"),
        (
            {"type": "object", "properties": {"a": True}, "required": ["a", "b"]},
            {"a": 1, "b": 2},
            {"a": 1, "b": 2},
        ),
        ({"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}]}, ["1"], [1]),
    ],
)
def test_what_fits_is_taken(schema: Any, value: Any, bound: Any) -> None:
    root = {**obj(x=schema), "$defs": {"a/b c": {"anyOf": [{"type": "string"}, {"type": "integer"}]}}}
    found = bind_arguments({"x": value}, tool("t", root))["x"]
    assert found == bound
    assert type(found) is type(bound)


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ({"kind": "b", "y": "z"}, "the argument 'x.y' must be int, but is \"z\"."),
        ({"kind": "b", "x": 1, "y": 1}, "there is no argument 'x.x'."),
        ({"kind": "c", "y": 1}, "the argument 'x.kind' must be 'b', but is \"c\"."),
    ],
)
def test_of_several_schemas_the_nearest_tells_what_is_wrong(value: Any, problem: str) -> None:
    kinds = [obj("kind", kind={"const": kind}, **{name: WHOLE}) for kind, name in (("a", "x"), ("b", "y"))]
    assert refusal(tool("t", obj(x={"oneOf": kinds})), {"x": value}) == problem


@pytest.mark.parametrize(
    ("schema", "given", "bound"),
    [
        ({"type": "OBJECT", "properties": {"a": {"type": "STRING"}}}, {"a": 1}, {"a": "1"}),
        (
            {"properties": {"a": {"type": "integer", "enum": None, "description": None}}, "required": None},
            {"a": "1"},
            {"a": 1},
        ),
        ({"properties": {"a": {"type": "integer", "required": True}}}, {}, {}),
        ({"type": "object", "properties": None}, {}, {}),
        ({"type": ["object", "null"], "properties": {"a": {"type": "integer"}}}, {"a": "1"}, {"a": 1}),
        (
            {"properties": {"a": {"items": [{"type": "integer"}, {"type": "string"}]}}},
            {"a": ["1", 2]},
            {"a": [1, "2"]},
        ),
    ],
)
def test_a_schema_in_another_way_of_writing_it(
    schema: dict[str, Any], given: dict[str, Any], bound: dict[str, Any]
) -> None:
    assert bind_arguments(given, tool("t", schema)) == bound


@pytest.mark.untraced
def test_a_long_list_is_checked_whole() -> None:
    values = [*map(str, range(20_000))]
    assert takes({"type": "array", "items": {"type": "integer"}}, values) == [*range(20_000)]
    assert takes({"type": "array", "items": {"type": "integer"}}, f"[{', '.join(values)}]") == [
        *range(20_000)
    ]
    assert "'x[7]' must be int" in refusal(
        tool("t", obj(x={"type": "array", "items": {"type": "integer"}})), {"x": [*values[:7], "a"]}
    )


def test_a_root_that_is_composed_is_one_object() -> None:
    described = tool(
        "t",
        {
            "$ref": "#/$defs/Arguments",
            "$defs": {
                "Arguments": {
                    "allOf": [obj("a", a=WHOLE), obj("b", b=WHOLE)],
                    "anyOf": [{"required": ["c"]}, {}],
                }
            },
        },
    )
    assert (list(described.properties), list(described.required)) == (["a", "b"], ["a", "b"])
    assert bind_arguments({"a": "1", "b": 2}, described) == {"a": 1, "b": 2}


def test_a_schema_that_asks_for_endless_work_is_refused_in_the_end() -> None:
    many = {"anyOf": [{"type": "array", "items": {"$ref": "#/$defs/A"}}] * 4}
    root = {**obj("x", x={"$ref": "#/$defs/A"}), "$defs": {"A": many}}
    value: Any = "x"
    for _ in range(30):
        value = [value]
    with pytest.raises(ArgumentError):
        bind_arguments({"x": value}, tool("t", root))


def test_a_plain_description_needs_no_schema() -> None:
    assert bind_arguments({}, ToolDescription.from_schema("now")) == {}
    assert READ.takes("offset", "integer")
