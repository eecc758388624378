"""The command line: runs what the flags ask for, and turns errors into exit codes."""

from __future__ import annotations

import argparse
import contextlib
import gc
import sys
from collections.abc import Sequence
from pathlib import Path

from text_agent.cli.assembly.chat import run_chat
from text_agent.cli.assembly.parts import examine_endpoint, mode_of, read_memory, require_sandbox
from text_agent.cli.assembly.settings import read_settings
from text_agent.cli.assembly.streams import Streams, adapt_to_locale, own_streams, read_stdin
from text_agent.cli.assembly.task import run_task
from text_agent.cli.endings import end_on_signals, give_up, is_output_lost, leave_on_signals
from text_agent.cli.flags import (
    COMMANDS,
    command_parser,
    create_parser,
    parse_arguments,
    parse_command_arguments,
)
from text_agent.config.version import __version__
from text_agent.errors import ConfigError, TextAgentError, WorkspaceNotFoundError
from text_agent.own_programs.processes import keep_out
from text_agent.terminal.output.modes import kept_modes

_GARBAGE_THRESHOLDS = (50_000, 20, 20)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line with the process's own streams, and returns the exit code."""
    # Importing makes many objects and hardly any garbage: looking for it seldom saves a tenth of the start.
    gc.set_threshold(*_GARBAGE_THRESHOLDS)
    leave_on_signals()
    try:
        return run(sys.argv[1:] if argv is None else argv, own_streams())
    finally:
        end_on_signals()
        gc.freeze()  # or else the end takes as long again, to look for garbage in all that was imported


def run(argv: Sequence[str], streams: Streams) -> int:
    """Runs the command line and returns the exit code; every error becomes one sentence."""
    try:
        exit_code = _dispatch(argv, streams)
        streams.stdout.flush()
        return exit_code
    except TextAgentError as error:
        streams.stderr.write(f"text-agent: {error}\n" + (f"{error.hint}\n" if error.hint else ""))
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        if not is_output_lost(error):
            raise
        give_up(streams.stdout)
        if not isinstance(error, BrokenPipeError):  # whoever read the output has gone, and knows
            with contextlib.suppress(OSError):
                streams.stderr.write(f"text-agent: the output cannot be written: {error.strerror}.\n")
        return 1


def _dispatch(argv: Sequence[str], streams: Streams) -> int:
    name = argv[0] if argv else ""
    if name not in COMMANDS:
        return _run(parse_arguments(argv), streams)
    run_command = {
        "parse": _parse,
        "completion": _completion,
        "doctor": _doctor,
        "models": _models,
        "batch": _batch,
        "config": _config,
        "help": _help,
        "version": _version,
    }.get(name)
    if run_command is None:
        return _run(parse_arguments(argv[1:]), streams)
    return run_command(parse_command_arguments(name, argv[1:]), streams)


def _help(arguments: argparse.Namespace, streams: Streams) -> int:
    parser = command_parser(arguments.command) if arguments.command else create_parser()
    parser.print_help(streams.stdout)
    return 0


def _version(_arguments: argparse.Namespace, streams: Streams) -> int:
    streams.stdout.write(f"text-agent {__version__}\n")
    return 0


def _config(arguments: argparse.Namespace, streams: Streams) -> int:
    from text_agent.cli.config_command import run_config

    adapt_to_locale(streams)
    return run_config(arguments, streams)


def _parse(arguments: argparse.Namespace, streams: Streams) -> int:
    from text_agent.cli.parse_command import run_parse

    if arguments.file is None:
        return run_parse(read_stdin("the reply", streams), streams.stdout)
    try:
        text = Path(arguments.file).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise ConfigError(f"cannot read {arguments.file!r}: {error.strerror}.") from error
    return run_parse(text, streams.stdout)


def _completion(arguments: argparse.Namespace, streams: Streams) -> int:
    from text_agent.cli.shell_completion import completion_script

    streams.stdout.write(completion_script(arguments.shell))
    return 0


def _models(arguments: argparse.Namespace, streams: Streams) -> int:
    from text_agent.cli.models_command import list_servers, write_models
    from text_agent.terminal.output.setup_listener import ConsoleSetupListener

    adapt_to_locale(streams)
    settings = read_settings(arguments, _workspace(arguments.workspace), streams, discovers=False)
    servers = list_servers(settings, ConsoleSetupListener(streams.stdin, streams.stderr), streams.environment)
    write_models(servers, streams.stdout, as_json=arguments.json)
    return 0


def _batch(arguments: argparse.Namespace, streams: Streams) -> int:
    if sys.platform == "win32":
        raise ConfigError("batch runs on Linux and macOS; on Windows, in WSL.")
    from text_agent.cli.batch_command import run_batch

    adapt_to_locale(streams)
    return run_batch(arguments, streams)


def _doctor(arguments: argparse.Namespace, streams: Streams) -> int:
    adapt_to_locale(streams)
    settings = read_settings(arguments, _workspace(arguments.workspace), streams)

    def tell(line: str) -> None:
        streams.stdout.write(line + "\n")
        streams.stdout.flush()

    return examine_endpoint(settings, streams, tell)


def _run(arguments: argparse.Namespace, streams: Streams) -> int:
    if arguments.print_system_prompt:
        streams.stdout.write(_system_prompt(arguments, _workspace(arguments.workspace)) + "\n")
        return 0
    if arguments.task is not None:
        return run_task(arguments, _checked, streams)
    with kept_modes(streams.stdin):
        return run_chat(arguments, _checked(arguments), streams)


def _checked(arguments: argparse.Namespace) -> Path:
    """The folder to work in. Raises `TextAgentError` where the flags do not go together."""
    workspace = _workspace(arguments.workspace)
    mode_of(arguments)
    if arguments.sandbox == "require":
        require_sandbox(arguments, workspace)
    if arguments.task is None and (arguments.stdin or arguments.output != "text"):
        raise ConfigError(f"{'--stdin' if arguments.stdin else '--output'} is for a task: give one with -p.")
    if arguments.task is not None and arguments.prompt is not None:
        raise ConfigError(
            "give the prompt once: with -p for one task, or without it for the chat.",
            hint=f'If it is all one prompt, put it in quotes: -p "{arguments.task} {arguments.prompt}"',
        )
    return workspace


def _workspace(name: str) -> Path:
    path = Path(name)
    if not path.is_dir():
        problem = "is not a folder" if path.exists() else "does not exist"
        raise WorkspaceNotFoundError(f"the workspace {name!r} {problem}.")
    keep_out(root := path.resolve())
    return root


def _system_prompt(arguments: argparse.Namespace, folder: Path) -> str:
    from text_agent.files.workspace import Workspace
    from text_agent.protocol.prompt import render_system_prompt
    from text_agent.tools.registry import default_tools

    tools = default_tools(Workspace(folder))
    return render_system_prompt(tools.values(), read_memory(arguments, folder).render(tools))
