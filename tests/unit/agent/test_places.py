"""A small model sees the places of a larger project that a request is about, and answers from them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.scripted_provider import ScriptedProvider
from tests.support.surroundings import surroundings_of
from text_agent.agent.agent import Agent
from text_agent.agent.project_view import view_project
from text_agent.agent.runner import ToolRunner
from text_agent.agent.small_models.places import show_places
from text_agent.agent.small_models.strategy import SmallModelHelp
from text_agent.cli.headless import Unattended
from text_agent.config.limits import OUTLINE_MAX_CHARS, PLACES_MAX_CHARS
from text_agent.config.settings import Settings
from text_agent.files.workspace import Workspace
from text_agent.permissions.policy import PermissionPolicy
from text_agent.protocol.prompt import render_system_prompt
from text_agent.tools.edit_file import edit_file
from text_agent.tools.registry import default_tools
from text_agent.tools.run_command import CommandHost

ROUNDING = '''def whole(cents):
    """Rounds cents to euros."""
    return cents // 100
'''


@pytest.fixture
def workspace(project: Path) -> Workspace:
    for number in range(40):
        (project / f"part{number}.py").write_text(f"def do_{number}(x):\n    return x + {number}\n")
    (project / "prices.py").write_text(f"import os\n\n\n{ROUNDING}\n\ndef other():\n    return whole(1)\n")
    methods = "".join(
        f"    def act_{n}(self):\n        # Prints the label.\n        print({n})\n\n" for n in range(30)
    )
    (project / "label.py").write_text(f'class Label:\n    """A label."""\n\n{methods}')
    return Workspace(project)


def test_the_best_place_is_the_last_and_counts_as_read(workspace: Workspace) -> None:
    text = show_places(workspace, "Where are cents rounded, and by which `other`?", PLACES_MAX_CHARS)
    assert text.endswith(
        f"prices.py:4 function whole\nprices.py:9 function other\nprices.py, lines 4-10:\n"
        f"```python\n{ROUNDING}\n\ndef other():\n    return whole(1)\n```"
    )
    change = edit_file(workspace, "prices.py", "    return cents // 100", "    return round(cents / 100)")
    assert b"round(cents" in (change.after or b"")


def test_a_long_class_is_shown_by_the_first_lines_of_its_methods(workspace: Workspace) -> None:
    text = show_places(workspace, "What is the class `Label` for, and its method act_7?", PLACES_MAX_CHARS)
    assert "label.py, lines 1-122:\n```python\nclass Label:\n" in text
    assert "    def act_9(self): ...\n" in text
    assert "    def act_7(self):\n        # Prints the label.\n" in text


def test_the_rest_is_listed_as_far_as_there_is_room(workspace: Workspace) -> None:
    text = show_places(workspace, "What do do_1, do_2 and the others return?", 300)
    listing, _, shown = text.partition("\n\n")
    assert listing.startswith("Further places in the project:\n")
    assert len(listing) < OUTLINE_MAX_CHARS + 50
    assert len(shown) < 500


def test_a_project_without_such_places_is_listed(workspace: Workspace) -> None:
    assert show_places(workspace, "? !", PLACES_MAX_CHARS) == ""
    view = view_project(workspace, "? !", show_places)
    assert not view.has_places
    assert view.text.startswith("The files in the folder:")


@pytest.mark.parametrize(
    ("request_text", "is_asked_alone"),
    [
        ("Where are cents rounded to euros?", True),
        ("Which function rounds cents? Reply with its name.", True),
        ("In which line are cents rounded? Answer with file:line.", True),
        ("Rounding of cents is wrong. Fix it.", False),
    ],
)
def test_a_question_is_asked_by_a_prompt_of_its_own(
    workspace: Workspace, request_text: str, is_asked_alone: bool
) -> None:
    provider = ScriptedProvider(["In prices.py:4."] * 9)
    tools = default_tools(workspace, CommandHost(workspace))
    runner = ToolRunner(
        tools, workspace, PermissionPolicy(surroundings_of(workspace.root), "all"), Unattended()
    )
    agent = Agent(
        provider,
        runner,
        render_system_prompt(tools.values(), ""),
        Settings("openai", project_view=True, unattended=True),
        lambda _: None,
        lambda loop: SmallModelHelp(loop, "", unattended=True),
    )
    finished = agent.run_turn(request_text)
    first = provider.requests[0]
    assert ("tool: " not in first.system) is is_asked_alone
    assert "prices.py:4 function whole" in first.messages[0].content
    if is_asked_alone:
        assert (finished.answer, len(provider.requests)) == ("In prices.py:4.", 1)
