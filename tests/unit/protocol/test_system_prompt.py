from __future__ import annotations

from pathlib import Path

import pytest

from text_agent.commands.shell import Shell
from text_agent.files.workspace import Workspace
from text_agent.protocol.prompt import render_system_prompt, system_prompt
from text_agent.protocol.signatures import render_signature
from text_agent.protocol.tool import ToolDescription
from text_agent.tools.registry import ToolRegistry, default_tools
from text_agent.tools.run_command import CommandHost
from text_agent.tools.tool import Tool

SNAPSHOT = Path(__file__).with_name("system_prompt.txt")


def default_prompt(folder: Path) -> str:
    return render_system_prompt(tools(folder).values())


def tools(folder: Path) -> ToolRegistry:
    workspace = Workspace(folder)
    return default_tools(workspace, CommandHost(workspace, Shell("bash", "/bin/bash")))


def test_the_prompt_is_the_one_that_was_agreed_on(tmp_path: Path) -> None:
    """The model reads every word of it: a change shows here. Write the new text into the snapshot."""
    assert default_prompt(tmp_path) == SNAPSHOT.read_text("utf-8").rstrip("\n")


def test_the_prompt_is_short(tmp_path: Path) -> None:
    """A short prompt keeps weak models in the format: at most 700 tokens of 4 characters."""
    assert len(default_prompt(tmp_path)) <= 4 * 700


def test_every_tool_is_in_it_with_its_signature_and_docstring(tmp_path: Path) -> None:
    prompt = default_prompt(tmp_path)
    for tool in tools(tmp_path).values():
        assert render_signature(tool) in prompt
        for line in tool.description.splitlines():
            assert line in prompt


def test_a_tool_is_one_function_with_a_docstring() -> None:
    def count_words(text: str, unit: str = "words") -> str:
        """Count the words of a text.

        unit: words or lines.
        """
        return f"{len(text.split())} {unit}"

    prompt = render_system_prompt([Tool.from_function(count_words)])
    assert (
        "count_words(text: str, unit: str = 'words')\n  Count the words of a text.\n\n  unit: words" in prompt
    )


def test_another_program_tells_of_its_own_tools() -> None:
    texted = ToolDescription.from_schema(
        "send-mail",
        "Sends a mail.",
        {"properties": {"to": {"type": "string"}, "body": {"type": "string"}}, "required": ["to", "body"]},
    )
    told = system_prompt([texted], "You write mails.")
    assert told.startswith("You write mails.\n\n## Calling a tool\n")
    assert 'tool: send-mail({"to": ...})\n```\n...\n```\n' in told
    assert "send-mail(to: str, body: str)\n  Sends a mail." in told
    assert "```" not in system_prompt([ToolDescription.from_schema("now", "Tells the time.")])
    with pytest.raises(ValueError, match="no tools"):
        system_prompt([])
