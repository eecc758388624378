"""The flags of the command line, and their help."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NoReturn, get_args

from text_agent.config.permission_mode import PermissionMode
from text_agent.config.settings import SETTINGS, SandboxMode
from text_agent.config.sources import nearest
from text_agent.config.version import __version__

_CONFIG_ACTIONS: Mapping[str, str] = {
    "set": "sets a setting; a key is asked for, or read from standard input",
    "get": "shows a setting, or all of them; keys are never shown",
    "unset": "takes a setting out, or a whole profile",
    "edit": "opens the file in your editor, with all settings that there are",
    "path": "tells where the file is",
}
_SHELLS = ("bash", "zsh", "fish")
EXIT_CODES = """\
  0    an answer was given
  1    the endpoint, or something else, failed
  2    wrong usage or configuration
  3    stopped before an answer (step limit, no progress, reply cut or
       filtered, cost), a write was denied because there was no terminal to
       ask in, or a change was asked for, none made, and nobody refused it
  130  interrupted"""
EXAMPLES = """\
  text-agent                                   chat in the current folder
  text-agent "why does test_login fail?"       chat, beginning with this
  text-agent --continue                        the last chat here goes on
  text-agent -p "add a .gitignore" --yes       one task, no questions
  text-agent -p - < task.txt                   the prompt from standard input
  git diff | text-agent -p "review" --stdin    data for the prompt
  text-agent parse reply.txt                   what the parser makes of a reply
  text-agent --base-url http://localhost:11434/v1 --model qwen2.5-coder
  text-agent models                            which models there are
  text-agent config set model qwen2.5-coder    keeps a setting for you
  text-agent -- help me with this test         a prompt, not a command
  text-agent doctor                            whether the endpoint works
  text-agent batch tasks.jsonl --out run       many tasks, each in its own copy
  text-agent completion bash                   completes flags in your shell"""
_EPILOG = f"""\
exit codes:
{EXIT_CODES}

examples:
{EXAMPLES}

A prompt that begins with the name of a command goes behind --, or behind -p.

Settings are also read from the environment, from .env in the workspace and
from your config file, which text-agent config writes; text-agent config edit
shows them all in it."""

# A word that is less like a command is taken for the beginning of a chat.
_COMMAND_LIKENESS = 0.75

USAGE = (
    "text-agent [chat] [OPTION ...] [PROMPT]",
    "text-agent [OPTION ...] -p PROMPT",
    "text-agent models [OPTION ...]",
    "text-agent batch TASKS --out RUN [OPTION ...]",
    "text-agent config {set,get,unset,edit,path} [NAME] [VALUE]",
    "text-agent doctor [OPTION ...]",
    "text-agent parse [FILE]",
    "text-agent completion {bash,zsh,fish}",
    "text-agent help [COMMAND]",
)
COMMANDS: Mapping[str, str] = {
    "chat": "Begins the chat, as without a command; takes all flags.",
    "parse": "Shows what the parser makes of a model's reply: one JSON object a line for each call, "
    "malformed call, and text that looks like a call and was not run, with the reason.",
    "models": "Lists the models of the configured endpoint, or of all servers that answer on this machine, "
    "with their sizes and contexts as far as they are told.",
    "doctor": "Tries the configured endpoint and its model with a few small prompts, tells in a line for "
    "each check what works, and keeps what it finds out for the next start. The exit code is 1 if text-agent "
    "cannot work with it.",
    "batch": "Runs the tasks of a file, one JSON object a line, each as -p does, in a copy of its folder; "
    "RUN/results.jsonl gets a line for each. Started again with the same RUN, it goes on where it was. The "
    "exit code is 0 if all tasks are solved (the check succeeds, or, without one, -p ends with 0), else 1.",
    "config": "Reads and writes your own settings: set NAME VALUE, get [NAME], unset NAME, edit, path. A "
    "name is that of a flag, as in base_url; PROFILE.NAME is one of a profile, which --profile chooses.",
    "completion": "Prints a script that lets a shell complete the flags of text-agent.",
    "help": "Shows all flags, or those of a command.",
    "version": "Shows the version.",
}
"""The commands that stand in the place of a prompt, and what each does."""
_COMPLETION_EPILOG = """\
Where it belongs:
  text-agent completion bash > ~/.local/share/bash-completion/completions/text-agent
  text-agent completion fish > ~/.config/fish/completions/text-agent.fish
  text-agent completion zsh > ~/.zfunc/_text-agent
and for zsh, in ~/.zshrc before compinit: fpath=(~/.zfunc $fpath)
(or behind compinit, without a file: eval "$(text-agent completion zsh)")"""


_SWITCH: Mapping[str, Any] = {"action": "store_true"}
WORKSPACE = "-C --workspace"
# The groups of flags that say what is done instead of a chat.
_NOT_OF_THE_CHAT = ("one task", "about")
# Those that a task of many may have.
OF_TASKS = ("the model", "the cost", "the work", "what it may do")
# The flags that are no settings, by their groups: what `argparse` is told of each.
_FLAGS: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "one task": {
        "-p": {
            "dest": "task",
            "metavar": "PROMPT",
            "help": "do one task without a chat; - reads it from standard input",
        },
        "--output": {
            "choices": ("text", "json", "stream-json"),
            "default": "text",
            "help": "what -p writes: the answer (text, the default), one JSON object (json), or one a line "
            "for each event (stream-json)",
        },
        "--stdin": {**_SWITCH, "help": "with -p: append standard input to the prompt, as data"},
    },
    "the model": {},
    "the cost": {},
    "the work": {
        WORKSPACE: {"metavar": "DIR", "default": ".", "help": "the folder to work in"},
        "--no-memory": {**_SWITCH, "help": "leave out the project's notes (AGENTS.md, CLAUDE.md)"},
    },
    "what it may do": {
        "--sandbox": {
            "choices": get_args(SandboxMode),
            "default": "auto",
            "help": "confine commands to the folder: where it is possible (auto, the default), always, "
            "or never",
        },
        "--sandbox-network": {**_SWITCH, "help": "let confined commands use the network"},
        "--permission-mode": {
            "choices": get_args(PermissionMode),
            "help": "what runs without asking: nothing that changes anything (read-only), what only reads "
            "(ask, the default), also changes of files (edits), everything but what may be lost for "
            "good (all)",
        },
        "--yes": {**_SWITCH, "help": "the same as --permission-mode all"},
        "--allow-secrets": {**_SWITCH, "help": "let the model read .env, keys and other secret files"},
    },
    "the session": {
        "--continue": {**_SWITCH, "dest": "go_on", "help": "go on with the last session of this folder"},
        "--resume": {
            "nargs": "?",
            "const": "",
            "metavar": "ID",
            "help": "go on with a session: its ID or name, or choose",
        },
    },
    "the chat": {"--no-color": {**_SWITCH, "help": "no colours; so does NO_COLOR"}},
    "about": {
        "--print-system-prompt": {**_SWITCH, "help": "print what the model is told, and exit"},
        "-V --version": {"action": "version", "version": f"text-agent {__version__}"},
    },
}


# Those of `batch` itself.
_BATCH_FLAGS: Mapping[str, Mapping[str, Any]] = {
    "--out": {
        "metavar": "RUN",
        "required": True,
        "help": "the folder of the run: results, patches, sessions",
    },
    "--jobs": {"metavar": "N", "default": "1", "help": "how many tasks run at once (default 1)"},
    "--max-seconds": {
        "metavar": "SECONDS",
        "default": "3600",
        "help": "what a task may take that says nothing else (default 3600)",
    },
    "--retry-failed": {**_SWITCH, "help": "run those again that are not solved"},
    "--keep": {**_SWITCH, "help": "keep the copies of the folders that the tasks worked in"},
}


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one sentence, which names the flag that was probably meant."""

    def error(self, message: str) -> NoReturn:
        """Ends the program with a sentence."""
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:  # as of the class above
        """Reads the command line; a word that is left over ends the program."""
        arguments, left = self.parse_known_args(args, namespace)
        if left:
            self.refuse(left)
        return arguments

    def refuse(self, words: Sequence[str]) -> NoReturn:
        """Ends the program for words that are no flags; the flag that was probably meant is named."""
        flag = next((word.partition("=")[0] for word in words if word.startswith("-")), "")
        near = nearest(flag, self._all_options()) if flag else None
        command = self.prog.split()[-1]
        if near:
            advice = f"; did you mean {near}?"
        elif command in COMMANDS and not flag:
            advice = f"; a prompt that begins so goes behind --: text-agent -- {command} {' '.join(words)}"
        else:
            advice = ""
        self.error(f"unrecognized arguments: {' '.join(words)}{advice}")

    def _all_options(self) -> Iterator[str]:
        yield from self._option_string_actions
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):
                for parser in action.choices.values():
                    yield from parser._option_string_actions

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Checks the choices of an argument, as the class above does; the one that was meant is named."""
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            near = nearest(str(value), map(str, action.choices or ()))
            advice = f"; did you mean {near}?" if near else ""
            if action.dest == "command" and not near:
                advice = "; a prompt that begins so goes behind --"
            raise argparse.ArgumentError(action, error.message + advice) from None


def parse_arguments(argv: Sequence[str]) -> argparse.Namespace:
    """Reads the command line of `text-agent`; a wrong one ends the program with one sentence.

    All that stands behind `--` is the prompt, whatever its words.
    """
    parser = create_parser()
    end = argv.index("--") if "--" in argv else len(argv)
    arguments, left = parser.parse_known_args(argv[:end])
    words = [word for word in (arguments.task, arguments.prompt) if word is not None]
    if behind := argv[end + 1 :]:
        if arguments.prompt is None and not left:
            arguments.prompt = " ".join(behind)
        else:
            left = [*left, *behind]
    elif arguments.task is None and not any(word.startswith("-") for word in left):
        _check_command(parser, arguments.prompt or "", argv)
    if left and words and not any(word.startswith("-") for word in left):
        shown = f'"{" ".join([*words, *left])}"'
        parser.error(f"the prompt has several words: put them in quotes, {shown}")
    if left:
        parser.refuse(left)
    return arguments


def _check_command(parser: Parser, word: str, argv: Sequence[str]) -> None:
    """Ends the program where the prompt is a single word that was probably meant as a command."""
    if word in COMMANDS:
        others = [each for each in argv if each != word]
        parser.error(
            f"a command comes first: text-agent {word} {shlex.join(others)}; a prompt goes behind --"
        )
    if near := nearest(word, COMMANDS, _COMMAND_LIKENESS):
        parser.error(
            f"there is no command {word!r}; did you mean {near}? A prompt goes in quotes, or behind --"
        )


def parse_command_arguments(name: str, argv: Sequence[str]) -> argparse.Namespace:
    """Reads the command line of one of `COMMANDS`; flags that it does not have are at their defaults."""
    arguments: argparse.Namespace = command_parser(name).parse_args(argv, create_parser().parse_args([]))
    return arguments


def command_parser(name: str) -> argparse.ArgumentParser:
    """The parser of one of `COMMANDS`."""
    if name == "chat":
        return create_parser()
    is_long = name == "completion"
    parser = Parser(
        prog=f"text-agent {name}",
        description=COMMANDS[name],
        epilog=_COMPLETION_EPILOG if is_long else None,
        formatter_class=argparse.RawDescriptionHelpFormatter if is_long else argparse.HelpFormatter,
        allow_abbrev=False,
    )
    _add_command_flags(name, parser)
    return parser


def create_parser(*, with_commands: bool = False) -> Parser:
    """The parser of `text-agent`.

    Args:
        with_commands: the first word is one of the program's commands, such as `parse`, not a prompt: for
            whoever wants to know all that there is, since a command has a parser of its own.
    """
    parser = Parser(
        prog="text-agent",
        usage="\n       ".join(USAGE),
        description="A coding agent for the terminal that works with any model.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    if with_commands:
        commands = parser.add_subparsers(metavar="COMMAND", prog=parser.prog)
        for name, about in COMMANDS.items():
            _add_command_flags(name, commands.add_parser(name, help=about, description=about))
    else:
        parser.add_argument("prompt", nargs="?", metavar="PROMPT", help="begin the chat with this")
    add_flags(parser, _FLAGS)
    return parser


def add_flags(parser: argparse.ArgumentParser, titles: Iterable[str], without: Sequence[str] = ()) -> None:
    """Adds the groups of flags that have these titles."""
    for title in titles:
        group = parser.add_argument_group(title)
        _add_settings(group)
        which = group.add_mutually_exclusive_group() if title == "the session" else group
        for names, options in _FLAGS[title].items():
            if names not in without:
                which.add_argument(*names.split(), **options)


def _add_command_flags(name: str, parser: argparse.ArgumentParser) -> None:
    match name:
        case "parse":
            about = "a file with the reply (default: standard input)"
            parser.add_argument("file", nargs="?", metavar="FILE", help=about)
        case "doctor":
            add_flags(parser, [title for title in _FLAGS if title not in _NOT_OF_THE_CHAT])
        case "batch":
            parser.add_argument("file", metavar="TASKS", help="the tasks, one JSON object a line")
            run = parser.add_argument_group("the run")
            for flag, options in _BATCH_FLAGS.items():
                run.add_argument(flag, **options)
            add_flags(parser, OF_TASKS, without=(WORKSPACE,))
        case "models":
            parser.add_argument("--json", action="store_true", help="as a JSON array, an object a server")
            _add_settings(parser.add_argument_group("the model"))
            settings = parser.add_argument_group("the settings")
            settings.add_argument(*WORKSPACE.split(), **_FLAGS["the work"][WORKSPACE])
        case "config":
            _add_config_actions(parser)
        case "help":
            parser.add_argument(
                "command", nargs="?", choices=[*COMMANDS], metavar="COMMAND", help="one of them"
            )
        case "completion":
            parser.add_argument("shell", choices=_SHELLS, help="the shell that is to complete")


def _add_config_actions(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", title="what to do (default: get)")
    for action, about in _CONFIG_ACTIONS.items():
        added = actions.add_parser(action, help=about, description=about.capitalize(), allow_abbrev=False)
        if action in ("set", "get", "unset"):
            added.add_argument("name", nargs="?" if action == "get" else None, metavar="NAME")
            added.add_argument("--profile", metavar="PROFILE", help="in this profile")
        if action == "set":
            added.add_argument("value", nargs="?", metavar="VALUE")


def _add_settings(group: argparse._ArgumentGroup) -> None:
    """Adds the flags of the settings that belong to a group: their values are texts, and checked later."""
    for row in SETTINGS:
        if row.option and row.group == group.title:
            options: dict[str, Any] = {"dest": row.name, "help": row.help}
            if row.is_bare:
                options["action"] = argparse.BooleanOptionalAction
            else:
                options.update(choices=row.kind.choices or None, metavar=row.metavar)
            if row.is_repeated:
                options["action"] = "append"
            group.add_argument(*filter(None, (row.short, row.option)), **options)


def flag_values(arguments: argparse.Namespace) -> dict[str, str]:
    """The settings that the flags give, by their variables."""
    given = ((row.variable, getattr(arguments, row.name)) for row in SETTINGS if row.option)
    return {variable: _text(value) for variable, value in given if value not in (None, "", [])}


def _text(value: object) -> str:
    match value:
        case bool():
            return "on" if value else "off"
        case list():
            return "\n".join(value)
    return str(value)
