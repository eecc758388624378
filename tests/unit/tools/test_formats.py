"""Every file whose name tells a format is checked in it, when it is written and when it is edited."""

from __future__ import annotations

from pathlib import Path

import pytest

from text_agent.agent.small_models.strategy import SmallModelHelp
from text_agent.errors import ToolError
from text_agent.files.kinds import Format, formats_of
from text_agent.files.workspace import FileChange, Workspace
from text_agent.tools.editing.documents import PLAIN_EDITS, EditPolicy
from text_agent.tools.editing.parsers import PARSERS
from text_agent.tools.editing.validity import find_invalidity
from text_agent.tools.registry import default_tools

# A valid text, a part of it, and what stands there in one that is not valid.
TEXTS: dict[Format, tuple[str, str, str]] = {
    "Python": ("def f():\n    return 1\n", "f():", "f(:"),
    "JSON": ('{\n "cells": [1, 2],\n "b": {}\n}\n', "2],", "2]"),
    "JSON with comments": ('{\n // a "b\n "a": "//", /* \n */ "b": [1, 2,],\n}\n', '"//",', '"//"'),
    "JSON lines": ('{"a": 1}\n\n{"a": [2]}\n', "[2]", "[2"),
    "TOML": ('[a]\nb = "1"\n', '"1"', '"1'),
    "YAML": ("a: 1\nb:\n  - [2]\n", "[2]", "[2"),
    "XML": ('<?xml version="1.0" encoding="latin-1"?>\n<a>\n<b c="1">e</b>\n</a>\n', "</b>", "</c>"),
}
NAMES: dict[Format, str] = {
    "Python": "a.py a.pyi",
    "JSON": (
        "a.json A.IPYNB a.geojson site.webmanifest a.har composer.lock package-lock.json Pipfile.lock"
        " flake.lock terraform.tfstate scene.gltf"
    ),
    "JSON with comments": (
        "tsconfig.json tsconfig.build.json jsconfig.json .babelrc .eslintrc .prettierrc a.code-workspace"
        " .vscode/launch.json a.jsonc .swcrc bun.lock devcontainer.json"
    ),
    "JSON lines": "a.jsonl a.ndjson",
    "TOML": "a.toml Pipfile Cargo.lock poetry.lock uv.lock .cargo/config",
    "YAML": "a.yaml a.yml .clang-format CITATION.cff pubspec.lock",
    "XML": "a.xml pom.xml a.svg a.xhtml Info.plist a.csproj web.config a.xsd a.resx",
}
FILES = {name: format_ for format_, names in NAMES.items() for name in names.split()}
VALID = {name: TEXTS[format_][0] for name, format_ in FILES.items()}


@pytest.fixture
def workspace(project: Path) -> Workspace:
    return Workspace(project)


def write(workspace: Workspace, name: str, text: str) -> None:
    """Writes a file that the model has seen."""
    file = workspace.root / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    default_tools(workspace)["read_file"].function(name)


def broken(name: str) -> str:
    text, part, instead = TEXTS[FILES[name]]
    return text.replace(part, instead)


def test_there_is_a_file_of_every_format() -> None:
    assert set(FILES.values()) == TEXTS.keys() == PARSERS.keys()
    assert all(format_ in formats_of(name) for name, format_ in FILES.items())


@pytest.mark.parametrize("name", FILES)
def test_a_broken_text_is_not_written(workspace: Workspace, name: str) -> None:
    tools = default_tools(workspace)
    with pytest.raises(ToolError, match=rf"would be no valid .*; {name} was not created"):
        tools["write_file"].function(name, broken(name))
    write(workspace, name, VALID[name])
    with pytest.raises(ToolError, match=rf"would be no valid .*; {name} is unchanged"):
        tools["write_file"].function(name, broken(name))
    _, part, instead = TEXTS[FILES[name]]
    with pytest.raises(ToolError, match="would be no valid"):
        tools["edit_file"].function(name, part, instead)


@pytest.mark.parametrize("name", FILES)
def test_a_valid_text_is_written(workspace: Workspace, name: str) -> None:
    assert find_invalidity(name, VALID[name]) is None
    assert isinstance(default_tools(workspace)["write_file"].function(name, VALID[name]), FileChange)


@pytest.mark.untraced
@pytest.mark.parametrize("name", [name for name in FILES if FILES[name] != "Python"])
@pytest.mark.parametrize("policy", [PLAIN_EDITS, SmallModelHelp.edit_policy])
def test_a_file_that_is_not_valid_may_stay_so(workspace: Workspace, name: str, policy: EditPolicy) -> None:
    """It may be a template, or of a dialect."""
    write(workspace, name, f"{{{{ x }}\n{broken(name)}")
    tools = default_tools(workspace, edits=policy)
    assert isinstance(tools["write_file"].function(name, broken(name)), FileChange)


@pytest.mark.parametrize("format_", ["JSON", "JSON with comments", "XML"])
@pytest.mark.parametrize("name", ["a.unknown", "no_ending", ".somethingrc", "a.json.bak"])
def test_a_text_stays_in_the_format_that_it_shows(workspace: Workspace, name: str, format_: Format) -> None:
    text, part, instead = TEXTS[format_]
    write(workspace, name, text)
    tools = default_tools(workspace)
    with pytest.raises(ToolError, match=rf"would be no valid .*; {name} is unchanged"):
        tools["write_file"].function(name, text.replace(part, instead))
    with pytest.raises(ToolError, match="would be no valid"):
        tools["edit_file"].function(name, part, instead)
    assert isinstance(tools["write_file"].function(name, f"{text}\n"), FileChange)


@pytest.mark.parametrize(
    "text", ["{ x }: { }\n", "[section]\na = 1\n", "{% if x %}\n", "[]\n", "{{ x }}\n", "<?xml {{ x\n"]
)
def test_a_text_that_only_looks_like_a_format(workspace: Workspace, text: str) -> None:
    write(workspace, "a.unknown", text)
    change = default_tools(workspace)["write_file"].function("a.unknown", f"{text}<[{{\n")
    assert isinstance(change, FileChange)


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("a.jsonl", '{"a": 1}\n\n{"a": }\n', "no valid JSON lines (line 3: Expecting value)"),
        ("a.code-workspace", '{\n/* a\n*/ "a": 1 // b\n "b": 2}', "line 4: Expecting ',' delimiter"),
        ("tsconfig.json", "{'a': 1}", "no valid JSON with comments"),
        ("a.svg", "<a>\n<b>\n</a>", "no valid XML (line 3: mismatched tag); that line is `</a>`"),
        ("a.svg", "\ud800", "no valid XML ("),
        ("a.xml", "<a>&b;</a>", "no valid XML (line 1: undefined entity)"),
    ],
)
def test_where_it_is_not_valid(name: str, text: str, problem: str) -> None:
    found = find_invalidity(name, text)
    assert found is not None
    assert problem in found.describe(text)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.xml", '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'),
        ("a.xml", '<!DOCTYPE a [<!ENTITY b "' + "x" * 99 + '">]><a>' + "&b;" * 9999 + "</a>"),
        ("a.xhtml", '<!DOCTYPE html PUBLIC "x" "http://127.0.0.1:9/x.dtd"><html>&nbsp;</html>'),
        (".eslintrc", "rules:\n  semi: 2\n"),
        (".prettierrc", '{"semi": true, /* a */ }'),
        ("tsconfig.json", '{"a": "/*", "b": ",}"}'),
        ("yarn.lock", "{"),
    ],
)
def test_what_is_valid_or_cannot_be_told(name: str, text: str) -> None:
    assert find_invalidity(name, text) is None
