"""The parts of a session, each made from the flags and the settings.

Imports stand inside the functions: the way to the first prompt takes no more of them than it needs.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from text_agent.cli.assembly.streams import Streams
from text_agent.config.limits import notes_max_chars
from text_agent.config.settings import Settings
from text_agent.errors import ConfigError
from text_agent.text.masking import Masker

if TYPE_CHECKING:
    from text_agent.agent.agent import Agent
    from text_agent.agent.help_choice import HelpChoice
    from text_agent.agent.notes import ProjectMemory
    from text_agent.commands.sandbox.confinement import Sandbox
    from text_agent.config.permission_mode import PermissionMode
    from text_agent.events import EventSink
    from text_agent.files.checkpoints.recorder import Checkpoints
    from text_agent.files.workspace import Workspace
    from text_agent.permissions.policy import Approver, PermissionPolicy
    from text_agent.providers.base import Provider
    from text_agent.providers.known import KnownEndpoints
    from text_agent.providers.transport import Patience
    from text_agent.sessions.recorder import SessionRecorder
    from text_agent.sessions.store import SessionStore
    from text_agent.terminal.slash.chat import Ask
    from text_agent.tools.run_command import CommandHost


@dataclass(frozen=True, slots=True)
class WorkspaceSetup:
    """The workspace, and what is quickly found out about it.

    Attributes:
        sandbox: confines commands; None where nothing does.
        problem: why there is none, for the user; empty where that is as it was wanted.
        memory: the project's notes.
        git: the program that keeps former states of files; None where it is missing.
        mask: takes the user's keys out of all texts; it learns those of a profile that is taken later.
    """

    workspace: Workspace
    sandbox: Sandbox | None
    problem: str
    memory: ProjectMemory
    git: str | None
    mask: Masker

    def notices(self) -> Iterator[str]:
        """What the user should know of it."""
        if self.problem:
            yield self.problem
        if self.git is None:
            yield "git is missing: changes cannot be undone in this session."
        if self.memory.summary:
            yield self.memory.summary


def set_up_workspace(arguments: argparse.Namespace, folder: Path, settings: Settings) -> WorkspaceSetup:
    """The workspace, and what goes with it. Raises `ConfigError` where a required sandbox is missing."""
    from text_agent.files.workspace import Workspace
    from text_agent.own_programs.processes import find_program

    workspace = Workspace(folder)
    sandbox, problem = make_sandbox(arguments, workspace)
    memory = read_memory(arguments, workspace.root, settings.context_tokens)
    git = find_program("git", workspace.root)
    return WorkspaceSetup(workspace, sandbox, problem, memory, git, Masker(settings.keys))


def read_memory(
    arguments: argparse.Namespace, folder: Path, context_tokens: int | None = None
) -> ProjectMemory:
    """The project's own notes, as far as they fit; none where the flags say so."""
    from text_agent.agent.notes import ProjectMemory, load_project_memory

    if arguments.no_memory:
        return ProjectMemory()
    return load_project_memory(folder, notes_max_chars(context_tokens))


def _known_endpoints() -> KnownEndpoints:
    """What was found out about endpoints, kept in the user's cache folder."""
    from platformdirs import user_cache_path

    from text_agent.providers.known import KnownEndpoints

    return KnownEndpoints(user_cache_path("text-agent") / "endpoints.json")


def _make_provider(
    settings: Settings,
    streams: Streams,
    *,
    known: KnownEndpoints | None = None,
    patience: Patience | None = None,
) -> Provider:
    from text_agent.providers.factory import create_provider
    from text_agent.providers.origin import errors_with_origin
    from text_agent.terminal.output.setup_listener import ConsoleSetupListener
    from text_agent.text.masking import mask_log, masked_errors

    # A task that names the local model asks for it; a chat without a terminal fetches nothing.
    listener = ConsoleSetupListener(streams.stdin, streams.stderr, assumes=settings.unattended)
    mask_log(mask := Masker(settings.keys), streams.stderr)
    with masked_errors(mask), errors_with_origin(settings.hidden_origin):
        return create_provider(settings, listener, known=known, patience=patience)


def make_chat_provider(settings: Settings, streams: Streams) -> Provider:
    """The provider, with errors that say where its endpoint is set.

    Raises:
        ConfigError: it cannot be made with these settings.
        ProviderError: the endpoint could not tell its models.
    """
    from text_agent.providers.origin import OriginProvider

    provider = _make_provider(settings, streams, known=_known_endpoints())
    return OriginProvider(provider, settings.hidden_origin)


def examine_endpoint(
    settings: Settings, streams: Streams, tell: Callable[[str], None], loaded: Provider | None = None
) -> int:
    """Examines the endpoint and its model, and returns the exit code.

    Args:
        settings: of the user.
        streams: of the process.
        tell: takes a line for each check.
        loaded: the model, where it cannot be made a second time.
    """
    from text_agent.cli.doctor_command import DoctorCommand
    from text_agent.providers.transport import PROBE_PATIENCE

    doctor = DoctorCommand(settings, _known_endpoints(), tell)
    if loaded:
        return doctor.examine(loaded)
    # What was found out before is to be found out anew: a server may have changed.
    return doctor.run(lambda: _make_provider(settings, streams, patience=PROBE_PATIENCE))


def make_agent(
    arguments: argparse.Namespace,
    setup: WorkspaceSetup,
    settings: Settings,
    choice: HelpChoice,
    approver: Approver,
    sink: EventSink,
) -> Agent:
    """The agent, whose events and requests hold no key; `choice` has its provider."""
    from text_agent.agent.agent import Agent
    from text_agent.agent.runner import ToolRunner
    from text_agent.commands.process_table import hide_from_other_programs
    from text_agent.events import Notice
    from text_agent.protocol.prompt import render_system_prompt
    from text_agent.providers.masked import MaskedProvider
    from text_agent.providers.retries import RetryingProvider
    from text_agent.providers.shared_wait import SharedWait
    from text_agent.text.masking import mask_events
    from text_agent.tools.registry import default_tools
    from text_agent.tools.run_command import CommandHost

    hide_from_other_programs()
    provider, mask = choice.provider, setup.mask
    sink = mask_events(mask, sink)
    if settings.endpoint.grammar and provider.name == "anthropic":
        sink(Notice("(--grammar has no effect here: the Messages API knows no grammar.)"))
    workspace, memory = setup.workspace, setup.memory
    host = CommandHost(workspace, sandbox=setup.sandbox, keys=settings.keys)
    tools = default_tools(workspace, host)
    policy = _policy(arguments, host, sink)
    runner = ToolRunner(tools, workspace, policy, approver, _checkpoints(setup, sink), mask)
    shared = SharedWait(Path(settings.endpoint.shared_wait) if settings.endpoint.shared_wait else None)
    masked = MaskedProvider(provider, mask)
    patient = RetryingProvider(masked, retries=settings.endpoint.retries, shared=shared)
    runner.remember_foreign(memory.texts)

    def notes(context_tokens: int | None) -> str:
        return memory.within(notes_max_chars(context_tokens)).render(tools)

    def write_prompt(context_tokens: int | None) -> str:
        return render_system_prompt(tools.values(), notes(context_tokens))

    size = settings.context_tokens
    make_help = partial(choice.help_for, notes=notes(size))
    agent = Agent(patient, runner, write_prompt(size), settings, sink, make_help)
    agent.fit_system_prompt(write_prompt)
    return agent


def mode_of(arguments: argparse.Namespace) -> PermissionMode:
    """The permission mode that the flags name. Raises `ConfigError`: they name two."""
    if arguments.yes and arguments.permission_mode not in (None, "all"):
        raise ConfigError(f"--yes and --permission-mode {arguments.permission_mode} say different things.")
    return "all" if arguments.yes else arguments.permission_mode or "ask"


def _policy(arguments: argparse.Namespace, host: CommandHost, sink: EventSink) -> PermissionPolicy:
    from platformdirs import user_config_path

    from text_agent.events import Notice
    from text_agent.permissions.allowed import AllowedCommands
    from text_agent.permissions.command_lines.system import look_around
    from text_agent.permissions.policy import PermissionPolicy

    file = user_config_path("text-agent") / "allowed-commands.json"
    workspace = host.workspace
    around = look_around(
        workspace.root,
        workspace.secrets,
        host.environment,
        hides_secrets=host.sandbox is not None,
        is_posix=host.shell.is_posix,
        confine=host.sandbox.looking_argv if host.sandbox else None,
    )
    return PermissionPolicy(
        around,
        mode_of(arguments),
        allow_secrets=arguments.allow_secrets,
        allowed=AllowedCommands(workspace.root, file, lambda text: sink(Notice(text))),
    )


def _checkpoints(setup: WorkspaceSetup, sink: EventSink) -> Checkpoints | None:
    """What records changes, so that they can be undone; None without git."""
    from platformdirs import user_data_path

    from text_agent.events import Notice
    from text_agent.files.checkpoints.recorder import Recorder
    from text_agent.files.checkpoints.scanner import TreeScanner
    from text_agent.files.checkpoints.store import ShadowStore
    from text_agent.files.ripgrep import list_project

    if setup.git is None:
        return None
    root = setup.workspace.root
    store = ShadowStore(user_data_path("text-agent"), root, setup.git)

    def tell(text: str) -> None:
        sink(Notice(text))

    return Recorder(root, store, TreeScanner(root, lambda: list_project(root), store, tell), tell)


def make_sandbox(arguments: argparse.Namespace, workspace: Workspace) -> tuple[Sandbox | None, str]:
    """What confines commands, or None and why there is nothing. Raises `ConfigError` where it is required."""
    from platformdirs import user_config_path, user_data_path, user_state_path

    from text_agent.commands.sandbox.confinement import Confinement, home_secrets
    from text_agent.commands.sandbox.finding import find_sandbox

    own = [folder("text-agent") for folder in (user_config_path, user_data_path, user_state_path)]
    hidden = home_secrets(Path.home(), own)
    confinement = Confinement(
        workspace.root,
        workspace.scratch,
        lambda: [*hidden, *workspace.secrets.files(workspace.root)],
        arguments.sandbox_network,
    )
    return find_sandbox(arguments.sandbox, confinement)


def require_sandbox(arguments: argparse.Namespace, folder: Path) -> None:
    """Raises `ConfigError` where there is none, before a provider or its model is looked for."""
    from text_agent.files.workspace import Workspace

    make_sandbox(arguments, Workspace(folder))


def make_recorder(setup: WorkspaceSetup, provider: Provider, shown: EventSink) -> SessionRecorder:
    """What writes the session down, once there is a turn."""
    from text_agent.sessions.recorder import SessionFacts, SessionRecorder

    facts = SessionFacts(setup.workspace.root, provider.name, provider.model)
    return SessionRecorder(session_store(), facts, setup.mask, shown)


def session_store() -> SessionStore:
    """Where sessions are kept: in the user's data folder."""
    from platformdirs import user_data_path

    from text_agent.sessions.store import SessionStore

    return SessionStore(user_data_path("text-agent") / "sessions")


def chosen_session(arguments: argparse.Namespace, folder: Path, ask: Ask | None) -> Path | None:
    """The session that the flags name; None for a new one."""
    if arguments.go_on:
        return session_store().latest(folder)
    if arguments.resume is None:
        return None
    from text_agent.terminal.slash.session_commands import pick_session

    if arguments.resume:
        return session_store().find(arguments.resume, folder)
    return pick_session(session_store(), folder, ask)
