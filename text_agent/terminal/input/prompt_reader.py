"""The prompt in a terminal that can move its cursor: editing, history, completion, type-ahead."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app, in_terminal
from prompt_toolkit.document import Document
from prompt_toolkit.enums import DEFAULT_BUFFER, EditingMode
from prompt_toolkit.filters import Condition, emacs_mode, has_focus, vi_navigation_mode
from prompt_toolkit.history import DummyHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.styles import Style

from text_agent.config.settings import EditingModeName
from text_agent.terminal.input.completer import ChatCompleter
from text_agent.terminal.input.editor import EditorError, edit
from text_agent.terminal.input.history import PrivateHistory
from text_agent.terminal.input.line_reader import CONTINUATION, LineReader, goes_on
from text_agent.terminal.input.type_ahead import ESCAPE_SECONDS, TypeAhead

_STYLES = {"prompt": "bold ansicyan"}
# The footer is no bar, but a quiet line.
_FOOTER_STYLE = {"bottom-toolbar": "noreverse dim", "bottom-toolbar.text": "noreverse dim"}


@dataclass(frozen=True, slots=True)
class PromptOptions:
    """How the prompt works."""

    history_file: Path  # where former lines are kept
    mask: Callable[[str], str]  # takes keys out of what is kept there
    completer: ChatCompleter
    editing_mode: EditingModeName = "emacs"
    footer: Callable[[], str] = str  # tells what stands below it, at each message
    environment: Mapping[str, str] = field(default_factory=dict)  # names the user's editor
    root: Path | None = None  # the workspace, whose programs are not used; the current folder by default


class PromptReader(LineReader):
    """Reads from a terminal."""

    def __init__(self, options: PromptOptions, *, color: bool) -> None:
        self.pasted: list[str] = []
        self._blocks: list[str] = []
        self._completer = options.completer
        self._footer = options.footer
        mode = EditingMode.VI if options.editing_mode == "vi" else EditingMode.EMACS
        look: dict[str, Any] = {
            "style": Style.from_dict({**_FOOTER_STYLE, **(_STYLES if color else {})}),
            "color_depth": None if color else ColorDepth.DEPTH_1_BIT,
            "include_default_pygments_style": False,
            "editing_mode": mode,
        }
        self._session: PromptSession[str] = PromptSession(
            history=PrivateHistory(options.history_file, options.mask),
            completer=options.completer,
            complete_in_thread=True,
            complete_while_typing=Condition(lambda: ChatCompleter.applies(get_app().current_buffer.document)),
            multiline=True,
            prompt_continuation=lambda width, _, wraps: "" if wraps else CONTINUATION.rjust(width),
            key_bindings=_key_bindings(self._blocks.append, options),
            **look,
        )
        # Answers to questions have no history: a yes is nothing to come back to.
        self._answers: PromptSession[str] = PromptSession(
            history=DummyHistory(), key_bindings=_answer_bindings(), **look
        )
        # Nothing long begins with an Escape there, which stops the turn at once.
        self._answers.app.ttimeoutlen = self._answers.app.timeoutlen = ESCAPE_SECONDS
        terminal = self._session.app
        self._type_ahead = TypeAhead(terminal.input, terminal.output, _interrupt)

    def read(self, prompt: str) -> str:
        """Reads a message; a bracketed paste of several lines is part of one."""
        self._completer.forget()
        self._type_ahead.give_back()
        text = self._session.prompt([("class:prompt", prompt)], bottom_toolbar=self._footer() or None)
        self.pasted = [block for block in self._blocks if block in text]
        return text

    def ask(self, question: str) -> str:
        """Reads the answer to a question; nothing that was typed before it was put is one."""
        with self._type_ahead.paused():
            return self._answers.prompt([("class:prompt", question)])

    def dialog(self) -> AbstractContextManager[None]:
        """While this lasts, what is typed is for the questions that are put."""
        return self._type_ahead.paused()

    def working(self) -> AbstractContextManager[None]:
        """While this lasts, what is typed is kept for the next `read`, and Escape interrupts."""
        return super().working() if sys.platform == "win32" else self._type_ahead.collecting()

    def typed(self) -> str:
        """What is being typed ahead."""
        return self._type_ahead.typed()

    def queued(self) -> list[str]:
        """The lines that were typed ahead since the last time."""
        return self._type_ahead.queued()


def _interrupt() -> None:
    """Interrupts the thread that does the work, whatever it waits for."""
    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)


async def _edit(event: KeyPressEvent, options: PromptOptions) -> None:
    """Sends what the user's editor makes of the message; one that fails leaves it as it was."""
    buffer, output = event.current_buffer, event.app.output
    try:
        async with in_terminal():
            try:
                text = await edit(buffer.text, options.environment, options.root)
            except EditorError as error:
                output.write(f"{error}\n")
                output.flush()
                return
    except SystemExit as leave:  # a signal; nobody takes what leaves a task in the background
        event.app.exit(exception=leave)
        return
    buffer.document = Document(text)
    buffer.validate_and_handle()


def _answer_bindings() -> KeyBindings:
    bindings = KeyBindings()

    # In vi's mode it leaves the mode in which one types, as everywhere.
    @bindings.add("escape", filter=emacs_mode)
    def stop(event: KeyPressEvent) -> None:
        event.app.exit(exception=KeyboardInterrupt())

    return bindings


def _key_bindings(note_paste: Callable[[str], None], options: PromptOptions) -> KeyBindings:
    bindings = KeyBindings()
    typing = has_focus(DEFAULT_BUFFER)

    @bindings.add("enter", filter=typing)
    def submit(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if buffer.complete_state and buffer.complete_state.current_completion:
            buffer.complete_state = None
        elif goes_on(buffer.text) and buffer.document.is_cursor_at_the_end:
            buffer.delete_before_cursor()
            buffer.insert_text("\n")
        else:
            buffer.validate_and_handle()

    @bindings.add("escape", "enter", filter=typing)
    def break_line(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    @bindings.add("c-c", filter=typing & Condition(lambda: bool(get_app().current_buffer.text)))
    def take_back(event: KeyPressEvent) -> None:
        event.current_buffer.reset()
        event.app.vi_state.reset()

    @bindings.add("c-x", "c-e", filter=typing)
    @bindings.add("v", filter=typing & vi_navigation_mode)
    def open_editor(event: KeyPressEvent) -> None:
        event.app.create_background_task(_edit(event, options))

    @bindings.add(Keys.BracketedPaste)
    def paste(event: KeyPressEvent) -> None:
        # Terminals send the line breaks of a paste as carriage returns.
        text = event.data.replace("\r\n", "\n").replace("\r", "\n")
        event.current_buffer.insert_text(text)
        note_paste(text)

    return bindings
