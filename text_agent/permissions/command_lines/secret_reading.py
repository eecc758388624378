"""Whether a command may show what is in a secret file."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from fnmatch import fnmatch

from text_agent.files.secret_names import HOME_SECRETS, has_secret_name
from text_agent.lazy_regex import late_pattern
from text_agent.permissions.command_lines.git import shows_files
from text_agent.permissions.command_lines.inner_commands import EXECUTING_FLAGS
from text_agent.permissions.command_lines.options import Arguments, UnknownFlagError, parse_arguments
from text_agent.permissions.command_lines.program import has_letter, says
from text_agent.permissions.command_lines.programs import Told, row_of
from text_agent.permissions.command_lines.reading import path_operands, why_command_changes
from text_agent.permissions.command_lines.surroundings import Surroundings
from text_agent.permissions.command_lines.words import Word

# The environment of other programs, this one too; and all that they have in memory.
_OF_PROGRAMS = late_pattern(r"(?:^|/)proc/.*(?:environ|mem)\Z")
# What programs in containers and on servers are given; nobody but root may read some of it.
_OF_MACHINE = late_pattern(r"/(?:var/)?run/secrets/.|/etc/(?:g?shadow|ssh/ssh_host_\w+_key|sudoers)\b")
_OWN = (".config/text-agent", ".local/share/text-agent", ".local/state/text-agent")
_NAMES = "|".join(map(re.escape, (*HOME_SECRETS, *_OWN)))
_IN_HOME = late_pattern(rf"(?:~[^/]*|\$HOME|\$\{{HOME\}}|/.*|\.\./.*)/(?:{_NAMES})(?:/|\Z)", re.IGNORECASE)


def may_show_secret(told: Told, around: Surroundings, *, leads_on: bool) -> bool:
    """Whether a command may show what is in a secret file; `leads_on`: another one may read what it names."""
    if _tells(told, around):
        return True
    read = [each.target for each in told.command.redirections if each.operator == "<"]
    if told.command.words and not _only_names(told, leads_on=leads_on):
        read += told.arguments() if leads_on else _perhaps_paths(told)
        if any(has_secret_name(path) or _is_secret_place(path) for path in told.paths_in_code()):
            return True
        if _shows_all(told, around) or _lists_secret(told, around):
            return True
    paths = around.paths_of((*read, *told.command.assignments))
    return any(_is_secret_place(path) or around.is_secret(path) for path in paths)


def leads_on(commands: Sequence[Told]) -> bool:
    """Whether what one command of a line prints may be what another one reads."""
    words = (word for told in commands for word in told.command.words)
    substituted = any(word.computed and ("$(" in word.text or "`" in word.text) for word in words)
    return substituted or any(told.row.eats for told in commands)


def _is_secret_place(path: str) -> bool:
    """Whether a path, as a command names it, leads to a secret outside of the workspace."""
    return bool(_OF_PROGRAMS.search(path) or _IN_HOME.match(path) or _OF_MACHINE.match(path))


def _tells(told: Told, around: Surroundings) -> bool:
    """Whether a command prints a secret of its own, or of other programs."""
    phrases = told.top.secrets
    if not phrases:
        return False
    if phrases == "*" and told.top.flags is not None:
        return why_command_changes(told.command, around) is not None
    texts = [word.text for word in told.command.words[1:]]
    return says(texts, phrases)


def _only_names(told: Told, *, leads_on: bool) -> bool:
    """Whether a path is only a name to a command, which shows nothing of what is in the file."""
    if told.row.shows or shows_files(told) or (leads_on and told.row.lists):
        return False
    return not (told.row.finds and EXECUTING_FLAGS.intersection(told.texts))


def _known(told: Told) -> Arguments | None:
    if told.row.flags is None:
        return None
    try:
        return parse_arguments(told.words, told.row.flags, told.row.style)
    except UnknownFlagError:
        return None


def _perhaps_paths(told: Told) -> Sequence[Word]:
    arguments = _known(told)
    if arguments is None or told.top.commands:
        return told.arguments()
    return [*path_operands(told.row, arguments), *map(Word, (*arguments.values, *arguments.texts))]


def _shows_all(told: Told, around: Surroundings) -> bool:
    """Whether a command reads whole folders, or all that git knows, and secret files are among them."""
    # No sandbox hides what git has kept of a file.
    if shows_files(told) and around.tracks_secrets():
        return True
    if told.row.finds:
        return _finds_secret(told, around)
    if told.row.packs:
        folders = _folders(told.words, around)
        return _is_deep(told, told.row.packs) and bool(folders) and any(around.secrets_below(folders))
    return told.row.shows and _shows_folder(told, around)


def _finds_secret(told: Told, around: Surroundings) -> bool:
    """Whether what a finder gives to other programs is secret, by the names that it looks for."""
    run = {text for before, text in itertools.pairwise(told.texts) if before in EXECUTING_FLAGS}
    if run and not any(row_of(program).shows for program in run):
        return False
    names = [text for before, text in itertools.pairwise(told.texts) if before in ("-name", "-iname")]
    if not names or {"-o", "-or", "-not", "!", ","}.intersection(told.texts):
        names = ["*"]
    secrets = around.secrets_below(_folders(told.words, around))
    return any(fnmatch(path.name.lower(), name.lower()) for path in secrets for name in names)


def _lists_secret(told: Told, around: Surroundings) -> bool:
    """Whether a command names a secret file, for another to read; `ls` without `-a` none with a dot."""
    if told.program == "git":
        return told.row.lists and not around.hides_secrets and around.tracks_secrets()
    if told.program != "ls":
        return False
    hidden = any(has_letter(text, "aAf") for text in told.texts)
    return any(
        path.parent == (around.root / folder).resolve()
        for folder in _folders(told.words, around) or ["."]
        for path in around.secrets_below([folder], hidden=hidden)
    )


def _folders(words: Sequence[Word], around: Surroundings) -> list[str]:
    return [text for word in words for text in around.expand(word) if around.is_folder(text)]


def _is_deep(told: Told, flags: str) -> bool:
    return flags == "*" or told.says(flags)


def _shows_folder(told: Told, around: Surroundings) -> bool:
    """Whether a command shows what is in all files of a folder, of which one is secret."""
    if not _is_deep(told, told.row.deep):
        return False
    words = told.operands() if told.top.commands else _perhaps_paths(told)
    places = [text for word in words for text in around.expand(word) if around.is_there(text)]
    folders = [text for text in places if around.is_folder(text)]
    if places and not folders:
        return False
    # A pattern of names, or a flag that is not known, may mean hidden names.
    is_told = _known(told) is None or any(text.startswith(("-g", "--glob", "--iglob")) for text in told.texts)
    secrets = around.secrets_below(folders, hidden=is_told or not told.row.skips_hidden)
    return any(secrets) or (told.row.follows and any(map(around.is_secret, around.links_below(folders))))
