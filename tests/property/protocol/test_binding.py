from __future__ import annotations

from typing import Any

import jsonschema
from hypothesis import given
from hypothesis import strategies as st

from tests.support.described_tools import SEVEN_TOOLS
from text_agent.errors import ArgumentError
from text_agent.protocol.binding.aliases import nearest_tool, resolve_tool_name
from text_agent.protocol.binding.bind import bind_arguments, binds

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=8,
)
tool_names = st.sampled_from(sorted(SEVEN_TOOLS))
_PARAMETERS = {key: names for tool in SEVEN_TOOLS.values() for key, names in tool.words.parameters.items()}
parameter_names = st.sampled_from(sorted({name for names in _PARAMETERS.values() for name in names.split()}))
arguments_of_any_kind = st.dictionaries(
    st.sampled_from(sorted(_PARAMETERS)) | parameter_names | st.text(max_size=8),
    json_values,
    max_size=4,
)


def bind(name: str, arguments: dict[str, Any]) -> dict[str, Any] | None:
    try:
        return bind_arguments(arguments, SEVEN_TOOLS[name])
    except ArgumentError:
        return None


@given(name=tool_names, arguments=arguments_of_any_kind)
def test_arguments_are_bound_so_that_they_fit_or_refused(name: str, arguments: dict[str, Any]) -> None:
    bound = bind(name, arguments)
    assert binds(name, arguments, SEVEN_TOOLS) is (bound is not None)
    if bound is not None:
        jsonschema.validate(bound, SEVEN_TOOLS[name].parameters)
        assert bind(name, bound) == bound


@given(path=st.text(), old=st.text(), new=st.text())
def test_texts_are_bound_as_they_are(path: str, old: str, new: str) -> None:
    arguments = {"path": path, "old_str": old, "new_str": new}
    assert bind_arguments(arguments, SEVEN_TOOLS["edit_file"]) == arguments


@given(steps=st.lists(st.text()), done=st.lists(st.integers()))
def test_lists_are_bound_as_they_are(steps: list[str], done: list[int]) -> None:
    arguments = {"steps": steps, "done": done}
    assert bind_arguments(arguments, SEVEN_TOOLS["update_plan"]) == arguments


@given(name=st.text())
def test_any_name_is_resolved_to_a_tool_or_to_none(name: str) -> None:
    resolved = resolve_tool_name(name, SEVEN_TOOLS)
    assert resolved is None or resolved in SEVEN_TOOLS
    nearest = nearest_tool(name, SEVEN_TOOLS)
    assert nearest == resolved or (resolved is None and nearest in SEVEN_TOOLS)
