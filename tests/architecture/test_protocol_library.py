"""What `text_agent.protocol` promises to other programs."""

from __future__ import annotations

import dataclasses
import doctest
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import text_agent.protocol as protocol
from text_agent.protocol import (
    EchoGuard,
    ReplyReader,
    ToolCall,
    bind_arguments,
    describe,
    neutralise,
    parse_reply,
)
from text_agent.protocol.tool import ToolDescription

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
EXAMPLE = re.search(r"```python\n(from .*?)```", PAGE, re.DOTALL)
NAMED = [
    *("describe", "system_prompt", "parse_reply", "ReplyReader", "bind_arguments", "render_call"),
    *("render_results", "neutralise", "EchoGuard", "reply_grammar", "ToolDescription"),
]
MODULES = [f"text_agent.protocol.{each.name}" for each in pkgutil.iter_modules(protocol.__path__)]


def shared_names() -> dict[str, Any]:
    """The names of the example that stands in the package's own docstring."""
    test = doctest.DocTestParser().get_doctest(protocol.__doc__ or "", {}, "protocol", None, 0)
    assert doctest.DocTestRunner().run(test, clear_globs=False).failed == 0
    return test.globs


@pytest.mark.parametrize("name", protocol.__all__)
def test_every_name_has_a_docstring_with_an_example_that_holds(name: str) -> None:
    value = getattr(protocol, name)
    test = doctest.DocTestParser().get_doctest(value.__doc__, shared_names(), name, None, 0)
    assert test.examples
    assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test).failed == 0


@pytest.mark.parametrize("name", [name for name in protocol.__all__ if name[0].islower()])
def test_every_function_tells_its_types_arguments_and_errors(name: str) -> None:
    function = getattr(protocol, name)
    signature = inspect.signature(function)
    assert signature.return_annotation is not signature.empty
    assert all(each.annotation is not each.empty for each in signature.parameters.values())
    assert "Args:" in function.__doc__
    assert "Returns:" in function.__doc__
    assert "Raises:" in function.__doc__ or "ever raises" in function.__doc__


def test_the_names_are_those_that_are_promised() -> None:
    assert sorted(protocol.__all__) == protocol.__all__
    assert set(NAMED) <= set(protocol.__all__)
    assert not [name for name in protocol.__all__ if not hasattr(protocol, name)]
    with pytest.raises(AttributeError, match="nothing_of_this_name"):
        _ = protocol.nothing_of_this_name  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "name", [name for name in protocol.__all__ if dataclasses.is_dataclass(getattr(protocol, name))]
)
def test_its_values_are_frozen(name: str) -> None:
    assert getattr(protocol, name).__dataclass_params__.frozen


def test_importing_it_loads_nothing_but_itself() -> None:
    code = """
import sys
import text_agent
before = set(sys.modules)
import text_agent.protocol
print(sorted(name for name in set(sys.modules) - before if name.startswith("text_agent")))
for name in text_agent.protocol.__all__:
    getattr(text_agent.protocol, name)
print(sorted({name.split(".")[1] for name in set(sys.modules) - before if name.startswith("text_agent.")}))
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == ["['text_agent.protocol']", "['errors', 'lazy_regex', 'protocol']"]


def test_the_example_of_the_page_runs_a_loop(capsys: pytest.CaptureFixture[str]) -> None:
    assert EXAMPLE is not None
    assert len([line for line in EXAMPLE[1].splitlines() if line.strip()]) <= 15
    replies = iter(
        [
            'tool: read_file({"path": "notes.txt"})\n',
            'tool: add({"a": "2", "b": 3})\ntool: add({"a": "x"})\n'
            'tool: ad({"a": 1, "b": 1})\ntool: add({"a": \n',
            "The answer is 5.",
        ]
    )
    asked: list[list[tuple[str, str]]] = []

    def complete(said: list[tuple[str, str]]) -> str:
        asked.append([*said])
        return next(replies)

    names: dict[str, Any] = {}
    exec(compile(EXAMPLE[1], "protocol.md", "exec"), names)
    assert names["ask"](complete, [add], "How much is 2 + 3?") == "The answer is 5."
    results = asked[-1][-1][1]
    assert "tool_result(read_file #1 error):" in asked[1][-1][1]
    assert re.findall(r"^tool_result\((\w+) #\d (\w+)\):$", results, re.MULTILINE) == [
        ("add", "ok"),
        ("add", "error"),
        ("ad", "error"),
        ("add", "error"),
    ]
    assert "tool_result(add #1 ok):\n5" in results


def add(a: int, b: int) -> str:
    """Adds two numbers."""
    return str(a + b)


def tools_of(number: int) -> Mapping[str, ToolDescription]:
    """Two tools that no other number has, of which the names of one are parts of another's."""

    def first(path: str, content: str) -> str:
        """Writes."""
        return path + content

    def second(path: str, start: int = 1) -> str:
        """Reads."""
        return f"{path}{start}"

    first.__name__, second.__name__ = f"write_{number}", f"read_{number}"
    return {function.__name__: describe(function) for function in (first, second)}


def outcome(number: int) -> tuple[object, ...]:
    """All that one user of the protocol does, with tools of its own."""
    tools = tools_of(number)
    text = "".join(
        f'Words {other}.\nread_{other}({{"path": "a", "start": "{other}"}})\n'
        f'tool: write_{other}({{"path": "b"}})\n```\ntext {other}\n```\n'
        for other in range(4)
    )
    reader, guard = ReplyReader(tools), EchoGuard(tools)
    events = [event for at in range(0, len(text), 7) for event in reader.feed(text[at : at + 7])]
    shown = guard.adopt(text)
    reply = parse_reply(text, tools)
    known = [call for call in reply.calls if isinstance(call, ToolCall) and call.name in tools]
    bound = [bind_arguments(call.arguments, tools[call.name]) for call in known]
    return events, reader.finish(), reply, bound, shown, guard.export(), neutralise(text, tools)


def test_threads_with_different_tools_do_not_disturb_each_other() -> None:
    alone = [outcome(number) for number in range(4)]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(outcome, [number for _ in range(6) for number in range(4)]))
    assert together == alone * 6


def test_no_module_keeps_anything_of_what_it_has_read() -> None:
    def held() -> dict[str, str]:
        modules = [module for name, module in sys.modules.items() if name.startswith("text_agent.protocol")]
        kinds = (dict, list, set)
        return {
            f"{module.__name__}.{name}": repr(value)
            for module in modules
            for name, value in vars(module).items()
            if isinstance(value, kinds) and not name.startswith("__")
        }

    for module in MODULES:
        importlib.import_module(module)
    outcome(0)
    before = held()
    outcome(7)
    assert held() == before
