"""Puts the chat together, and runs it."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from text_agent.cli.assembly.parts import (
    chosen_session,
    examine_endpoint,
    make_agent,
    make_chat_provider,
    make_recorder,
    mode_of,
    set_up_workspace,
)
from text_agent.cli.assembly.settings import read_settings, user_file
from text_agent.cli.assembly.streams import Streams, adapt_to_locale
from text_agent.cli.warm_up import CHAT_MODULES, warm_up
from text_agent.config.limits import WARM_UP_DELAY_SECONDS
from text_agent.config.settings import SETTINGS, ProviderName, Settings
from text_agent.config.user_file import endpoint_line
from text_agent.signals import unbroken

if TYPE_CHECKING:
    from text_agent.terminal.input.line_reader import LineReader
    from text_agent.terminal.output.renderer import Renderer
    from text_agent.terminal.repl import Repl
    from text_agent.terminal.slash.slash_commands import SlashCommand


def run_chat(arguments: argparse.Namespace, folder: Path, streams: Streams) -> int:
    """Chats until the user leaves; returns the exit code."""
    return _ChatStart(arguments, folder, streams).run()


class _ChatStart:
    """Gets to the prompt with as little as it takes; all else is imported while the user types."""

    def __init__(self, arguments: argparse.Namespace, folder: Path, streams: Streams) -> None:
        from text_agent.agent.help_choice import HelpChoice
        from text_agent.providers.switchable import SwitchableProvider
        from text_agent.terminal.output.status import Status
        from text_agent.terminal.output.theme import create_console

        adapt_to_locale(streams)
        self._arguments, self._folder, self._streams = arguments, folder, streams
        self._settings = settings = read_settings(arguments, folder, streams, is_chat=True)
        self._console = create_console(
            streams.stdout, streams.environment, settings.theme, color=not arguments.no_color
        )
        if settings.is_fallback:
            notice = "No endpoint is configured: taking the model inside this program."
            self._console.print(notice, style="notice")
        self._setup = set_up_workspace(arguments, folder, settings)
        self._mask = self._setup.mask
        self._status = Status(self._console.encoding, mode_of(arguments))
        self._reader = self._make_reader()
        self._ask = self._reader.ask if streams.stdin.isatty() else None
        self._chosen = chosen_session(arguments, folder, self._ask)
        self._provider = SwitchableProvider(make_chat_provider(settings, streams))
        self._status.provider = self._provider
        self._first_provider = self._provider.name
        self._choice = HelpChoice(settings, self._provider)

    def run(self) -> int:
        from text_agent.providers.factory import adapter_modules
        from text_agent.terminal.input.line_reader import read_message
        from text_agent.terminal.output.status import greet

        settings, chosen = self._settings, self._chosen
        try:
            notices = map(
                self._mask,
                filter(None, (self._choice.greeting(), *settings.notices, *self._setup.notices())),
            )
            greet(self._console, self._provider, settings.endpoint_shown, self._folder, notices)
            warm_up([*CHAT_MODULES, *adapter_modules(settings)], WARM_UP_DELAY_SECONDS)
            first = self._arguments.prompt or ("" if chosen else read_message(self._reader, self._console))
            if first is None:
                return 0
            repl = None
            try:
                with unbroken(), self._reader.working():
                    repl = self._make_repl()
            except KeyboardInterrupt:
                if repl is None:  # imports that are broken off cannot be relied on any more
                    raise
                self._console.print("interrupted.", style="notice")
                first = ""
            if chosen:
                repl.resume(chosen)
            return repl.run(first)
        finally:
            self._provider.close()

    def _make_repl(self) -> Repl:
        from text_agent.agent.counters import ProtocolCounters
        from text_agent.cli.assembly.keeping import offer_to_keep
        from text_agent.cli.headless import Unattended
        from text_agent.events import fan_out
        from text_agent.terminal.approver import TerminalApprover
        from text_agent.terminal.input.clipboard import Clipboard
        from text_agent.terminal.output.renderer import Renderer
        from text_agent.terminal.output.theme import can_redraw
        from text_agent.terminal.repl import Repl, queue_notices
        from text_agent.terminal.slash.chat import Chat, ProfileSwitch
        from text_agent.terminal.slash.kept import Kept
        from text_agent.text.masking import mask_events
        from text_agent.text.sanitize import sanitize

        streams, settings, mask = self._streams, self._settings, self._mask
        console, reader, ask = self._console, self._reader, self._ask
        renderer = Renderer(console, redraws=can_redraw(streams.stdout, streams.environment))
        approver = TerminalApprover(console, reader, renderer) if ask else Unattended()
        counters, kept = ProtocolCounters(), Kept(console.encoding)
        shown = fan_out(renderer, queue_notices(reader, mask_events(mask, renderer)), counters, kept)
        recorder = make_recorder(self._setup, self._provider, shown)
        sink = fan_out(recorder, shown)
        agent = make_agent(self._arguments, self._setup, settings, self._choice, approver, sink)
        renderer.tools = agent.tools
        renderer.typed = lambda: mask(reader.typed())
        self._status.agent = agent
        chat = Chat(
            agent,
            recorder,
            counters,
            kept,
            Clipboard(streams.stdout, streams.environment, self._folder),
            shown,
            ask and (lambda question: ask(sanitize(mask(question)))),
            ask and self._pick,
            mask,
            streams.environment,
            self._switch,
            ProfileSwitch(self._profiles, self._take_profile),
            lambda: self._examine(renderer),
        )
        offer = offer_to_keep(self._arguments, settings, streams.environment, self._provider)
        return Repl(chat, console, reader, renderer, offer if ask else None)

    def _pick(self, question: str, lines: Sequence[str]) -> int:
        from text_agent.terminal.input.choosing import choose

        streams = self._streams
        return choose(question, lines, streams.stdin, streams.stdout, streams.environment)

    def _switch(self, provider: ProviderName, model: str | None) -> None:
        """Takes another model; the flag for the model counts as long as the provider is the first one."""
        wanted = model or self._flagged_model(provider)
        self._provider.switch(make_chat_provider(self._settings_with(provider, wanted), self._streams))

    def _profiles(self) -> Mapping[str, str]:
        user = user_file()
        return {name: endpoint_line(values) for name, values in user.profiles.items()}

    def _take_profile(self, name: str) -> None:
        """Takes a profile; what it decides goes before the flags of the start, and so does where it leads."""
        own = user_file().profiles.get(name, {})
        dropped = {row.name: None for row in SETTINGS if row.option and (row.is_endpoint or row.name in own)}
        arguments = argparse.Namespace(**{**vars(self._arguments), **dropped, "profile": name})
        settings = read_settings(arguments, self._folder, self._streams)
        self._mask.learn(settings.keys)
        self._provider.switch(make_chat_provider(settings, self._streams))
        self._arguments, self._settings = arguments, settings
        self._first_provider = self._provider.name

    def _examine(self, renderer: Renderer) -> None:
        """Examines the model of the moment; a local one is not loaded twice."""
        current = self._provider
        if current.name == "local":
            settings = self._settings_with("local", self._flagged_model("local"))
            examine_endpoint(settings, self._streams, renderer.say, current)
        else:
            settings = self._settings_with(current.name, current.model)
            examine_endpoint(settings, self._streams, renderer.say)

    def _flagged_model(self, provider: str) -> str | None:
        return self._arguments.model if provider == self._first_provider else None

    def _settings_with(self, provider: str, model: str | None) -> Settings:
        flags = argparse.Namespace(**{**vars(self._arguments), "provider": provider, "model": model})
        found = self._settings.found if provider == self._first_provider else None
        return read_settings(flags, self._folder, self._streams, found=found)

    def _make_reader(self) -> LineReader:
        from text_agent.terminal.input.line_reader import PlainReader
        from text_agent.terminal.output.theme import can_redraw

        streams = self._streams
        if not (streams.stdin.isatty() and can_redraw(streams.stdout, streams.environment)):
            return PlainReader(streams.stdin, self._console)

        from platformdirs import user_data_path

        from text_agent.terminal.input.completer import ChatCompleter
        from text_agent.terminal.input.prompt_reader import PromptOptions, PromptReader

        def commands() -> Mapping[str, SlashCommand]:
            from text_agent.terminal.slash.slash_commands import COMMANDS

            return COMMANDS

        def paths() -> Sequence[str]:
            from text_agent.tools.list_files import visible_files

            return visible_files(self._setup.workspace)

        def models() -> Sequence[str]:
            from text_agent.terminal.slash.model_commands import chat_models

            return [model.name for model in chat_models(self._provider)]

        options = PromptOptions(
            user_data_path("text-agent") / "history",
            self._mask,
            ChatCompleter(commands, paths, models),
            self._settings.editing_mode,
            self._status.text,
            streams.environment,
            self._folder,
        )
        return PromptReader(options, color=self._console.color_system is not None)
