"""Whether a command line only reads, so that nobody needs to be asked.

It fails closed: what is not known to only read does not. `why_not_reading` gives the reason, in half a
sentence, for the user.
"""

from __future__ import annotations

import re

from text_agent.permissions.command_lines.git import why_git_changes
from text_agent.permissions.command_lines.lines import Command, parse_line
from text_agent.permissions.command_lines.options import Arguments, UnknownFlagError, parse_arguments
from text_agent.permissions.command_lines.program import Program
from text_agent.permissions.command_lines.programs import PROGRAMS, Told, tell
from text_agent.permissions.command_lines.surroundings import Surroundings, is_plain_pattern
from text_agent.permissions.command_lines.words import Word


def why_not_reading(text: str, around: Surroundings) -> str | None:
    """Why the line may do more than read what lies in the workspace; None if it cannot.

    Raises `UnreadableLineError`: it cannot be read.
    """
    if not text.isprintable():
        return "it holds a line break or a hidden character"
    line = parse_line(text)
    if not line.plain:
        return "it is more than one plain command"
    return why_command_changes(line.commands[0], around)


def why_command_changes(command: Command, around: Surroundings) -> str | None:
    """The same of one command, whatever is done with what it prints."""
    told = tell(command)
    return (
        _why_not_the_program(command.words[0], around)
        or next(filter(None, (_why_not_the_word(word, around) for word in command.words[1:])), None)
        or _why_not_its_command(told)
        or _why_not_the_arguments(told, around)
        or (why_git_changes(told, around) if told.program == "git" else None)
    )


def path_operands(row: Program, arguments: Arguments) -> tuple[Word, ...]:
    """The operands that are paths."""
    if row.operands == "text":
        return ()
    has_pattern = {"-e", "--regexp", "--files", "--type-list"} & arguments.flags
    if row.operands == "paths" or has_pattern or not arguments.operands:
        return arguments.operands
    # A pattern for file names becomes several words, of which all but the first are paths.
    return arguments.operands if arguments.operands[0].glob >= 0 else arguments.operands[1:]


def _why_not_the_program(program: Word, around: Surroundings) -> str | None:
    name = program.text
    if program.computed or program.glob >= 0 or name.startswith("="):
        return "its program cannot be told"
    row = PROGRAMS.get(name, Program())
    if row.flags is None:
        return f"{name} is not known to only read"
    found = around.find_program(name)
    if found is None and not row.built_in:
        return f"there is no program {name}"
    if found is not None and not (found.startswith("/") and around.is_outside(found)):
        return f"the program {name} lies in the workspace"
    return None


def _why_not_the_word(word: Word, around: Surroundings) -> str | None:
    if word.computed or word.text.startswith("="):
        return "the shell changes a word of it"
    if word.glob < 0:
        return None
    before = word.text[: word.glob]
    if not before or (before.startswith("-") and not re.match(r"--[\w-]+=", before)):
        return "a pattern in it could become a flag"
    if not is_plain_pattern(word):
        return "shells read a pattern in it in different ways"
    return "a pattern in it fits too many files" if around.has_too_many_names(word) else None


def _why_not_its_command(told: Told) -> str | None:
    if not told.top.commands:
        return None
    if told.row.flags is None:
        return f"{told.name or told.program} is not known to only read"
    return None if told.is_named_plainly else f"a flag before {told.name} is not known to be harmless"


def _why_not_the_arguments(told: Told, around: Surroundings) -> str | None:
    row = told.row
    words = (*told.before, *told.words) if row is told.top else told.words
    try:
        arguments = parse_arguments(words, row.flags or "", row.style)
    except UnknownFlagError as error:
        return str(error)
    if row.needs and not arguments.flags.intersection(row.needs.split("|")):
        return f"{told.name} may do more than read"
    if row.never and any(re.fullmatch(row.never, text, re.DOTALL) for text in arguments.said):
        return f"{told.name} may do more than read with these words"
    operands = arguments.operands
    if row.pattern and not (operands and re.fullmatch(row.pattern, operands[0].text)):
        return f"{told.name} may write"
    # A pattern may become one word more than is seen, and a flag one where the program takes it for a file.
    is_open = any(word.glob >= 0 for word in operands) or (not told.top.commands and not arguments.is_ordered)
    if row.most is not None and (len(operands) > row.most or is_open):
        return f"{told.name} may change something with this many words"
    return _why_not_the_places(row, arguments, around)


def _why_not_the_places(row: Program, arguments: Arguments, around: Surroundings) -> str | None:
    paths = [text for word in path_operands(row, arguments) for text in around.expand(word)]
    named = [*arguments.values, *paths, *(text for text in arguments.texts if around.is_there(text))]
    # Behind a colon, git has a path in a commit.
    named += [part for text in paths for part in text.split(":")[1:]]
    if any(around.is_outside(text) for text in named):
        return "it reads outside the workspace"
    links = around.links_below([text for text in paths if around.is_folder(text)]) if row.follows else ()
    # What lies in a folder that a link leads to may lead further.
    if any(around.is_outside(link) or around.is_folder(link) for link in links):
        return "it follows links, which may lead out of the workspace"
    return None
