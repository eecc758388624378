"""What is known of the place of work before anybody has said anything; quick to find out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from text_agent.agent.notes import ProjectMemory
    from text_agent.commands.sandbox.confinement import Sandbox
    from text_agent.files.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Place:
    """Where the agent works.

    Attributes:
        workspace: the folder.
        sandbox: what confines commands; None where nothing does.
        problem: why there is none, for the user; empty where that is as it was wanted.
        memory: the project's notes.
        git: the program that keeps former states of files; None where it is missing.
    """

    workspace: Workspace
    sandbox: Sandbox | None
    problem: str
    memory: ProjectMemory
    git: str | None

    def notices(self) -> Iterator[str]:
        """What the user should know of it."""
        if self.problem:
            yield self.problem
        if self.git is None:
            yield "git is missing: changes cannot be undone in this session."
        if self.memory.summary:
            yield self.memory.summary
