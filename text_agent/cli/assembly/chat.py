"""Puts the chat together, and runs it."""

from __future__ import annotations

import argparse
import io
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from text_agent.cli.assembly.parts import (
    chosen_session,
    known_endpoints,
    make_agent,
    make_chat_provider,
    make_place,
    make_provider,
    make_recorder,
    mode_of,
)
from text_agent.cli.assembly.settings import read_settings
from text_agent.cli.assembly.streams import Streams
from text_agent.cli.warm_up import CHAT_MODULES, warm_up
from text_agent.config.limits import WARM_UP_DELAY_SECONDS
from text_agent.config.settings import ProviderName, Settings
from text_agent.signals import unbroken
from text_agent.text.look_alikes import LOOK_ALIKE, is_ascii_locale
from text_agent.text.masking import Masker

if TYPE_CHECKING:
    from rich.console import Console

    from text_agent.cli.assembly.place import Place
    from text_agent.providers.switchable import SwitchableProvider
    from text_agent.terminal.output.front import Front
    from text_agent.terminal.output.renderer import Renderer
    from text_agent.terminal.repl import Repl
    from text_agent.terminal.slash.model_commands import Switch
    from text_agent.terminal.slash.slash_commands import SlashCommand


def run_chat(arguments: argparse.Namespace, folder: Path, streams: Streams) -> int:
    """Gets to the prompt with as little as it takes; all else is imported while the user types."""
    from text_agent.providers.factory import adapter_modules
    from text_agent.providers.switchable import SwitchableProvider
    from text_agent.terminal.input.reading import read_message
    from text_agent.terminal.output.greeting import greet
    from text_agent.terminal.output.theme import create_console

    if is_ascii_locale(streams.environment) and isinstance(streams.stdout, io.TextIOWrapper):
        streams.stdout.reconfigure(encoding="ascii", errors=LOOK_ALIKE)
    settings = read_settings(arguments, folder, streams, "local")
    color = not arguments.no_color
    console = create_console(streams.stdout, streams.environment, settings.theme, color=color)
    if settings.is_fallback:
        console.print("No endpoint is configured (see .env.example): taking the local model.", style="notice")
    place = make_place(arguments, folder, settings)
    front = _front(settings, place, streams, console)
    chosen = chosen_session(arguments, folder, front.reader.ask if streams.stdin.isatty() else None)
    provider = SwitchableProvider(make_chat_provider(settings, streams))
    try:
        notices = map(Masker(settings.keys), (*settings.notices, *place.notices()))
        greet(console, provider, settings.endpoint_shown, folder, notices)
        front.status.begin(provider, mode_of(arguments))
        warm_up([*CHAT_MODULES, *adapter_modules(settings)], WARM_UP_DELAY_SECONDS)
        first = arguments.prompt or ("" if chosen else read_message(front.reader, console))
        if first is None:
            return 0
        repl = None
        try:
            with unbroken(), front.reader.working():
                repl = _repl(arguments, place, settings, streams, front, provider)
        except KeyboardInterrupt:
            if repl is None:  # imports that are broken off cannot be relied on any more
                raise
            console.print("interrupted.", style="notice")
            first = ""
        if chosen:
            repl.resume(chosen)
        return repl.run(first)
    finally:
        provider.close()


def _repl(
    arguments: argparse.Namespace,
    place: Place,
    settings: Settings,
    streams: Streams,
    front: Front,
    provider: SwitchableProvider,
) -> Repl:
    from text_agent.agent.counters import ProtocolCounters
    from text_agent.agent.masked_events import mask_events
    from text_agent.cli.headless import Unattended
    from text_agent.events import fan_out
    from text_agent.terminal.approver import TerminalApprover
    from text_agent.terminal.checklist import PlanBoard
    from text_agent.terminal.input.clipboard import Clipboard
    from text_agent.terminal.input.queue_notice import QueueNotice
    from text_agent.terminal.output.renderer import Renderer
    from text_agent.terminal.output.results import ResultBoard
    from text_agent.terminal.output.theme import can_redraw
    from text_agent.terminal.repl import Repl
    from text_agent.terminal.slash.session_commands import SessionDesk
    from text_agent.terminal.slash.slash_commands import Chat

    console, reader, folder = front.console, front.reader, place.workspace.root
    ask = reader.ask if streams.stdin.isatty() else None
    renderer = Renderer(console, redraws=can_redraw(streams.stdout, streams.environment))
    approver = TerminalApprover(console, reader, renderer) if ask else Unattended()
    counters, plan, results = ProtocolCounters(), PlanBoard(console.encoding), ResultBoard()
    mask = Masker(settings.keys)
    shown = fan_out(renderer, QueueNotice(reader, mask_events(mask, renderer)), counters, plan, results)
    recorder = make_recorder(folder, settings, provider, shown)
    desk = SessionDesk(recorder, folder, shown, Clipboard(streams.stdout, streams.environment, folder))
    agent = make_agent(arguments, place, settings, provider, approver, fan_out(recorder, shown, desk))
    renderer.tools = agent.tools
    renderer.typed = lambda: mask(reader.typed())
    front.status.agent = agent
    switch = _switch(arguments, folder, streams, provider)
    doctor = _chat_doctor(arguments, folder, streams, provider, renderer)
    chat = Chat(agent, counters, plan, desk, results, ask, mask, streams.environment, switch, doctor)
    return Repl(chat, console, reader, renderer)


def _switch(
    arguments: argparse.Namespace, folder: Path, streams: Streams, current: SwitchableProvider
) -> Switch:
    """What takes another model; the flag for the model counts as long as the provider is the first one."""
    first = current.name

    def switch(provider: ProviderName, model: str | None) -> None:
        wanted = model or (arguments.model if provider == first else None)
        flags = argparse.Namespace(**{**vars(arguments), "provider": provider, "model": wanted})
        settings = read_settings(flags, folder, streams, None)
        current.switch(make_chat_provider(settings, streams))

    return switch


def _chat_doctor(
    arguments: argparse.Namespace,
    folder: Path,
    streams: Streams,
    current: SwitchableProvider,
    renderer: Renderer,
) -> Callable[[], None]:
    """What examines the model of the moment; a local one is not loaded twice."""

    def examine() -> None:
        from text_agent.cli.doctor_command import DoctorCommand
        from text_agent.providers.transport import PROBE_PATIENCE

        flags = argparse.Namespace(**{**vars(arguments), "provider": current.name, "model": current.model})
        settings = read_settings(arguments if current.name == "local" else flags, folder, streams, "local")
        doctor = DoctorCommand(settings, known_endpoints(), renderer.say)
        if current.name == "local":
            doctor.examine(current)
        else:
            doctor.run(lambda: make_provider(settings, streams, patience=PROBE_PATIENCE))

    return examine


def _front(settings: Settings, place: Place, streams: Streams, console: Console) -> Front:
    from text_agent.terminal.input.line_reader import PlainReader, has_prompt
    from text_agent.terminal.output.front import Front
    from text_agent.terminal.output.status import Status

    status = Status(console.encoding)
    if not has_prompt(streams.stdin, streams.stdout, streams.environment):
        return Front(console, PlainReader(streams.stdin, console), status)

    from platformdirs import user_data_path

    from text_agent.terminal.input.completer import ChatCompleter
    from text_agent.terminal.input.prompt_reader import PromptOptions, PromptReader

    def commands() -> Mapping[str, SlashCommand]:
        from text_agent.terminal.slash.slash_commands import COMMANDS

        return COMMANDS

    def paths() -> Sequence[str]:
        from text_agent.tools.list_files import visible_files

        return visible_files(place.workspace)

    options = PromptOptions(
        user_data_path("text-agent") / "history",
        Masker(settings.keys),
        ChatCompleter(commands, paths),
        settings.editing_mode,
        status.text,
        streams.environment,
        place.workspace.root,
    )
    return Front(console, PromptReader(options, color=console.color_system is not None), status)
