"""Whether a command may show what is in a secret file."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch

from text_agent.files.secrets import has_secret_name
from text_agent.permissions.command_lines.danger_table import EXECUTING_FLAGS, FINDERS
from text_agent.permissions.command_lines.flags import has_letter, means
from text_agent.permissions.command_lines.git_dangers import after_globals
from text_agent.permissions.command_lines.git_reading import shows_files
from text_agent.permissions.command_lines.lines import Command
from text_agent.permissions.command_lines.mentions import arguments_of, paths_in, paths_in_code
from text_agent.permissions.command_lines.options import UnknownFlagError, parse_arguments
from text_agent.permissions.command_lines.programs import program_of
from text_agent.permissions.command_lines.reading import path_operands
from text_agent.permissions.command_lines.reading_table import READERS, Reader
from text_agent.permissions.command_lines.secret_places import is_secret_place, tells_secret
from text_agent.permissions.command_lines.surroundings import Surroundings
from text_agent.permissions.command_lines.words import Word

# Programs to which a path is only a name: they show nothing of what is in the file.
_NAMING = frozenset(
    {"[", "[[", "basename", "chmod", "dirname", "du", "echo", "ls", "mkdir", "printf", "readlink",
     "realpath", "rm",
     "rmdir", "stat", "test", "touch", "tree", "unlink"}
)  # fmt: skip
# Programs that copy whole folders, or pack them.
_PACKERS = frozenset({"7z", "7za", "bsdtar", "cp", "cpio", "pax", "rsync", "scp", "tar", "zip"})
_NAMING_GIT = frozenset({"check-attr", "check-ignore", "ls-files", "ls-tree", "rm", "status"})


def may_show_secret(command: Command, around: Surroundings, *, leads_on: bool = False) -> bool:
    """Whether a command may show what is in a secret file; `leads_on`: another one may read what it names."""
    read = [each.target for each in command.redirections if each.operator == "<"]
    if command.words and not _only_names(command, leads_on=leads_on):
        read += arguments_of(command) if leads_on else _perhaps_paths(command)
        if any(has_secret_name(path) or is_secret_place(path) for path in paths_in_code(command)):
            return True
        if _shows_all(command, around) or (program_of(command) == "ls" and _lists_secret(command, around)):
            return True
    paths = [path for word in (*read, *command.assignments) for path in _paths(word, around)]
    return tells_secret(command) or any(is_secret_place(path) or around.is_secret(path) for path in paths)


def _paths(word: Word, around: Surroundings) -> Iterator[str]:
    for text in around.expand(word):
        yield from paths_in(text)


def _only_names(command: Command, *, leads_on: bool) -> bool:
    program = program_of(command)
    if program in FINDERS:
        return not leads_on and not EXECUTING_FLAGS.intersection(word.text for word in command.words)
    if program == "git":
        return any(word.text in _NAMING_GIT for word in after_globals(command.words[1:])[:1])
    return program in _NAMING and not (leads_on and program in ("echo", "ls", "printf"))


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
    program = program_of(command)
    if program == "git":
        # No sandbox hides what git has kept of a file.
        return shows_files(command.words[1:]) and around.tracks_secrets()
    if around.hides_secrets:
        return False
    if program in FINDERS:
        return _finds_secret(command, around)
    if program in _PACKERS:
        return _packs(command) and _hold_secrets(_folders(command, around), around)
    reader = READERS.get(program)
    return reader is not None and reader.shows and _shows_folder(command, reader, around)


def _finds_secret(command: Command, around: Surroundings) -> bool:
    """Whether what a finder gives to other programs is secret, by the names that it looks for."""
    texts = [word.text for word in command.words[1:]]
    run = {text for before, text in itertools.pairwise(texts) if before in EXECUTING_FLAGS}
    if run and run <= _NAMING:
        return False
    names = [text for before, text in itertools.pairwise(texts) if before in ("-name", "-iname")]
    if not names or {"-o", "-or", "-not", "!", ","}.intersection(texts):
        names = ["*"]
    secrets = around.secrets_below(_folders(command, around), hidden=True)
    return any(fnmatch(path.name.lower(), name.lower()) for path in secrets for name in names)


def _lists_secret(command: Command, around: Surroundings) -> bool:
    """Whether `ls` names a secret file, for another program to read; without `-a` none with a dot."""
    hidden = any(has_letter(word.text, "aAf") for word in command.words)
    return not around.hides_secrets and any(
        path.parent == (around.root / folder).resolve()
        for folder in _folders(command, around) or ["."]
        for path in around.secrets_below([folder], hidden=hidden)
    )


def _packs(command: Command) -> bool:
    """Whether a program that copies or packs takes whole folders."""
    program, texts = program_of(command), [word.text for word in command.words[1:]]
    if program in ("tar", "bsdtar"):
        return any(re.fullmatch(r"-?\w*[cru]\w*|--create|--append|--update", text) for text in texts[:2])
    if program in ("cp", "scp"):
        deep = ("--recursive", "--archive")
        return any(has_letter(text, "rRa") or any(means(text, flag) for flag in deep) for text in texts)
    return True


def _hold_secrets(folders: Sequence[str], around: Surroundings) -> bool:
    return bool(folders) and any(around.secrets_below(folders, hidden=True))


def _folders(command: Command, around: Surroundings) -> list[str]:
    texts = [text for word in command.words[1:] for text in around.expand(word)]
    return [text for text in texts if around.is_folder(text)]


def _shows_folder(command: Command, reader: Reader, around: Surroundings) -> bool:
    texts = [word.text for word in command.words[1:]]
    paths = [text for word in _perhaps_paths(command) for text in around.expand(word)]
    folders = [text for text in paths if around.is_folder(text)]
    is_told = any(has_letter(text, "r") or text == "--recursive" for text in texts)
    is_deep = not _known_paths(command) if reader.deep == "*" else is_told and bool(reader.deep)
    # rg looks at no hidden file, unless a pattern of names says so.
    hidden = reader.deep != "*" or any(text.startswith(("-g", "--glob", "--iglob")) for text in texts)
    return bool(folders or is_deep) and any(around.secrets_below(folders, hidden=hidden))
