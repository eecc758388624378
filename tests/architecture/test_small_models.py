"""Help for small models is one strategy: what it is given to knows only the protocol of such help."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import text_agent
from text_agent.agent.help import NoHelp
from text_agent.agent.small_models.strategy import SmallModelHelp
from text_agent.files.workspace import Workspace
from text_agent.tools.registry import default_tools

PACKAGE = Path(text_agent.__file__).parent
# The settings, the one place that decides, and the strategy itself.
KNOWING = ("config/", "agent/help_choice.py", "agent/small_models/")
MODULES = [
    path
    for path in sorted(PACKAGE.rglob("*.py"))
    if not path.relative_to(PACKAGE).as_posix().startswith(KNOWING)
]


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_no_other_module_asks_whether_a_model_is_small(module: Path) -> None:
    for node in ast.walk(ast.parse(module.read_text())):
        names = [
            *([node.id] if isinstance(node, ast.Name) else []),
            *([node.attr] if isinstance(node, ast.Attribute) else []),
            *([node.module or ""] if isinstance(node, ast.ImportFrom) else []),
            *([node.arg] if isinstance(node, ast.arg | ast.keyword) and node.arg else []),
        ]
        assert not [name for name in names if "small_model" in name or name == "is_small"]


def test_both_strategies_say_what_edits_are_held_to(tmp_path: Path) -> None:
    policies = {NoHelp.edit_policy, SmallModelHelp.edit_policy}
    assert len(policies) == 2
    for policy in policies:
        tools = default_tools(Workspace(tmp_path), edits=policy)
        assert all("policy" not in tool.properties for tool in tools.values())
