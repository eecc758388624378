"""Imports what will be needed soon, while the program waits for something else."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Iterable

# What a chat needs once the user has typed something.
CHAT_MODULES = (
    "text_agent.agent.agent",
    "text_agent.tools.registry",
    "text_agent.terminal.repl",
    "text_agent.terminal.approver",
    "text_agent.permissions.command_lines.assessment",
    "text_agent.permissions.command_lines.assessment",
    "markdown_it",
    "rich.syntax",
)


def warm_up(modules: Iterable[str], delay_seconds: float = 0.0) -> None:
    """Imports `modules` in a thread of its own, after some seconds.

    Who needs one of them sooner imports it himself, and waits for the thread where that is at it. The end of
    the program waits for the module of the moment: to end in the middle of a compiled one may be a crash.
    """
    main = threading.main_thread()

    def run() -> None:
        main.join(delay_seconds)
        for module in modules:
            if main.is_alive():
                importlib.import_module(module)

    threading.Thread(target=run, name="warm-up").start()
