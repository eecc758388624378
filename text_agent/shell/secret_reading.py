"""Whether a command may show what is in a secret file."""

from __future__ import annotations

from collections.abc import Sequence

from text_agent.secrets import has_secret_name
from text_agent.shell.danger_table import EXECUTING_FLAGS, FINDERS
from text_agent.shell.flags import has_letter
from text_agent.shell.git_dangers import after_globals
from text_agent.shell.git_reading import find_git_reader
from text_agent.shell.inner_commands import program_of
from text_agent.shell.lines import Command
from text_agent.shell.mentions import arguments_of, paths_in, paths_in_code
from text_agent.shell.options import UnknownFlagError, parse_arguments
from text_agent.shell.reading import path_operands
from text_agent.shell.reading_table import READERS, Reader
from text_agent.shell.surroundings import Surroundings
from text_agent.shell.words import Word

# Programs to which a path is only a name: they show nothing of what is in the file.
_NAMING = frozenset(
    {"[", "[[", "basename", "chmod", "dirname", "du", "echo", "ls", "mkdir", "printf", "readlink",
     "realpath", "rm",
     "rmdir", "stat", "test", "touch", "tree", "unlink"}
)  # fmt: skip
_NAMING_GIT = frozenset({"check-attr", "check-ignore", "ls-files", "ls-tree", "rm", "status"})


def may_show_secret(command: Command, around: Surroundings) -> bool:
    """Whether a command may show what is in a secret file."""
    read = [each.target for each in command.redirections if each.operator == "<"]
    if command.words and not _only_names(command):
        read += _perhaps_paths(command)
        if any(map(has_secret_name, paths_in_code(command))) or _shows_all(command, around):
            return True
    return any(
        around.is_secret(path) for word in read for text in around.expand(word) for path in paths_in(text)
    )


def _only_names(command: Command) -> bool:
    program = program_of(command)
    if program in FINDERS:
        return not EXECUTING_FLAGS.intersection(word.text for word in command.words)
    if program == "git":
        return any(word.text in _NAMING_GIT for word in after_globals(command.words[1:])[:1])
    return program in _NAMING


def _perhaps_paths(command: Command) -> Sequence[Word]:
    """The words of a command that are paths, or of which that is not known."""
    paths = _known_paths(command)
    return arguments_of(command) if paths is None else paths


def _known_paths(command: Command) -> Sequence[Word] | None:
    """The words of a command that are paths; None if its program or one of its flags is not known."""
    reader = READERS.get(program_of(command))
    if reader is None:
        return None
    try:
        arguments = parse_arguments(command.words[1:], reader.flags)
    except UnknownFlagError:
        return None
    return [*path_operands(reader, arguments), *map(Word, arguments.values)]


def _shows_all(command: Command, around: Surroundings) -> bool:
    """Whether a command reads whole folders, or all that git knows, and secret files are among them."""
    if around.hides_secrets:
        return False
    program = program_of(command)
    git = find_git_reader(command.words[1:]) if program == "git" else None
    if git is not None:
        return git.reader.shows and around.tracks_secrets()
    reader = READERS.get(program)
    return reader is not None and reader.shows and _shows_folder(command, reader, around)


def _shows_folder(command: Command, reader: Reader, around: Surroundings) -> bool:
    texts = [word.text for word in command.words[1:]]
    paths = [text for word in _perhaps_paths(command) for text in around.expand(word)]
    folders = [text for text in paths if around.is_folder(text)]
    is_told = any(has_letter(text, "r") or text == "--recursive" for text in texts)
    is_deep = not _known_paths(command) if reader.deep == "*" else is_told and bool(reader.deep)
    # rg looks at no hidden file, unless a pattern of names says so.
    hidden = reader.deep != "*" or any(text.startswith(("-g", "--glob", "--iglob")) for text in texts)
    return bool(folders or is_deep) and any(around.secrets_below(folders, hidden=hidden))
