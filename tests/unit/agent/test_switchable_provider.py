"""Another provider in the place of the current one."""

from __future__ import annotations

from pathlib import Path

from tests.support.scripted_provider import ScriptedProvider
from tests.support.surroundings import surroundings_of
from text_agent.agent.agent import Agent
from text_agent.agent.runner import ToolRunner
from text_agent.cli.headless import Unattended
from text_agent.config.settings import Settings
from text_agent.files.workspace import Workspace
from text_agent.permissions.policy import PermissionPolicy
from text_agent.providers.switchable import SwitchableProvider
from text_agent.tools.registry import default_tools


def test_the_conversation_goes_on_in_the_context_of_the_other_model(project: Path) -> None:
    first = ScriptedProvider(["One."], context_tokens=8_000)
    second = ScriptedProvider(["Two."], context_tokens=32_000)
    provider = SwitchableProvider(first)
    workspace = Workspace(project)
    policy = PermissionPolicy(surroundings_of(project), "all")
    runner = ToolRunner(default_tools(workspace), workspace, policy, Unattended())
    agent = Agent(provider, runner, "You are a test.", Settings("openai"), lambda _: None)
    agent.run_turn("one")
    assert agent.context.limit == 8_000
    provider.switch(second)
    agent.note_other_model()
    agent.run_turn("two")
    assert agent.context.limit == 32_000
    assert [message.content for message in second.requests[0].messages] == ["one", "One.", "two"]
