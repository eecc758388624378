"""The tool that runs a command line."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from text_agent.commands.capture import Capture
from text_agent.commands.processes import Ending, Program, run_process
from text_agent.commands.sandbox.confinement import Sandbox
from text_agent.commands.sandbox.repositories import Repositories
from text_agent.commands.shell import Shell, command_environment, find_shell
from text_agent.config.limits import COMMAND_MAX_SECONDS, COMMAND_SECONDS
from text_agent.errors import ToolError
from text_agent.files.problems import reason_of
from text_agent.files.workspace import Workspace
from text_agent.own_programs.processes import find_program, outer_path, users_environment
from text_agent.protocol.tool import ToolWords
from text_agent.text.truncation import truncate
from text_agent.tools.limits import result_chars
from text_agent.tools.tool import Declaration, Outcome

# What the lines around the output may take of a result.
_NOTE_CHARS = 600
# The exit code of a command that was ended at its time limit, as `timeout` gives it.
_TIMED_OUT = 124


@dataclass(frozen=True, slots=True)
class CommandHost:
    """Where and how commands run."""

    workspace: Workspace  # the folder that they run in
    given_shell: Shell | None = None  # what reads the command line; the best one of this machine by default
    # This program's own; a command does not get all of it.
    environment: Mapping[str, str] = field(default_factory=users_environment)
    sandbox: Sandbox | None = None  # what confines them; None where they run with the user's rights
    keys: tuple[str, ...] = ()  # of the user; no variable of a command holds one

    @property
    def shell(self) -> Shell:
        """What reads the command line; no program of the workspace."""
        return self.given_shell or find_shell(sys.platform, self._find)

    def program(self, command: str) -> Program:
        """Returns the program that a command line is, with its environment. Raises `OSError`."""
        from text_agent.permissions.command_lines.git import (
            hardened,  # large, and needed by the first command
        )

        argv = self.shell.argv(hardened(command, self._helper_path()))
        environment = command_environment(self.environment, self.keys)
        if self.sandbox:
            self.workspace.scratch.make()
            argv, environment = self.sandbox.argv(argv), {**environment, **self.sandbox.environment}
        return Program(argv, self.workspace.root, environment, is_supervised=self.sandbox is None)

    def run(self, command: str, seconds: float, capture: Capture) -> Ending:
        """Runs a command line; what it prints goes to `capture`. Raises `ToolError`: it cannot be started."""
        if not self.workspace.root.is_dir():
            raise ToolError("The workspace's folder does not exist any more. Nothing was run; tell the user.")
        try:
            return run_process(self.program(command), seconds, capture)
        except ValueError as error:
            raise ToolError("The command holds characters that no shell takes. It was not run.") from error
        except OSError as error:
            raise ToolError(f"The command cannot be started: {reason_of(error)}. It was not run.") from error

    def _find(self, name: str) -> str | None:
        path = os.pathsep.join((self.environment.get("PATH", ""), os.defpath))
        return find_program(name, self.workspace.root, path)

    def _helper_path(self) -> str:
        """Where a command that only reads looks for its helpers; empty if that is its PATH as it is."""
        path = self.environment.get("PATH", "")
        outer = outer_path(path, self.workspace.root)
        return outer if self.shell.is_posix and outer != path else ""


def _describe(docstring: str, host: CommandHost) -> str:
    """The description, which names the shell."""
    shell = host.shell
    return docstring.replace("SHELL", f"{shell.name} on {shell.system}")


@Declaration(
    "runs",
    rank=6,
    describe=_describe,
    paths=(),
    command="command",
    words=ToolWords(
        names=(
            "bash sh shell zsh terminal run exec execute run_shell run_bash run_cmd run_terminal"
            " run_terminal_cmd run_terminal_command run_in_terminal run_shell_command shell_command"
            " bash_command execute_bash execute_command execute_shell execute_shell_command exec_command"
            " command"
        ),
        relatives=(
            "python run_python execute_python python_repl ipython code_interpreter run_code execute_code"
            " run_tests pytest test git npm pip make node mkdir rm mv cp delete_file remove_file move_file"
            " rename_file copy_file make_directory create_directory create_folder curl wget"
        ),
        parameters={
            "command": "cmd command_line shell_command bash_command bash shell script",
            "timeout": "timeout_seconds timeout_secs timeout_sec timeout_s time_limit",
        },
        payload="command",
    ),
)
def run_command(host: CommandHost, command: str, timeout: int = COMMAND_SECONDS) -> Outcome:
    """Runs a command with SHELL in the user's folder; gives its exit code and output.

    It gets no input, and at most `timeout` seconds. Nothing of it runs on in the background.
    """
    if not command.strip():
        raise ToolError("The command is empty. Nothing was run.")
    if timeout < 1:
        raise ToolError(f"timeout is {timeout}, but counts seconds from 1. Nothing was run.")
    seconds = min(timeout, COMMAND_MAX_SECONDS)
    capture = Capture()
    repositories = Repositories(host.workspace.root) if host.sandbox else None
    try:
        ending = host.run(command, seconds, capture)
    except KeyboardInterrupt as error:
        # The model is told; without a text it would believe that nothing ran.
        raise KeyboardInterrupt("the user interrupted it while it ran: it was ended.") from error
    finally:
        aside = repositories.set_aside_new() if repositories else []
    names = [host.workspace.display(path) for path in aside]
    return describe_run(host, ending, seconds, capture.text(), names)


def describe_run(
    host: CommandHost, ending: Ending, seconds: int, output: str, aside: Sequence[str] = ()
) -> Outcome:
    """How a command ended, and its output, or the two ends of a long one and where the whole of it is."""
    exit_code = _TIMED_OUT if ending.timed_out else ending.exit_code
    notes = [
        "[it left processes running; they were ended]" if ending.left_running else "",
        *(f"[it made a repository, which commands must not: it is called {name} now]" for name in aside),
        f"[it ran in a sandbox: {host.sandbox.limits}]" if exit_code and host.sandbox else "",
    ]
    return Outcome(_heading(ending, seconds), _shown(host, output), tuple(filter(None, notes)), exit_code)


def _heading(ending: Ending, seconds: int) -> str:
    if ending.timed_out:
        return (
            f"ended after {seconds} seconds, its time limit, with all that it had started. Perhaps it"
            f" waited for input, which it never gets, or it needs a larger timeout (at most"
            f" {COMMAND_MAX_SECONDS})."
        )
    try:
        return f"exit code {ending.exit_code} ({signal.Signals(ending.exit_code - 128).name})"
    except ValueError:
        return f"exit code {ending.exit_code}"


def _shown(host: CommandHost, output: str) -> str:
    """The output, or its two ends and where the whole of it is; empty where there is nothing to be seen."""
    output = output.strip("\n")
    if not output.strip():
        return ""
    room = result_chars(host.workspace) - _NOTE_CHARS
    if len(output) <= room:
        return output
    try:
        file = host.workspace.scratch.save(output + "\n")
        note = f"whole output: read_file and search take the path {host.workspace.display(file)}"
    except OSError as error:
        note = f"the whole output could not be kept: {reason_of(error)}"
    return f"{truncate(output, room)}\n[{note}]"
