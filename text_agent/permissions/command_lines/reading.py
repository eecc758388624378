"""Whether a command line only reads, so that nobody needs to be asked.

It fails closed: what is not known to only read does not. `why_not_reading` gives the reason, in half a
sentence, for the user.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from text_agent.lazy_regex import late_pattern
from text_agent.permissions.command_lines.git_reading import why_git_changes
from text_agent.permissions.command_lines.lines import parse_line
from text_agent.permissions.command_lines.options import Arguments, UnknownFlagError, parse_arguments
from text_agent.permissions.command_lines.reading_table import (
    BUILT_IN,
    FIND_WORDS,
    READERS,
    TELLING_VERSIONS,
    Reader,
)
from text_agent.permissions.command_lines.surroundings import Surroundings
from text_agent.permissions.command_lines.words import UnreadableLineError, Word

_SED_PRINT = late_pattern(r"(?:\d+|\$)(?:,(?:\d+|\$|\+\d+))?p(?:;(?:\d+|\$)(?:,(?:\d+|\$|\+\d+))?p)*")
_TREE_LETTERS = late_pattern(r"-\w*[ILP]\D")
_PS_WORDS = frozenset({"a", "ax", "aux", "auxw", "auxww", "ux", "x"})


def why_not_reading(text: str, around: Surroundings) -> str | None:
    """Why the line may do more than read what lies in the workspace; None if it cannot."""
    if not text.isprintable():
        return "it holds a line break or a hidden character"
    try:
        line = parse_line(text)
    except UnreadableLineError as error:
        return str(error)
    if not line.plain:
        return "it is more than one plain command"
    return why_words_change(line.commands[0].words, around)


def why_words_change(words: Sequence[Word], around: Surroundings) -> str | None:
    """The same of the words of one command."""
    program = words[0]
    if program.computed or program.glob >= 0 or program.text.startswith("="):
        return "its program cannot be told"
    return (
        _why_not_the_program(program.text, around)
        or next(filter(None, (_why_not_the_word(word, around) for word in words[1:])), None)
        or _why_not_the_arguments(program.text, words[1:], around)
    )


def _why_not_the_program(name: str, around: Surroundings) -> str | None:
    known = name in READERS or name in TELLING_VERSIONS or name in ("find", "sed", "command")
    if not known:
        return f"{name} is not known to only read"
    found = around.find_program(name)
    if found is None and name not in (*BUILT_IN, "command"):
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
    if not word.bare or not before or (before.startswith("-") and not re.match(r"--[\w-]+=", before)):
        return "a pattern in it could become a flag"
    return "a pattern in it fits too many files" if around.has_too_many_names(word) else None


def _why_not_the_arguments(name: str, words: Sequence[Word], around: Surroundings) -> str | None:
    if name in TELLING_VERSIONS and [word.text for word in words] == ["--version"]:
        return None
    if name == "git":
        return why_git_changes(words, around)
    if name == "find":
        return _why_find_changes(words, around)
    if name == "sed":
        return _why_sed_changes(words, around)
    if name == "command":
        tells = [word.text for word in words[:1]] in (["-v"], ["-V"])
        return None if tells else "it runs another command"
    if name not in READERS:
        return f"{name} runs what it is given"
    return _why_reader_changes(name, READERS[name], words, around)


def _why_reader_changes(name: str, reader: Reader, words: Sequence[Word], around: Surroundings) -> str | None:
    try:
        arguments = parse_arguments(words, reader.flags)
    except UnknownFlagError as error:
        return str(error)
    texts = [word.text for word in arguments.operands]
    if name == "date" and not all(text.startswith("+") for text in texts):
        return "it may set the clock"
    if name == "ps" and shows_environments([word.text for word in words]):
        return "it may show the environment of other programs"
    # Behind a letter that takes a value, it goes on with the letters of the same word: `tree -Lo 2 FILE`.
    if name == "tree" and any(_TREE_LETTERS.match(word.text) for word in words):
        return "its flags may be read in two ways"
    if name == "strings" and any(text.startswith("@") for text in texts):
        return "it reads flags from a file"
    if reader.most is not None and (
        len(texts) > reader.most or any(word.glob >= 0 for word in arguments.operands)
    ):
        return "it may write to its last operand"
    return _why_not_the_places(reader, arguments, around)


def _why_not_the_places(reader: Reader, arguments: Arguments, around: Surroundings) -> str | None:
    """Why what the arguments name must not be read without asking."""
    paths = path_operands(reader, arguments)
    texts = [*arguments.values, *(text for word in paths for text in around.expand(word))]
    if any(around.is_outside(text) for text in texts):
        return "it reads outside the workspace"
    return None


def shows_environments(texts: Sequence[str]) -> bool:
    """Whether `ps`, told `texts`, may show the environment of programs."""
    words = [
        text for at, text in enumerate(texts) if not text.startswith("-") and not _takes_value(texts, at)
    ]
    return not _PS_WORDS.issuperset(words) or any(
        "env" in text or (text.startswith("-") and "E" in text) for text in texts
    )


def _takes_value(texts: Sequence[str], at: int) -> bool:
    return at > 0 and texts[at - 1] in ("-u", "-p", "-o")


def path_operands(reader: Reader, arguments: Arguments) -> tuple[Word, ...]:
    """The operands that are paths."""
    if reader.operands == "text":
        return ()
    has_pattern = {"-e", "--regexp", "--files", "--type-list"} & arguments.flags
    skipped = reader.operands == "pattern and paths" and not has_pattern
    return arguments.operands[1:] if skipped else arguments.operands


def _why_find_changes(words: Sequence[Word], around: Surroundings) -> str | None:
    at = 0
    while at < len(words):
        text = words[at].text
        if text.startswith("-") or text in ("!", "(", ")", ","):
            if text not in FIND_WORDS:
                return f"{text} is not known to only read"
            at += FIND_WORDS[text] + 1
        elif around.is_outside(text) or words[at].glob >= 0:
            return "it reads outside the workspace"
        else:
            at += 1
    return None


def _why_sed_changes(words: Sequence[Word], around: Surroundings) -> str | None:
    """`sed -n 1,20p file` shows lines; all other scripts may write, or run programs."""
    texts = [word.text for word in words]
    if len(texts) < 2 or texts[0] != "-n" or not _SED_PRINT.fullmatch(texts[1]):
        return "sed may write"
    return _why_reader_changes("sed", Reader(), words[2:], around)
