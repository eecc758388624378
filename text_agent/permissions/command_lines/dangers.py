"""What in a command line destroys for good, or hides what it does: the hard list.

It is a net for accidents, not a wall, as a program can do anything. Where it cannot tell, it says so.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

from text_agent.lazy_regex import late_pattern
from text_agent.permissions.command_lines.deletions import find_deletion, names_deletion
from text_agent.permissions.command_lines.git import find_git_danger
from text_agent.permissions.command_lines.places import Places
from text_agent.permissions.command_lines.program import says
from text_agent.permissions.command_lines.programs import Told, is_code, row_of
from text_agent.permissions.command_lines.rows_acting import ENDS
from text_agent.permissions.command_lines.surroundings import Surroundings
from text_agent.permissions.command_lines.words import Word

_FORK_BOMB = late_pattern(r"(?<![\w:.])([\w:.]+)\s*\(\s*\)\s*\{\s*\1\s*\|\s*\1")
# Settings of git's that come from elsewhere may be aliases.
_HIDDEN_ALIAS = late_pattern(
    r"GIT_CONFIG_(?:COUNT|PARAMETERS)\s*=|-c\s*['\"]?include(?:if)?\.", re.IGNORECASE
)
_DEVICES = late_pattern(r"/+(?:dev|sys|proc(?!/self/fd/))/")
_HARMLESS_DEVICES = late_pattern(r"/dev/(?:null|zero|full|tty|stdin|stdout|stderr|fd/\d+)")
_ALL_COMPUTED = late_pattern(r"\$\(|`|\$\{?\w+\}?\Z")
# Begins a file that is what another command prints.
_PROCESS = ("<(", "=(")
# A substitution of sed's whose result is run.
_RUN_RESULT = late_pattern(r"s([/|,#@!:])(?:(?:\\.|(?!\1).)*\1){2}[\dgpimIM]*e")
_INPUT = late_pattern(r"/dev/stdin|/(?:dev|proc/self)/fd/0")
_INPUT_FILE = late_pattern(rf"(?:-f|--\w*file=)?(?:-|{_INPUT.pattern})")
_CODE_FLAGS = ("-c", "-e", "-E", "-m", "-p", "--eval", "--execute", "--print")
# The workspace, by the names that people use for it, and places for data that only containers see.
_OWN_MOUNT = late_pattern(r"(?:\.|\$\{?PWD\}?|\$\(pwd\)|`pwd`)(?:/(?!\.\.(?:/|\Z)).*)?")
_NAME = late_pattern(r"[\w.-]+")
_SOURCE = late_pattern(r"(?:^|,)(?:source|src)=([^,]*)")
# Its own: the last one in the background, a job, itself and its group.
_OWN_TARGET = late_pattern(r"\$!|\$\{!\}|%[\w%+-]*|-?(?:\$\$|\$\{\$\})|0|\$\(jobs -p\)|`jobs -p`")
_VARIABLE = late_pattern(r"\$(?:\{(\w+)\}|(\w+))")


def find_danger(text: str, commands: Sequence[Told], around: Surroundings) -> str | None:
    """What a line, with all its commands, does that is dangerous, in half a sentence; None if nothing."""
    if _FORK_BOMB.search(text):
        return "starts itself without end"
    if _HIDDEN_ALIAS.search(text):
        return "hides which command of git it runs"
    places = Places(around, commands)
    found = (_danger_of(told, places) or _ending(told, commands) for told in commands)
    return next(filter(None, found), None) or _downloaded_code(commands)


def _danger_of(told: Told, places: Places) -> str | None:
    return (
        _hidden_code(told)
        or _piped_code(told)
        or _said(told)
        or find_git_danger(told, places.around)
        or find_deletion(told, places)
        or _device(told)
        or _mount(told, places)
    )


def _said(told: Told) -> str | None:
    texts = [word.text for word in told.command.words[1:]]
    for row, words in ((told.row, told.texts), (told.top, texts)):
        for phrases, danger in row.dangers.items():
            if says(words, phrases):
                return danger
    return None


def _hidden_code(told: Told) -> str | None:
    command, language = told.command, told.row.language
    is_test = [word.text for word in command.words[:1]] in (["["], ["[["])
    if command.words and (command.words[0].computed or (command.words[0].glob >= 0 and not is_test)):
        return "hides which program it runs"
    operands = [word for word in told.words if word.computed or not word.text.startswith("-")]
    read: list[Word] = []
    if language == "line" or is_code(told):
        read = operands
    elif language == "shell":
        read = operands[:1]
    elif language in ("code", "recipes"):
        read = [word for word in operands if word.text.startswith(_PROCESS)] + _given_code(told)
    elif language == "editor" and any(map(_RUN_RESULT.search, told.texts)):
        return "runs a text that nobody can see"
    if language in ("shell", "code"):
        read += [each.target for each in command.redirections if each.target.text.startswith(_PROCESS)]
    return "runs a text that nobody can see" if any(word.computed for word in read) else None


def _given_code(told: Told) -> list[Word]:
    """What an interpreter is told to run with `-c` and the like, if all of it comes from elsewhere."""
    return [
        word
        for before, word in itertools.pairwise(told.command.words)
        if before.text in _CODE_FLAGS and _ALL_COMPUTED.match(word.text)
    ]


def _piped_code(told: Told) -> str | None:
    """A shell, or an interpreter without a program of its own, that runs what a pipe brings."""
    texts, language = told.texts, told.row.language
    if not told.command.piped:
        return None
    if told.program == "xargs" and any(row_of(text).language == "shell" for text in texts):
        return "runs what comes through a pipe" if texts[-1] in ("{}", "%", "-c") else None
    if language == "recipes":
        return "runs what comes through a pipe" if any(map(_INPUT_FILE.fullmatch, texts)) else None
    if language not in ("shell", "code"):
        return None
    operands = [text for text in texts if not text.startswith(("-", "+")) and not _INPUT.fullmatch(text)]
    has_code = is_code(told) if language == "shell" else any(text.startswith(_CODE_FLAGS) for text in texts)
    is_told = (language == "shell" and "-s" in texts) or "-" in texts
    return "runs what comes through a pipe" if is_told or not (operands or has_code) else None


def _device(told: Told) -> str | None:
    written = [each.target.text for each in told.written()]
    if told.row.loses or told.program == "pv":
        written += told.texts if told.row.writes == "all" else told.texts[-1:]
    is_device = any(_DEVICES.match(text) and not _HARMLESS_DEVICES.fullmatch(text) for text in written)
    return "writes to a device, or to the kernel" if is_device else None


def _mount(told: Told, places: Places) -> str | None:
    values = list(_mounted(told))
    if any(not _is_own_mount(value, places) for value in values):
        return "gives a container what lies outside the workspace"
    return "deletes in a container what it shares" if values and names_deletion(told.texts) else None


def _mounted(told: Told) -> Iterator[str]:
    for flag in filter(None, told.row.mounts.split("|")):
        is_long = flag.startswith("--")
        # Short flags may stand in one word, the last of which takes a value.
        given = re.compile(rf"{flag}(?:=(.*))?" if is_long else rf"-[A-Za-z]*?{flag[1]}=?(.*)", re.DOTALL)
        for text, behind in itertools.pairwise((*told.texts, "")):
            if (found := given.fullmatch(text)) and (is_long or not text.startswith("--")):
                yield found[1] or behind


def _is_own_mount(value: str, places: Places) -> bool:
    source = _SOURCE.search(value)
    text = source[1] if source else value.partition(":")[0]
    if _OWN_MOUNT.fullmatch(text) or (_NAME.fullmatch(text) and text != ".."):
        return True
    return not any(sign in text for sign in "$`~") and not places.around.is_outside(text)


def _ending(told: Told, commands: Sequence[Told]) -> str | None:
    """What a command may end, or None; `commands` are all of its line."""
    if told.row.ends == "named":
        return None if told.texts[:1] in (["-l"], ["-V"], ["--help"]) else ENDS
    if told.row.ends == "numbered":
        return None if all(_is_own(text, commands) for text in _targets(told.texts)) else ENDS
    is_fed = told.program == "xargs" and any(row_of(text).ends for text in told.texts)
    return ENDS if is_fed else None


def _targets(texts: Sequence[str]) -> Sequence[str]:
    """The processes that `kill` is told of; none where it only looks at them, or lists signals."""
    if not texts or texts[0] in ("-l", "-L", "--list", "--table", "-0", "--help", "--version"):
        return ()
    if texts[0] in ("-s", "-n", "--signal"):
        return texts[3:] if texts[2:3] == ["--"] else texts[2:]
    if texts[0] == "--":
        return texts[1:]
    # Without a signal before it, a number with a dash is one, unless it stands alone.
    rest = texts[1:] if texts[0].startswith("-") and len(texts) > 1 else texts
    return rest[1:] if rest[:1] == ["--"] else rest


def _is_own(text: str, commands: Sequence[Told]) -> bool:
    if _OWN_TARGET.fullmatch(text):
        return True
    variable = _VARIABLE.fullmatch(text)
    name = variable and (variable[1] or variable[2])
    values = [
        word.text.partition("=")[2]
        for told in commands
        for word in told.command.assignments
        if name and word.text.startswith((f"{name}=", f"{name}+="))
    ]
    return bool(values) and all(_OWN_TARGET.fullmatch(value) for value in values)


def _downloaded_code(commands: Sequence[Told]) -> str | None:
    named = {_name(text) for told in commands for text in _named_by_download(told)} - {""}
    run = {_name(text) for told in commands for text in _run_by(told)}
    return "runs what it has downloaded" if named & run else None


def _named_by_download(told: Told) -> Iterator[str]:
    """What a download may be called: by a flag, a redirection, or the end of its address."""
    if told.row.fetches:
        yield from told.texts
        yield from (each.target.text for each in told.written())


def _run_by(told: Told) -> Iterator[str]:
    if told.row.language in ("shell", "code"):
        yield from (text for text in told.texts if not text.startswith("-"))
        yield from (each.target.text for each in told.command.redirections if each.operator == "<")
    elif told.command.words and "/" in told.command.words[0].text:
        yield told.command.words[0].text


def _name(path: str) -> str:
    """The file's own name: of `--output=x/y.sh` and of `https://example.org/y.sh?v=2`, too."""
    name = path.partition("?")[0].rpartition("/")[2]
    return name.rpartition("=")[2]
