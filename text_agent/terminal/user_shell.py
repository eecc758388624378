"""Commands of the user's own: `!command` is shown to the model, too, `!!command` only to the user."""

from __future__ import annotations

from collections.abc import Mapping

from text_agent.agent.agent import Agent
from text_agent.commands.capture import Capture
from text_agent.commands.processes import Program, run_process
from text_agent.config.limits import USER_COMMAND_SECONDS
from text_agent.files.problems import reason_of
from text_agent.protocol.templates import fill_template
from text_agent.tools.run_command import CommandHost, describe_run

# Nobody can turn a page, and colours would be taken out again.
_UNATTENDED = {"PAGER": "cat", "GIT_PAGER": "cat", "MANPAGER": "cat", "TERM": "dumb", "NO_COLOR": "1"}


def run_user_command(agent: Agent, line: str, environment: Mapping[str, str]) -> str:
    """Runs `!command` or `!!command` with the user's rights, unasked and outside of any sandbox.

    Returns what the user is shown. Raises `KeyboardInterrupt`: the user ended it.
    """
    command = line.lstrip("!").strip()
    if not command:
        return "Write a command behind the !, such as !git status."
    shown = _run(CommandHost(agent.workspace), command, {**environment, **_UNATTENDED})
    if not line.startswith("!!"):
        agent.note_foreign(fill_template("user_command", command=command, output=shown))
    return shown


def _run(host: CommandHost, command: str, environment: Mapping[str, str]) -> str:
    capture = Capture()
    try:
        program = Program(host.shell.argv(command), host.workspace.root, environment)
        ending = run_process(program, USER_COMMAND_SECONDS, capture)
    except (OSError, ValueError) as error:
        return f"It cannot be run: {reason_of(error) if isinstance(error, OSError) else error}."
    return describe_run(host, ending, USER_COMMAND_SECONDS, capture.text()).render()
