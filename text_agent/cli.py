"""The command line: puts the parts together by the flags, and turns errors into exit codes."""

from __future__ import annotations

import argparse
import gc
import io
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from text_agent.config import (
    WARM_UP_DELAY_SECONDS,
    ProviderName,
    Settings,
    Source,
    notes_max_chars,
    read_env_file,
    resolve_settings,
)
from text_agent.errors import ConfigError, TextAgentError, WorkspaceNotFoundError
from text_agent.flags import (
    create_completion_parser,
    create_parse_parser,
    parse_arguments,
    parse_doctor_arguments,
)
from text_agent.look_alikes import LOOK_ALIKE, install_look_alikes, is_ascii_locale
from text_agent.warm_up import CHAT_MODULES, sdk_modules, warm_up

if TYPE_CHECKING:
    from rich.console import Console

    from text_agent.agent import Agent
    from text_agent.checkpoints.recorder import Checkpoints
    from text_agent.events import EventSink
    from text_agent.headless import Output
    from text_agent.permission_mode import PermissionMode
    from text_agent.permissions import Approver, PermissionPolicy
    from text_agent.place import Place
    from text_agent.project_memory import ProjectMemory
    from text_agent.providers.base import Provider
    from text_agent.providers.known import KnownEndpoints
    from text_agent.providers.switchable import SwitchableProvider
    from text_agent.providers.transport import Patience
    from text_agent.sandbox.confinement import Sandbox
    from text_agent.session.recorder import SessionRecorder
    from text_agent.session.store import SessionStore
    from text_agent.terminal.front import Front
    from text_agent.terminal.model_commands import Switch
    from text_agent.terminal.repl import Repl
    from text_agent.terminal.session_commands import Ask
    from text_agent.terminal.slash_commands import SlashCommand
    from text_agent.tools.run_command import CommandHost
    from text_agent.workspace import Workspace


_GARBAGE_THRESHOLDS = (50_000, 20, 20)


@dataclass(frozen=True, slots=True)
class Streams:
    """The three standard streams and the environment, passed in so that tests can bring their own."""

    stdin: TextIO
    stdout: TextIO
    stderr: TextIO
    environment: Mapping[str, str]


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line with the process's own streams, and returns the exit code."""
    # Importing makes many objects and hardly any garbage: looking for it seldom saves a tenth of the start.
    gc.set_threshold(*_GARBAGE_THRESHOLDS)
    install_look_alikes()
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        # A character that the terminal cannot show must not end the program.
        errors = "replace" if stream is sys.stdin else LOOK_ALIKE
        stream.reconfigure(errors=errors)  # type: ignore[union-attr]
    streams = Streams(sys.stdin, sys.stdout, sys.stderr, os.environ)
    return run(sys.argv[1:] if argv is None else argv, streams)


def run(argv: Sequence[str], streams: Streams) -> int:
    """Runs the command line and returns the exit code; every error becomes one sentence."""
    try:
        if list(argv[:1]) == ["parse"]:
            return _parse(create_parse_parser().parse_args(argv[1:]), streams)
        if list(argv[:1]) == ["completion"]:
            return _completion(create_completion_parser().parse_args(argv[1:]), streams)
        if list(argv[:1]) == ["doctor"]:
            return _doctor(parse_doctor_arguments(argv[1:]), streams)
        return _run(parse_arguments(argv), streams)
    except TextAgentError as error:
        streams.stderr.write(f"text-agent: {error}\n" + (f"{error.hint}\n" if error.hint else ""))
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Whoever read the output has gone; what is still buffered has nowhere to go either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), streams.stdout.fileno())
        return 1


def _parse(arguments: argparse.Namespace, streams: Streams) -> int:
    from text_agent.parse_command import run_parse

    if arguments.file is None:
        return run_parse(_read_stdin("the reply", streams), streams.stdout)
    try:
        text = Path(arguments.file).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise ConfigError(f"cannot read {arguments.file!r}: {error.strerror}.") from error
    return run_parse(text, streams.stdout)


def _completion(arguments: argparse.Namespace, streams: Streams) -> int:
    from text_agent.shell_completion import completion_script

    streams.stdout.write(completion_script(arguments.shell))
    return 0


def _doctor(arguments: argparse.Namespace, streams: Streams) -> int:
    from text_agent.doctor_command import DoctorCommand
    from text_agent.providers.transport import PROBE_PATIENCE

    if is_ascii_locale(streams.environment) and isinstance(streams.stdout, io.TextIOWrapper):
        streams.stdout.reconfigure(encoding="ascii", errors=LOOK_ALIKE)
    settings = _settings(arguments, _workspace(arguments.workspace), streams, None)

    def tell(line: str) -> None:
        streams.stdout.write(line + "\n")
        streams.stdout.flush()

    doctor = DoctorCommand(settings, _known_endpoints(), tell)
    # What was found out before is to be found out anew: a server may have changed.
    return doctor.run(lambda: _provider(settings, streams, patience=PROBE_PATIENCE))


def _known_endpoints() -> KnownEndpoints:
    from platformdirs import user_cache_path

    from text_agent.providers.known import KnownEndpoints

    return KnownEndpoints(user_cache_path("text-agent") / "endpoints.json")


def _read_stdin(what: str, streams: Streams) -> str:
    """Reads standard input to its end; at a terminal the user is told that it is waited for."""
    if streams.stdin.isatty():
        streams.stderr.write(f"text-agent: type {what}, then Ctrl-D on a line of its own.\n")
        streams.stderr.flush()
    return streams.stdin.read()


def _run(arguments: argparse.Namespace, streams: Streams) -> int:
    workspace = _workspace(arguments.workspace)
    if arguments.print_system_prompt:
        streams.stdout.write(_system_prompt(arguments, workspace) + "\n")
        return 0
    if arguments.yes and arguments.permission_mode not in (None, "all"):
        raise ConfigError(f"--yes and --permission-mode {arguments.permission_mode} say different things.")
    if arguments.sandbox == "require":
        _look_for_sandbox(arguments, workspace)
    if arguments.task is None and (arguments.stdin or arguments.output != "text"):
        raise ConfigError(f"{'--stdin' if arguments.stdin else '--output'} is for a task: give one with -p.")
    if arguments.task is None:
        return _chat(arguments, workspace, streams)
    if arguments.prompt is not None:
        raise ConfigError(
            "give the prompt once: with -p for one task, or without it for the chat.",
            hint=f'If it is all one prompt, put it in quotes: -p "{arguments.task} {arguments.prompt}"',
        )
    return _headless(arguments, workspace, streams)


def _workspace(name: str) -> Path:
    path = Path(name)
    if not path.is_dir():
        problem = "is not a folder" if path.exists() else "does not exist"
        raise WorkspaceNotFoundError(f"the workspace {name!r} {problem}.")
    return path.resolve()


def _system_prompt(arguments: argparse.Namespace, folder: Path) -> str:
    from text_agent.system_prompt import render_system_prompt
    from text_agent.tools.registry import default_tools
    from text_agent.workspace import Workspace

    tools = default_tools(Workspace(folder))
    return render_system_prompt(tools.values(), _memory(arguments, folder).render(tools))


def _memory(arguments: argparse.Namespace, folder: Path, context_tokens: int | None = None) -> ProjectMemory:
    from text_agent.project_memory import ProjectMemory, load_project_memory

    if arguments.no_memory:
        return ProjectMemory()
    return load_project_memory(folder, notes_max_chars(context_tokens))


def _settings(
    arguments: argparse.Namespace, folder: Path, streams: Streams, fallback: ProviderName | None
) -> Settings:
    from platformdirs import user_config_path

    flags = {
        "TEXT_AGENT_PROVIDER": arguments.provider,
        "TEXT_AGENT_MODEL": arguments.model,
        "TEXT_AGENT_BASE_URL": arguments.base_url,
        "TEXT_AGENT_CONTEXT_TOKENS": arguments.context_tokens,
        "TEXT_AGENT_TEMPERATURE": arguments.temperature,
        "TEXT_AGENT_HEADERS": "\n".join(arguments.header or []),
        "TEXT_AGENT_RETRIES": arguments.retries,
        "TEXT_AGENT_CA_FILE": arguments.ca_file,
        "TEXT_AGENT_LOG": arguments.log,
        "TEXT_AGENT_PROJECT_VIEW": arguments.project_view,
        "TEXT_AGENT_SMALL_MODEL": arguments.small_model,
        "TEXT_AGENT_PRICE_IN": arguments.price_in,
        "TEXT_AGENT_PRICE_OUT": arguments.price_out,
        "TEXT_AGENT_PRICE_CACHED": arguments.price_cached,
        "TEXT_AGENT_MAX_COST": arguments.max_cost,
        "TEXT_AGENT_MAX_SESSION_TOKENS": arguments.max_session_tokens,
        "TEXT_AGENT_THEME": arguments.theme,
        "TEXT_AGENT_EDITING_MODE": arguments.editing_mode,
    }
    user_file = user_config_path("text-agent") / "config.env"
    sources = [
        Source("the command line", {name: value for name, value in flags.items() if value}),
        Source("the environment", streams.environment),
        Source(str(folder / ".env"), read_env_file(folder / ".env"), trusted=False),
        Source(str(user_file), read_env_file(user_file)),
    ]
    return resolve_settings(
        sources, fallback=fallback, max_steps=arguments.max_steps, max_tokens=arguments.max_tokens
    )


def _provider(
    settings: Settings,
    streams: Streams,
    *,
    known: KnownEndpoints | None = None,
    patience: Patience | None = None,
) -> Provider:
    from text_agent.masking import Masker, mask_log, masked_errors
    from text_agent.providers.factory import create_provider
    from text_agent.terminal.setup_listener import ConsoleSetupListener

    listener = ConsoleSetupListener(streams.stdin, streams.stderr)
    if settings.foreign_base_url:
        trusted = streams.stdin.isatty() and listener.confirm(
            f"{settings.foreign_base_url} Send it?", default=False
        )
        if not trusted:
            raise ConfigError(
                settings.foreign_base_url, hint="Pass --base-url with this URL if you trust it with the key."
            )
    mask_log(mask := Masker(settings.keys), streams.stderr)
    with masked_errors(mask):
        return create_provider(settings, listener, known=known, patience=patience)


def _place(arguments: argparse.Namespace, folder: Path, settings: Settings) -> Place:
    import shutil

    from text_agent.place import Place
    from text_agent.workspace import Workspace

    workspace = Workspace(folder)
    sandbox, problem = _sandbox(arguments, workspace)
    memory = _memory(arguments, workspace.root, settings.context_tokens)
    return Place(workspace, sandbox, problem, memory, shutil.which("git"))


def _agent(
    arguments: argparse.Namespace,
    place: Place,
    settings: Settings,
    provider: Provider,
    approver: Approver,
    sink: EventSink,
) -> Agent:
    from text_agent.agent import Agent
    from text_agent.masked_events import mask_events
    from text_agent.masking import Masker
    from text_agent.providers.masked import MaskedProvider
    from text_agent.providers.retries import RetryingProvider
    from text_agent.system_prompt import render_system_prompt
    from text_agent.tools.commands.process_table import hide_from_other_programs
    from text_agent.tools.registry import default_tools
    from text_agent.tools.run_command import CommandHost
    from text_agent.tools.runner import ToolRunner

    hide_from_other_programs()
    mask = Masker(settings.keys)
    sink = mask_events(mask, sink)
    workspace, memory = place.workspace, place.memory
    host = CommandHost(workspace, sandbox=place.sandbox)
    tools = default_tools(workspace, host, sink)
    policy = _policy(arguments, host, sink)
    runner = ToolRunner(tools, workspace, policy, approver, _checkpoints(place, sink), mask)
    patient = RetryingProvider(MaskedProvider(provider, mask), retries=settings.endpoint.retries)
    runner.remember_foreign(memory.texts)
    return Agent(patient, runner, render_system_prompt(tools.values(), memory.render(tools)), settings, sink)


def _mode(arguments: argparse.Namespace) -> PermissionMode:
    return "all" if arguments.yes else arguments.permission_mode or "ask"


def _policy(arguments: argparse.Namespace, host: CommandHost, sink: EventSink) -> PermissionPolicy:
    from platformdirs import user_config_path

    from text_agent.allowed_commands import AllowedCommands
    from text_agent.events import Notice
    from text_agent.permissions import PermissionPolicy
    from text_agent.shell.system import look_around

    file = user_config_path("text-agent") / "allowed-commands.json"
    workspace = host.workspace
    around = look_around(
        workspace.root,
        workspace.secrets,
        host.environment,
        hides_secrets=host.sandbox is not None,
        is_posix=host.shell.is_posix,
    )
    return PermissionPolicy(
        around,
        _mode(arguments),
        allow_secrets=arguments.allow_secrets,
        allowed=AllowedCommands(workspace.root, file, lambda text: sink(Notice(text))),
    )


def _checkpoints(place: Place, sink: EventSink) -> Checkpoints | None:
    """What records changes, so that they can be undone; None without git."""
    from platformdirs import user_data_path

    from text_agent.checkpoints.recorder import Recorder
    from text_agent.checkpoints.scanner import TreeScanner
    from text_agent.checkpoints.store import ShadowStore
    from text_agent.events import Notice
    from text_agent.tools.ripgrep import list_project

    if place.git is None:
        return None
    root = place.workspace.root
    store = ShadowStore(user_data_path("text-agent"), root, place.git)

    def tell(text: str) -> None:
        sink(Notice(text))

    return Recorder(root, store, TreeScanner(root, lambda: list_project(root), store, tell), tell)


def _sandbox(arguments: argparse.Namespace, workspace: Workspace) -> tuple[Sandbox | None, str]:
    from platformdirs import user_config_path, user_data_path, user_state_path

    from text_agent.sandbox.confinement import Confinement, home_secrets
    from text_agent.sandbox.finding import find_sandbox

    own = [folder("text-agent") for folder in (user_config_path, user_data_path, user_state_path)]
    hidden = home_secrets(Path.home(), own)
    confinement = Confinement(
        workspace.root,
        workspace.scratch,
        lambda: [*hidden, *workspace.secrets.files(workspace.root)],
        arguments.sandbox_network,
    )
    return find_sandbox(arguments.sandbox, confinement)


def _look_for_sandbox(arguments: argparse.Namespace, folder: Path) -> None:
    """Ends with an error where there is none, before a provider or its model is fetched."""
    from text_agent.workspace import Workspace

    _sandbox(arguments, Workspace(folder))


def _recorder(folder: Path, settings: Settings, provider: Provider, shown: EventSink) -> SessionRecorder:
    from text_agent.masking import Masker
    from text_agent.session.recorder import SessionFacts, SessionRecorder

    facts = SessionFacts(folder, provider.name, provider.model)
    return SessionRecorder(_store(), facts, Masker(settings.keys), shown)


def _store() -> SessionStore:
    from platformdirs import user_data_path

    from text_agent.session.store import SessionStore

    return SessionStore(user_data_path("text-agent") / "sessions")


def _chosen_session(arguments: argparse.Namespace, folder: Path, ask: Ask | None) -> Path | None:
    """The session that the flags name; None for a new one."""
    if arguments.go_on:
        return _store().latest(folder)
    if arguments.resume is None:
        return None
    from text_agent.terminal.session_commands import pick_session

    if arguments.resume:
        return _store().find(arguments.resume, folder)
    return pick_session(_store(), folder, ask)


def _headless(arguments: argparse.Namespace, folder: Path, streams: Streams) -> int:
    from text_agent.headless import create_output, reporting

    output = create_output(arguments.output, streams.stdout)
    with reporting(output):
        return _run_task(arguments, folder, streams, output)


def _run_task(arguments: argparse.Namespace, folder: Path, streams: Streams, output: Output) -> int:
    from text_agent.events import Notice, fan_out
    from text_agent.headless import ProgressLog, Unattended, run_headless
    from text_agent.masking import Masker
    from text_agent.session.resuming import resume_session

    prompt, data = _task(arguments, streams)
    chosen = _chosen_session(arguments, folder, None)
    settings = replace(_settings(arguments, folder, streams, None), unattended=True)
    warm_up(sdk_modules(settings.provider))
    provider = _provider(settings, streams, known=_known_endpoints())
    shown = fan_out(output, ProgressLog(streams.stderr))
    recorder = _recorder(folder, settings, provider, shown)
    output.begin(chosen.stem if chosen else recorder.id, provider.name, provider.model, str(folder))
    try:
        place = _place(arguments, folder, settings)
        for notice in place.notices():
            shown(Notice(Masker(settings.keys)(notice)))
        agent = _agent(arguments, place, settings, provider, Unattended(), fan_out(recorder, shown))
        if chosen:
            resume_session(agent, recorder, chosen, folder, shown)
        return run_headless(agent, prompt, output, data)
    finally:
        provider.close()


def _task(arguments: argparse.Namespace, streams: Streams) -> tuple[str, str]:
    """The prompt, and the data from standard input; that is read only if the flags say so."""
    if arguments.task == "-" and arguments.stdin:
        raise ConfigError("-p - and --stdin both read standard input: give the prompt as text.")
    prompt = _read_stdin("the prompt", streams) if arguments.task == "-" else arguments.task
    if not prompt.strip():
        raise ConfigError("the prompt is empty.")
    return prompt, _read_stdin("the data", streams) if arguments.stdin else ""


def _chat(arguments: argparse.Namespace, folder: Path, streams: Streams) -> int:
    """Gets to the prompt with as little as it takes; all else is imported while the user types."""
    from text_agent.masking import Masker
    from text_agent.providers.switchable import SwitchableProvider
    from text_agent.terminal.greeting import greet
    from text_agent.terminal.reading import read_message
    from text_agent.terminal.theme import create_console

    if is_ascii_locale(streams.environment) and isinstance(streams.stdout, io.TextIOWrapper):
        streams.stdout.reconfigure(encoding="ascii", errors=LOOK_ALIKE)
    settings = _settings(arguments, folder, streams, "local")
    color = not arguments.no_color
    console = create_console(streams.stdout, streams.environment, settings.theme, color=color)
    if settings.is_fallback:
        console.print("No endpoint is configured (see .env.example): taking the local model.", style="notice")
    place = _place(arguments, folder, settings)
    front = _front(settings, place, streams, console)
    chosen = _chosen_session(arguments, folder, front.reader.ask if streams.stdin.isatty() else None)
    provider = SwitchableProvider(_provider(settings, streams, known=_known_endpoints()))
    try:
        greet(console, provider, folder, map(Masker(settings.keys), place.notices()))
        front.status.begin(provider, _mode(arguments))
        warm_up([*CHAT_MODULES, *sdk_modules(provider.name)], WARM_UP_DELAY_SECONDS)
        first = arguments.prompt or ("" if chosen else read_message(front.reader, console))
        if first is None:
            return 0
        repl = _repl(arguments, place, settings, streams, front, provider)
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
    from text_agent.events import fan_out
    from text_agent.headless import Unattended
    from text_agent.masked_events import mask_events
    from text_agent.masking import Masker
    from text_agent.protocol_counters import ProtocolCounters
    from text_agent.terminal.approver import TerminalApprover
    from text_agent.terminal.checklist import PlanBoard
    from text_agent.terminal.clipboard import Clipboard
    from text_agent.terminal.queue_notice import QueueNotice
    from text_agent.terminal.renderer import Renderer
    from text_agent.terminal.repl import Repl
    from text_agent.terminal.results import ResultBoard
    from text_agent.terminal.session_commands import SessionDesk
    from text_agent.terminal.slash_commands import Chat
    from text_agent.terminal.theme import can_redraw

    console, reader, folder = front.console, front.reader, place.workspace.root
    ask = reader.ask if streams.stdin.isatty() else None
    renderer = Renderer(console, redraws=can_redraw(streams.stdout, streams.environment))
    approver = TerminalApprover(console, reader, renderer) if ask else Unattended()
    counters, plan, results = ProtocolCounters(), PlanBoard(console.encoding), ResultBoard()
    mask = Masker(settings.keys)
    shown = fan_out(renderer, QueueNotice(reader, mask_events(mask, renderer)), counters, plan, results)
    recorder = _recorder(folder, settings, provider, shown)
    desk = SessionDesk(recorder, folder, shown, Clipboard(streams.stdout, streams.environment))
    agent = _agent(arguments, place, settings, provider, approver, fan_out(recorder, shown, desk))
    renderer.tools = agent.tools
    renderer.typed = lambda: mask(reader.typed())
    front.status.agent = agent
    switch = _switch(arguments, folder, streams, provider)
    doctor = _chat_doctor(arguments, folder, streams, provider, console)
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
        settings = _settings(flags, folder, streams, None)
        current.switch(_provider(settings, streams, known=_known_endpoints()))

    return switch


def _chat_doctor(
    arguments: argparse.Namespace,
    folder: Path,
    streams: Streams,
    current: SwitchableProvider,
    console: Console,
) -> Callable[[], None]:
    """What examines the model of the moment; a local one is not loaded twice."""

    def examine() -> None:
        from rich.text import Text

        from text_agent.doctor_command import DoctorCommand
        from text_agent.providers.transport import PROBE_PATIENCE

        flags = argparse.Namespace(**{**vars(arguments), "provider": current.name, "model": current.model})
        settings = _settings(arguments if current.name == "local" else flags, folder, streams, "local")

        def tell(line: str) -> None:
            console.print(Text(line), soft_wrap=not console.is_terminal)

        doctor = DoctorCommand(settings, _known_endpoints(), tell)
        if current.name == "local":
            doctor.examine(current)
        else:
            doctor.run(lambda: _provider(settings, streams, patience=PROBE_PATIENCE))

    return examine


def _front(settings: Settings, place: Place, streams: Streams, console: Console) -> Front:
    from text_agent.terminal.front import Front
    from text_agent.terminal.line_reader import PlainReader, has_prompt
    from text_agent.terminal.status import Status

    status = Status(console.encoding)
    if not has_prompt(streams.stdin, streams.stdout, streams.environment):
        return Front(console, PlainReader(streams.stdin, console), status)

    from platformdirs import user_data_path

    from text_agent.masking import Masker
    from text_agent.terminal.completer import ChatCompleter
    from text_agent.terminal.prompt_reader import PromptOptions, PromptReader

    def commands() -> Mapping[str, SlashCommand]:
        from text_agent.terminal.slash_commands import COMMANDS

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
    )
    return Front(console, PromptReader(options, color=console.color_system is not None), status)
