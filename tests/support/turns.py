"""One turn of the whole agent against a server, as `text-agent -p` runs it, but for its waits."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.endpoints import HASTE, Api, provider
from tests.support.scripted_server import ScriptedServer
from tests.support.surroundings import surroundings_of
from text_agent.agent.agent import Agent
from text_agent.agent.runner import ToolRunner
from text_agent.cli.headless import AnswerOutput, ProgressLog, Unattended, run_headless
from text_agent.config.settings import Settings
from text_agent.errors import TextAgentError
from text_agent.events import Event, EventSink, fan_out
from text_agent.files.workspace import Workspace
from text_agent.permissions.policy import Approver, PermissionPolicy
from text_agent.protocol.prompt import render_system_prompt
from text_agent.providers.masked import MaskedProvider
from text_agent.providers.remote import RemoteProvider
from text_agent.providers.retries import RetryingProvider
from text_agent.text.masking import Masker
from text_agent.tools.registry import default_tools
from text_agent.tools.run_command import CommandHost


@dataclass
class Outcome:
    """What one turn came to.

    Attributes:
        waits: the seconds before each request that was sent again; none of them was really waited.
    """

    code: int
    stdout: str
    stderr: str
    waits: list[float] = field(default_factory=list)


class Setting:
    """An agent in a folder, with a provider that speaks an API with a server.

    Args:
        folder: its workspace; commands and changes need no permission.
        remote: what speaks with the server.
        sleep: is called for every wait; by default it is only noted.
        approver: who is asked; with one, everything asks.
        sink: is told every event, too.
    """

    def __init__(
        self,
        folder: Path,
        remote: RemoteProvider,
        *,
        retries: int | None = None,
        sleep: Callable[[float], None] | None = None,
        approver: Approver | None = None,
        sink: EventSink | None = None,
        max_steps: int = 12,
    ) -> None:
        self.waits: list[float] = []
        self.stderr = io.StringIO()
        self._remote = remote
        workspace = Workspace(folder)
        tools = default_tools(workspace, CommandHost(workspace))
        policy = PermissionPolicy(surroundings_of(folder), "ask" if approver else "all")
        mask = Masker()
        runner = ToolRunner(tools, workspace, policy, approver or Unattended(), None, mask)
        patient = RetryingProvider(
            MaskedProvider(remote, mask),
            retries=retries,
            sleep=sleep or self.waits.append,
            chance=lambda: 1.0,
        )
        sink = fan_out(ProgressLog(self.stderr), sink or _ignore)
        settings = Settings("openai", max_steps=max_steps, max_tokens=5000, project_view=False)
        self.agent = Agent(patient, runner, render_system_prompt(tools.values()), settings, sink)

    def turn(self, prompt: str = "Hello") -> Outcome:
        """Runs one turn, and tells an error as the command line does."""
        stdout = io.StringIO()
        try:
            code = run_headless(self.agent, prompt, AnswerOutput(stdout))
        except TextAgentError as error:
            self.stderr.write(f"text-agent: {error}\n{error.hint}\n")
            code = error.exit_code
        return Outcome(code, stdout.getvalue(), self.stderr.getvalue(), self.waits)

    def close(self) -> None:
        """Closes the connections."""
        self._remote.close()


def _ignore(event: Event) -> None:
    """Listens to nothing."""


def setting(folder: Path, server: ScriptedServer, api: Api, **options: object) -> Setting:
    """An agent whose provider waits shortly."""
    return Setting(folder, provider(server, api, patience=HASTE), **options)  # type: ignore[arg-type]
