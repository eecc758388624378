"""`text-agent config`: the user's own settings, read and written."""

from __future__ import annotations

import argparse
import asyncio
import contextlib

from text_agent.cli.assembly.streams import Streams
from text_agent.cli.config_file import ConfigFile, Name, template
from text_agent.errors import ConfigError


def run_config(arguments: argparse.Namespace, streams: Streams) -> int:
    """Does what the flags ask for, and returns the exit code.

    Raises:
        ConfigError: it cannot be done; the file is as it was.
    """
    from platformdirs import user_config_path

    config = ConfigFile(user_config_path("text-agent"), streams.environment)
    match arguments.action:
        case "set":
            name = _name(arguments)
            config.set({name: _value(name, arguments.value, streams)})
        case "unset":
            config.unset(_name(arguments))
        case "path":
            streams.stdout.write(f"{config.path}\n")
        case "edit":
            _edit(config, streams)
        case _ if getattr(arguments, "name", None) is None:
            streams.stdout.writelines(f"{line}\n" for line in config.lines())
        case _:
            return _get(config, _name(arguments), streams)
    return 0


def _name(arguments: argparse.Namespace) -> Name:
    profile, _, key = arguments.name.rpartition(".")
    if profile and arguments.profile:
        raise ConfigError(f"the profile is named twice: {profile} and {arguments.profile}.")
    is_whole_profile = arguments.action == "unset" and not profile and not arguments.profile
    return Name(key if is_whole_profile else key.replace("-", "_"), profile or arguments.profile or None)


def _get(config: ConfigFile, name: Name, streams: Streams) -> int:
    value = config.get(name)
    if value is None:
        streams.stderr.write(f"text-agent: {name} is not set in {config.path}.\n")
        return 1
    streams.stdout.write(f"{value}\n")
    for variable in name.entry.row.variables() if name.entry.row.has_variable else ():
        if streams.environment.get(variable):
            streams.stderr.write(f"text-agent: {variable} in the environment goes before it.\n")
    return 0


def _value(name: Name, given: str | None, streams: Streams) -> str:
    """The value that was given, or else typed, or read from standard input."""
    is_secret = name.entry.row.is_secret
    if given is not None:
        if is_secret:
            raise ConfigError(
                "a key does not go on the command line, where other programs and the shell's history see it.",
                hint=f"`text-agent config set {name}` asks for it, or reads it from standard input.",
            )
        return given
    if streams.stdin.isatty() and is_secret:
        from getpass import getpass

        with contextlib.suppress(EOFError):
            return getpass(f"{name} (is not shown): ").strip()
        return ""
    if streams.stdin.isatty():
        raise ConfigError(f"give a value: text-agent config set {name} VALUE.")
    return streams.stdin.read().strip()


def _edit(config: ConfigFile, streams: Streams) -> None:
    """Opens the file in the user's editor, again as long as it is wrong and the user wants to."""
    from text_agent.terminal.input.editor import edit
    from text_agent.terminal.output.setup_listener import ConsoleSetupListener

    if not (streams.stdin.isatty() and streams.stdout.isatty()):
        raise ConfigError(f"an editor needs a terminal; the file is {config.path}.")
    listener = ConsoleSetupListener(streams.stdin, streams.stderr)
    before = text = config.text() or template()
    while True:
        text = asyncio.run(edit(text, streams.environment, name="config.toml")) + "\n"
        if text.rstrip("\n") == before.rstrip("\n"):
            listener.say("Nothing was changed.")
            return
        try:
            config.check(text)
        except ConfigError as error:
            listener.say(f"{error}")
            if not listener.confirm("Edit it again? Otherwise nothing is changed."):
                raise
        else:
            config.write(text)
            return
