"""Puts one task without a terminal together, and runs it."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from text_agent.cli.assembly.parts import (
    chosen_session,
    make_agent,
    make_chat_provider,
    make_recorder,
    set_up_workspace,
)
from text_agent.cli.assembly.settings import read_settings
from text_agent.cli.assembly.streams import Streams, read_stdin
from text_agent.cli.endings import interrupt_on_signals
from text_agent.cli.warm_up import warm_up
from text_agent.errors import ConfigError

if TYPE_CHECKING:
    from text_agent.cli.json_output import Output


def run_task(
    arguments: argparse.Namespace, check: Callable[[argparse.Namespace], Path], streams: Streams
) -> int:
    """Runs the task that the flags name, in the folder that `check` finds; returns the exit code."""
    from text_agent.cli.headless import create_output, reporting

    interrupt_on_signals()
    output = create_output(arguments.output, streams.stdout)
    with reporting(output):
        return _run(arguments, check(arguments), streams, output)


def _run(arguments: argparse.Namespace, folder: Path, streams: Streams, output: Output) -> int:
    from text_agent.agent.help_choice import HelpChoice
    from text_agent.cli.headless import ProgressLog, Unattended, run_headless
    from text_agent.events import Notice, fan_out
    from text_agent.providers.factory import adapter_modules
    from text_agent.sessions.resuming import resume_session

    prompt, data = _task(arguments, streams)
    chosen = chosen_session(arguments, folder, None)
    settings = replace(read_settings(arguments, folder, streams), unattended=True)
    warm_up(adapter_modules(settings))
    setup = set_up_workspace(arguments, folder, settings)
    provider = make_chat_provider(settings, streams)
    log = ProgressLog(streams.stderr)
    shown = fan_out(output, log)
    recorder = make_recorder(setup, provider, shown)
    if settings.hidden_origin:
        log(Notice(f"endpoint: {settings.endpoint_shown}, model: {provider.model}"))
    output.begin(chosen.stem if chosen else recorder.id, provider.name, provider.model, str(folder))
    try:
        for notice in map(setup.mask, (*settings.notices, *setup.notices())):
            shown(Notice(notice))
        sink = fan_out(recorder, shown)
        choice = HelpChoice(settings, provider)
        agent = make_agent(arguments, setup, settings, choice, Unattended(), sink)
        if chosen:
            resume_session(agent, recorder, chosen, folder, shown)
        return run_headless(agent, prompt, output, data)
    finally:
        provider.close()


def _task(arguments: argparse.Namespace, streams: Streams) -> tuple[str, str]:
    """The prompt, and the data from standard input; that is read only if the flags say so."""
    if arguments.task == "-" and arguments.stdin:
        raise ConfigError("-p - and --stdin both read standard input: give the prompt as text.")
    prompt = read_stdin("the prompt", streams) if arguments.task == "-" else arguments.task
    if not prompt.strip():
        raise ConfigError("the prompt is empty.")
    return prompt, read_stdin("the data", streams) if arguments.stdin else ""
