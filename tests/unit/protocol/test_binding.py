from __future__ import annotations

import inspect
from typing import Any, Literal

import pytest

from tests.support.described_tools import (
    FOUR_TOOLS,
    SEVEN_TOOLS,
    described,
    edit_file,
    like_ours,
    read_file,
)
from text_agent.errors import ArgumentError
from text_agent.protocol.binding.aliases import folded_words, nearest_tool, resolve_tool_name
from text_agent.protocol.binding.bind import bind_arguments, binds
from text_agent.protocol.describing import describe


def bind(name: str, **arguments: Any) -> dict[str, Any]:
    return bind_arguments(arguments, SEVEN_TOOLS[name])


def refusal(name: str, **arguments: Any) -> str:
    with pytest.raises(ArgumentError) as caught:
        bind(name, **arguments)
    return str(caught.value)


# --- Names of tools ---


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("read_file", "read_file"),
        ("ReadFile", "read_file"),
        ("read-file", "read_file"),
        ("read file", "read_file"),
        ("RUN_COMMAND", "run_command"),
        ("bash", "run_command"),
        ("Bash", "run_command"),
        ("run_shell", "run_command"),
        ("executeCommand", "run_command"),
        ("grep", "search"),
        ("rg", "search"),
        ("glob_files", "list_files"),
        ("list_dir", "list_files"),
        ("ls", "list_files"),
        ("cat", "read_file"),
        ("Read", "read_file"),
        ("Write", "write_file"),
        ("Edit", "edit_file"),
        ("str_replace", "edit_file"),
        ("create_file", "write_file"),
        ("TodoWrite", "update_plan"),
        ("teleport", None),
        ("", None),
        # Near, but with arguments that mean something else.
        ("execute_python", None),
    ],
)
def test_a_tool_is_found_by_the_names_that_models_use(written: str, meant: str | None) -> None:
    assert resolve_tool_name(written, SEVEN_TOOLS) == meant


def test_an_alias_of_an_absent_tool_is_no_tool() -> None:
    assert resolve_tool_name("bash", FOUR_TOOLS) is None


def test_a_real_tool_is_never_taken_for_an_alias() -> None:
    def grep(word: str) -> None: ...

    tools = described(grep) | dict(SEVEN_TOOLS)
    assert resolve_tool_name("grep", tools) == "grep"
    assert resolve_tool_name("Grep", tools) == "grep"


def test_two_tools_that_differ_in_spelling_only_must_be_named_exactly() -> None:
    def readfile(path: str) -> None: ...

    tools = described(readfile, read_file)
    assert resolve_tool_name("readfile", tools) == "readfile"
    assert resolve_tool_name("ReadFile", tools) is None


@pytest.mark.parametrize(
    ("written", "tools", "nearest"),
    [
        ("execute_python", SEVEN_TOOLS, "run_command"),
        ("read_fil", SEVEN_TOOLS, "read_file"),
        ("serach", SEVEN_TOOLS, "search"),
        ("apply_patch", SEVEN_TOOLS, "edit_file"),
        ("bash", SEVEN_TOOLS, "run_command"),
        ("write_file", like_ours(edit_file, read_file), "edit_file"),
        ("zzz", SEVEN_TOOLS, None),
    ],
)
def test_the_nearest_tool_is_proposed(written: str, tools: Any, nearest: str | None) -> None:
    assert nearest_tool(written, tools) == nearest


def test_no_alias_of_a_tool_means_two_tools() -> None:
    words = [tool.words for tool in SEVEN_TOOLS.values()]
    for table in ([each.names for each in words], [each.relatives for each in words]):
        names = [alias for aliases in table for alias in folded_words(aliases)]
        assert len(set(names)) == len(names) > 10


def test_no_alias_fits_two_required_parameters_of_one_tool() -> None:
    for tool in SEVEN_TOOLS.values():
        required = tool.required
        names = [alias for name in required for alias in folded_words(tool.words.parameters.get(name, ""))]
        assert len(set(names)) == len(names), tool.name


# --- Names of arguments ---


@pytest.mark.parametrize(
    "alias", ["filename", "file_path", "file", "filepath", "filePath", "Path", "target-file"]
)
def test_a_path_is_found_under_its_aliases(alias: str) -> None:
    assert bind("read_file", **{alias: "a.py"}) == {"path": "a.py"}


def test_every_parameter_has_its_aliases() -> None:
    assert bind("run_command", cmd="ls") == {"command": "ls"}
    assert bind("search", query="x", directory="src", include="*.py") == {
        "pattern": "x",
        "path": "src",
        "glob": "*.py",
    }
    assert bind("edit_file", file="a", old_string="b", new_string="c") == {
        "path": "a",
        "old_str": "b",
        "new_str": "c",
    }
    assert bind("edit_file", path="a", search="b", replace="c") == {
        "path": "a",
        "old_str": "b",
        "new_str": "c",
    }
    assert bind("write_file", path="a", file_text="b") == {"path": "a", "content": "b"}
    assert bind("read_file", path="a", start_line=2, end_line=3) == {"path": "a", "start": 2, "end": 3}
    assert bind("list_files", glob="*.py") == {"pattern": "*.py"}


def test_an_alias_beside_its_target_is_refused() -> None:
    text = refusal("read_file", path="a", file_path="b")
    assert "'file_path' and another argument both mean 'path'" in text


def test_two_aliases_of_one_parameter_are_refused() -> None:
    text = refusal("read_file", filename="a", file_path="b")
    assert "'filename' and another argument both mean 'path'" in text
    assert "the argument 'path' is missing" in text


def test_a_parameter_of_the_tool_is_no_alias() -> None:
    def copy(path: str, file: str) -> None: ...

    tools = described(copy)
    assert bind_arguments({"path": "a", "file": "b"}, tools["copy"]) == {"path": "a", "file": "b"}


def test_an_unknown_argument_is_refused_with_the_nearest_name() -> None:
    text = refusal("run_command", command="ls", timout=5)
    assert text.splitlines() == [
        "there is no argument 'timout' (did you mean 'timeout'?). The call was not run.",
        "Signature: run_command(command: str, timeout: int = 60)",
        "Arguments received: command, timout",
    ]


def test_an_unknown_argument_that_resembles_nothing_is_refused_without_a_guess() -> None:
    assert "there is no argument 'recursive'." in refusal("list_files", recursive=True)


def test_all_problems_with_names_are_told_at_once() -> None:
    text = refusal("edit_file", path="a.py", zzz=1)
    assert "there is no argument 'zzz'" in text
    assert "the argument 'old_str' is missing; the argument 'new_str' is missing" in text


def test_a_call_without_arguments_says_so() -> None:
    assert "Arguments received: none" in refusal("read_file")


def test_null_for_an_optional_parameter_is_absent_and_for_a_required_one_wrong() -> None:
    assert bind("search", pattern="x", path=None, glob=None) == {"pattern": "x"}
    assert "the argument 'pattern' must be str, but is null" in refusal("search", pattern=None)
    assert "there is no argument 'other'" in refusal("search", pattern="x", other=None)


def test_a_tool_that_takes_any_argument_gets_the_unknown_ones_as_they_are() -> None:
    def send(channel: str, *rest: str, **options: Any) -> None: ...

    tools = described(send)
    arguments = {"channel": "a", "retries": "3", "flag": None}
    assert bind_arguments(arguments, tools["send"]) == arguments


# --- Ranges of lines ---


@pytest.mark.parametrize(
    ("given", "bound"),
    [
        ({"lines": [10, 20]}, {"start": 10, "end": 20}),
        ({"view_range": [10, -1]}, {"start": 10}),
        ({"line_range": "10-20"}, {"start": 10, "end": 20}),
        ({"offset": 10, "limit": 5}, {"start": 10, "end": 14}),
        ({"limit": 5}, {"start": 1, "end": 5}),
        ({"start": "7"}, {"start": 7}),
    ],
)
def test_a_range_of_lines_becomes_start_and_end(given: dict[str, Any], bound: dict[str, Any]) -> None:
    assert bind("read_file", path="a", **given) == {"path": "a"} | bound


@pytest.mark.parametrize(
    "given",
    [
        {"lines": [10]},
        {"lines": [10, "x"]},
        {"lines": "10 and 20"},
        {"lines": [1, 2], "start": 5},
        {"limit": 5, "end": 3},
        {"limit": 0},
        {"limit": 5, "start": "3"},
    ],
)
def test_a_range_that_is_not_clear_is_refused(given: dict[str, Any]) -> None:
    assert "there is no argument" in refusal("read_file", path="a", **given)


def test_a_range_name_that_the_tool_has_itself_is_left_alone() -> None:
    def show(lines: list[int], start: int = 1, end: int = 9) -> None: ...

    assert bind_arguments({"lines": [1, 2]}, described(show)["show"]) == {"lines": [1, 2]}


# --- Values ---


def value(annotation: Any, given: Any) -> Any:
    def tool(x: Any) -> None: ...

    tool.__annotations__["x"] = annotation
    return bind_arguments({"x": given}, describe(tool))["x"]


@pytest.mark.parametrize(
    ("annotation", "given", "converted"),
    [
        (int, "3", 3),
        (int, 3.0, 3),
        (int | None, "null", None),
        (int | None, " None ", None),
        (float, 3, 3),
        (float, "3", 3),
        (float, "1.5", 1.5),
        (bool, "true", True),
        (bool, "false", False),
        (str, 5, "5"),
        (str, '["a"]', '["a"]'),
        (str, "null", "null"),
        (str | None, 5, "5"),
        (list[str], ["a", "b"], ["a", "b"]),
        (list[str], '["a", "b"]', ["a", "b"]),
        (list[str], "read the file, then edit it", ["read the file, then edit it"]),
        (list[str], [1, "b"], ["1", "b"]),
        (list[str], 5, ["5"]),
        (list[int], '["1", 2]', [1, 2]),
        (list[int], "1", [1]),
        (list[int], 1, [1]),
        (dict[str, int], '{"a": 1}', {"a": 1}),
        (dict[str, Any], {"a": {"b": True}}, {"a": {"b": True}}),
        (list[bool], "[true]", [True]),
        (Literal["a", "b"], "a", "a"),
        (Any, [1, {"a": None}], [1, {"a": None}]),
        (inspect.Parameter.empty, {"a": 1}, {"a": 1}),
    ],
)
def test_a_value_is_converted_where_nothing_is_lost(annotation: Any, given: Any, converted: Any) -> None:
    result = value(annotation, given)
    assert result == converted
    assert type(result) is type(converted)


@pytest.mark.parametrize(
    ("annotation", "given"),
    [
        (int, 3.5),
        (int, "three"),
        (int, True),
        (int, [1]),
        (float, False),
        (bool, "maybe"),
        (bool, 2),
        (str, True),
        (str, 1.10),
        (str, ["a"]),
        (str, {"a": 1}),
        (list[str], "one\ntwo"),
        (list[str], "['a', 'b']"),
        (list[str], {"a": 1}),
        (list[str], [1.5]),
        (list[int], [True]),
        (list[int], "[true]"),
        (list[str], "[" * 100_000),
        (Literal["a", "b"], "c"),
    ],
)
def test_a_value_that_would_change_is_refused(annotation: Any, given: Any) -> None:
    with pytest.raises(ArgumentError, match=r"^the argument 'x(\[0\])?' must be .*, but is "):
        value(annotation, given)


def test_a_long_value_is_shown_in_part() -> None:
    text = refusal("read_file", path="a", start="very " * 1000)
    assert "the argument 'start' must be int, but is \"very very" in text
    assert "..." in text
    assert len(text) < 300


def test_json_for_a_json_file_is_written_out() -> None:
    bound = bind("write_file", path="package.json", content={"name": "ä", "list": [1, True]})
    assert bound["content"] == '{\n  "name": "ä",\n  "list": [\n    1,\n    true\n  ]\n}\n'


def test_json_for_another_file_is_refused() -> None:
    assert "'content' must be str, but is {\"a\": 1}" in refusal("write_file", path="a.py", content={"a": 1})
    assert "'content' must be str" in refusal("write_file", content={"a": 1}, path=["x.json"])


def test_a_tool_that_takes_json_content_gets_it_as_it_is() -> None:
    def store(path: str, content: dict[str, int]) -> None: ...

    arguments = {"path": "a.json", "content": {"a": 1}}
    assert bind_arguments(arguments, described(store)["store"]) == arguments


@pytest.mark.parametrize(
    ("name", "arguments", "fits"),
    [
        ("read_file", {"path": "a"}, True),
        ("Read", {"file_path": "a", "offset": 3}, True),
        ("read_file", {}, False),
        ("read_file", {"path": "a", "x": 1}, False),
        ("teleport", {}, False),
    ],
)
def test_binds_says_whether_a_call_could_run(name: str, arguments: dict[str, Any], fits: bool) -> None:
    assert binds(name, arguments, SEVEN_TOOLS) is fits
