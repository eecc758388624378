"""The outer loop: reads the user, runs a turn or a command of the user's own, until the user leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.text import Text

from text_agent.agent.agent import Agent
from text_agent.commands.capture import Capture
from text_agent.commands.processes import Program, run_process
from text_agent.config.limits import USER_COMMAND_SECONDS
from text_agent.errors import TextAgentError
from text_agent.events import Event, EventSink, Notice, ReplyFinished, ToolFinished
from text_agent.files.problems import reason_of
from text_agent.lazy_regex import late_pattern
from text_agent.protocol.templates import fill_template
from text_agent.terminal.input.line_reader import LineReader, read_message
from text_agent.terminal.input.mentions import attach_mentions
from text_agent.terminal.output.code import diff_lines
from text_agent.terminal.output.renderer import Renderer
from text_agent.terminal.slash.chat import Chat
from text_agent.terminal.slash.session_commands import resume_from
from text_agent.terminal.slash.slash_commands import find_command
from text_agent.text.sanitize import sanitize
from text_agent.text.truncation import clip_shown
from text_agent.tools.run_command import CommandHost, describe_run

# A line that begins with a path, such as `/etc/hosts is wrong`, is no command.
_COMMAND = late_pattern(r"/\w*(\s|$)")
# Characters that are shown of a line that waits.
_QUEUED_CHARS = 60
# Nobody can turn a page, and colours would be taken out again.
_UNATTENDED = {"PAGER": "cat", "GIT_PAGER": "cat", "MANPAGER": "cat", "TERM": "dumb", "NO_COLOR": "1"}


class Repl:
    """The chat in one terminal.

    Args:
        chat: its parts.
        console: what it is shown on.
        reader: reads what the user types.
        renderer: shows what happens.
        offer: is made once, when a turn has been answered for the first time.
    """

    def __init__(
        self,
        chat: Chat,
        console: Console,
        reader: LineReader,
        renderer: Renderer,
        offer: Callable[[Chat], None] | None = None,
    ) -> None:
        self._chat = chat
        self._offer = offer
        self._console = console
        self._reader = reader
        self._renderer = renderer

    def resume(self, session: Path) -> None:
        """Goes on with a saved session."""
        self._say(resume_from(self._chat, session), "notice")

    def run(self, first: str = "") -> int:
        """Chats until the user leaves; `first` is the first turn's text, if there is any.

        Returns the exit code, 0.
        """
        line: str | None = first
        while line is not None:
            if not self._handle(line.strip()):
                break
            line = read_message(self._reader, self._console)
        return 0

    def _handle(self, line: str) -> bool:
        """Handles one line; returns whether the chat goes on. An interrupt ends what it did, not the chat."""
        try:
            return self._do(line)
        except KeyboardInterrupt:
            self._renderer.stop()
            self._say("interrupted.", "notice")
            return True

    def _do(self, line: str) -> bool:
        if _COMMAND.match(line):
            return self._run_command(line)
        if line.startswith("!"):
            self._run_shell(line)
        elif line:
            self._run_turn(line)
        return True

    def _run_shell(self, line: str) -> None:
        with self._working("running"):
            text = run_user_command(self._chat.agent, line, self._chat.environment)
        self._say(self._chat.mask(text), "result")

    def _run_command(self, line: str) -> bool:
        name, *argument = line.split(maxsplit=1)
        command = find_command(name)
        if isinstance(command, str):
            self._say(command, "")
            return True
        with self._working(name) if command.is_slow else self._reader.dialog():
            text = command.run(self._chat, *argument or [""])
        if text is None:
            return False
        text = self._chat.mask(text)
        if command.gives_diff:
            for shown in diff_lines(text, self._console):
                self._console.print(shown, soft_wrap=not self._console.is_terminal)
        elif command.gives_turn:
            self._run_turn(text)
        else:
            self._say(text, "")
        return True

    @contextmanager
    def _working(self, label: str) -> Iterator[None]:
        """While this lasts, something other than a turn takes its time."""
        with self._reader.working(), self._renderer.waiting(label):
            yield

    def _run_turn(self, line: str) -> None:
        """Runs a turn; what goes wrong on the way to the model is told, and the chat goes on."""
        agent, pasted = self._chat.agent, self._reader.pasted
        try:
            with self._reader.working():
                attached = attach_mentions(
                    agent.workspace, line, pasted, lambda text: self._say(text, "notice")
                )
                finished = agent.run_turn(line, pasted, attached)
        except TextAgentError as error:
            self._renderer.stop()
            self._say(str(error), "error")
            if error.hint:
                self._say(error.hint, "notice")
        else:
            if finished.status == "answered" and self._offer:
                offer, self._offer = self._offer, None
                offer(self._chat)

    def _say(self, text: str, style: str) -> None:
        # In a terminal lines break between words; elsewhere they stay whole.
        self._console.print(Text(sanitize(text), style), soft_wrap=not self._console.is_terminal)


def queue_notices(reader: LineReader, screen: EventSink) -> EventSink:
    """Returns a sink that tells `screen` of lines typed ahead, at moments at which no text is written."""

    def tell(event: Event) -> None:
        if isinstance(event, ReplyFinished | ToolFinished):
            for line in reader.queued():
                screen(Notice(f"Queued: {clip_shown(line, _QUEUED_CHARS)}"))

    return tell


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
