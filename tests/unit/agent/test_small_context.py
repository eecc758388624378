"""A model with a context of 4,096 tokens gets what it can hold, and room for its reply."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.scripted_provider import ScriptedProvider
from tests.support.surroundings import surroundings_of
from text_agent.agent.agent import Agent
from text_agent.agent.context.estimator import TokenEstimator, units
from text_agent.agent.notes import load_project_memory
from text_agent.agent.runner import ToolRunner
from text_agent.cli.headless import Unattended
from text_agent.config.limits import notes_max_chars
from text_agent.config.settings import Settings
from text_agent.events import ConversationCompacted, Event
from text_agent.files.workspace import Workspace
from text_agent.messages import CompletionRequest, Reply, Usage
from text_agent.permissions.policy import PermissionPolicy
from text_agent.protocol.prompt import render_system_prompt
from text_agent.tools.registry import default_tools
from text_agent.tools.run_command import CommandHost

pytestmark = pytest.mark.untraced

LIMIT = 4_096
# Tokens of the shortest reply that is of use: a call, or the text of a small file.
LEAST_REPLY = 900
MODULE = "\n".join(f"def step_{n}(value: int) -> int:\n    return value + {n}\n\n" for n in range(5))


@pytest.fixture
def sixty_files(project: Path) -> Path:
    (project / "src").mkdir()
    for number in range(59):
        (project / f"src/module_{number}.py").write_text(MODULE)
    (project / "src/long.py").write_text(
        "".join(f"def step_{n}(value: int) -> int:\n    return value + {n}\n\n\n" for n in range(125))
    )
    (project / "AGENTS.md").write_text("\n".join(f"- Rule {n}: write good code." for n in range(400)))
    return project


class Session:
    """An agent with a scripted model whose server tells the size of its context only when it is asked."""

    def __init__(
        self, folder: Path, model: Callable[[CompletionRequest], Reply | str], *, told: bool = False
    ) -> None:
        self.events: list[Event] = []
        self.provider = ScriptedProvider([model] * 1_000, piece=10_000, context_tokens=LIMIT)
        workspace = Workspace(folder)
        tools = default_tools(workspace, CommandHost(workspace))
        policy = PermissionPolicy(surroundings_of(folder), "all")
        runner = ToolRunner(tools, workspace, policy, Unattended())
        memory = load_project_memory(workspace.root, notes_max_chars(None))

        def write_prompt(context_tokens: int | None) -> str:
            notes = memory.within(notes_max_chars(context_tokens))
            return render_system_prompt(tools.values(), notes.render(tools))

        settings = Settings(
            "openai", context_tokens=LIMIT if told else None, project_view=True, unattended=True
        )
        self.agent = Agent(self.provider, runner, write_prompt(None), settings, self.events.append)
        self.agent.fit_system_prompt(write_prompt)

    @property
    def works(self) -> Iterator[CompletionRequest]:
        """The requests that are no request for a summary."""
        return (each for each in self.provider.requests if "## Agreements" not in each.messages[-1].content)

    def summaries(self) -> int:
        return len(self.provider.requests) - len(list(self.works))


def estimate(request: CompletionRequest) -> int:
    return TokenEstimator(request.system).estimate(request.messages)


def reader(*, units_per_token: float | None) -> Callable[[CompletionRequest], Reply | str]:
    """A model that reads a file to its end, and its server, which counts tokens or does not."""

    def reply(request: CompletionRequest) -> Reply | str:
        last = request.messages[-1].content
        further = re.findall(r"go on with read_file\((\{.*?\})\)", last)
        if "## Agreements" in last:
            text = "## Goal\nTo tell of the steps.\n" + "There are many of them. " * 10
        elif last.startswith("tool_result("):
            text = (
                f"tool: read_file({further[-1]})" if further else "It has 125 steps, each of which adds. " * 4
            )
        else:
            text = 'tool: read_file({"path": "src/long.py"})'
        if units_per_token is None:
            return text
        size = units(request.system) + sum(units(message.content) for message in request.messages)
        return Reply(text, "end_turn", Usage(round(size / units_per_token), len(text) // 4))

    return reply


@pytest.mark.parametrize("told", [True, False])
def test_the_first_request_of_a_project_of_sixty_files_fits(sixty_files: Path, told: bool) -> None:
    session = Session(sixty_files, lambda _: "It has steps.", told=told)
    session.agent.run_turn("What is in src/module_7.py?")
    (request,) = session.provider.requests
    assert estimate(request) + LEAST_REPLY < LIMIT
    assert estimate(request) + request.max_tokens <= LIMIT
    shown = request.messages[0].content
    assert all(f"src/module_{number}.py\n" in shown for number in range(59))
    assert "src/module_7.py is now:\n```python\ndef step_0" in shown
    assert "- Rule 30: write good code." in request.system
    assert request.system.endswith("[the rest of this file is left out here]")
    assert session.agent.system_prompt == request.system
    assert not any(isinstance(event, ConversationCompacted) for event in session.events)


@pytest.mark.parametrize("units_per_token", [None, 3.7])
def test_a_long_session_of_reading_never_exceeds_it(sixty_files: Path, units_per_token: float | None) -> None:
    (sixty_files / "AGENTS.md").write_text("Be brief.\n")
    session = Session(sixty_files, reader(units_per_token=units_per_token))
    for number in range(20):
        finished = session.agent.run_turn(f"Read src/long.py whole, and tell of step {number}.")
        assert finished.status == "answered"
    steps = list(session.works)
    assert len(steps) >= 100
    real = units_per_token or 3.0
    for request in session.provider.requests:
        size = units(request.system) + sum(units(message.content) for message in request.messages)
        assert size / real + request.max_tokens <= LIMIT
    assert all(request.max_tokens >= LEAST_REPLY for request in steps)
    assert session.summaries() <= len(steps) / 4, "most of the work is not summarising"


def test_a_reply_that_fills_a_small_context_says_what_cut_it(sixty_files: Path) -> None:
    session = Session(sixty_files, lambda _: Reply("So it goes on and", "max_tokens"))
    finished = session.agent.run_turn("Tell me all.")
    (request,) = session.provider.requests
    assert finished.status == "cut"
    assert f"at {request.max_tokens} tokens: the model's context has no room for more" in finished.message
