"""What git does: whether it only reads, as it is set up, how it is kept so, and what it may lose."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence

from text_agent.lazy_regex import late_pattern
from text_agent.permissions.command_lines.lines import parse_line
from text_agent.permissions.command_lines.options import UnknownFlagError, parse_arguments
from text_agent.permissions.command_lines.program import has_letter, means
from text_agent.permissions.command_lines.programs import Told, tell
from text_agent.permissions.command_lines.rows_git import QUIET_FLAGS
from text_agent.permissions.command_lines.surroundings import GitSettings, Surroundings
from text_agent.permissions.command_lines.words import UnreadableLineError

# Settings that make reading commands run programs or reach the network, which no flag prevents.
RUNNING_SETTING = late_pattern(
    r"filter\..*\.(clean|smudge|process)|gpg\.(.*\.)?program|extensions\.partialclone|remote\..*\.promisor"
    r"|remote\..*\.partialclonefilter|core\.worktree|core\.alternaterefscommand"
    r"|lfs\.(extension|customtransfer)\..*|lfs\.standalonetransferagent"
)
# What git's extension for large files sets for every user of it.
USUAL_FILTERS: Mapping[str, str] = {
    "filter.lfs.clean": "git-lfs clean -- %f",
    "filter.lfs.smudge": "git-lfs smudge -- %f",
    "filter.lfs.process": "git-lfs filter-process",
}
# To these, `-p` is to forget branches.
_PRUNING = frozenset({"git fetch", "git pull"})


def shows_files(told: Told) -> bool:
    """Whether a command of git shows what is in files; of unknown commands, only the flags tell."""
    if told.program != "git":
        return False
    if told.name not in _PRUNING and told.says("-p|--patch|--stdout"):
        return True
    if told.row.flags is None or not told.row.shows:
        return False
    if told.name != "git log":
        return True
    try:
        return not parse_arguments(told.words, told.row.flags).flags <= QUIET_FLAGS
    except UnknownFlagError:
        return True


def hardened(text: str, path: str = "") -> str:
    """The line with what keeps a reading command from running other programs; any other line as it is.

    Where it starts helpers, it looks for them on `path`, unless that is empty.
    """
    try:
        line = parse_line(text)
    except UnreadableLineError:
        return text
    told = tell(line.commands[0]) if line.plain and line.commands[0].words else None
    if told is None or told.last is None or told.row.flags is None or not told.is_named_plainly:
        return text
    program, name = told.command.words[0].end, told.last.end
    top, added = (f" {row.added}" if row.added else "" for row in (told.top, told.row))
    # Where the words are texts, they may be names of programs to look for.
    before = f"PATH={shlex.quote(path)} " if path and told.row.operands != "text" else ""
    if told.row is told.top:
        return text if told.top.commands else f"{before}{text[:program]}{top}{text[program:]}"
    return f"{before}{text[:program]}{top}{text[program:name]}{added}{text[name:]}"


def why_git_changes(told: Told, around: Surroundings) -> str | None:
    """Why a reading command of git may do more, as git is set up; None if it cannot."""
    return None if told.row is told.top else why_settings_run(around.git_settings())


def why_settings_run(settings: GitSettings | None) -> str | None:
    """Why git, with these settings, may run programs that no flag keeps it from; None if it cannot."""
    if settings is None:
        return "git's settings cannot be read"
    for name, values in settings.items():
        if RUNNING_SETTING.fullmatch(name) and {USUAL_FILTERS.get(name)} != set(values):
            return f"git's setting {name} runs programs"
    return None


def find_git_danger(told: Told, around: Surroundings) -> str | None:
    """What a command of git may lose, or None; what its row says is no matter of this."""
    if told.program != "git":
        return None
    _, _, name = told.name.partition(" ")
    named_elsewhere = any(re.match(r"--config-env\b.*", word.text) for word in told.before)
    if named_elsewhere or (told.last is not None and told.last.computed):
        return "hides which command of git it runs"
    is_hidden = name in ("push", "reset", "checkout") and any(word.computed for word in told.words)
    return f"may lose work for good (git {name})" if is_hidden or _loses(name, told.texts, around) else None


def _loses(name: str, texts: Sequence[str], around: Surroundings) -> bool:
    if name == "clean":
        return not _is_dry(texts)
    if name == "restore":
        only_staged = any(text in ("-S", "--staged") for text in texts)
        return not only_staged or any(text in ("-W", "--worktree") for text in texts)
    if name == "checkout":
        return not {"-b", "-B", "--orphan"} & set(texts) and _names_file(texts, around)
    return name == "push" and any(text.startswith(("+", ":")) for text in texts)


def _is_dry(texts: Sequence[str]) -> bool:
    """Whether `git clean` is told only to say what it would do; what follows `-e` is its value."""
    flags = texts[: texts.index("--")] if "--" in texts else texts
    if any(re.fullmatch(r"-\w*e|--exclude", text) for text in flags):
        return False
    letters = "".join(text.partition("e")[0] for text in flags if has_letter(text, "n"))
    return "n" in letters or any(means(text, "--dry-run") for text in flags)


def _names_file(texts: Sequence[str], around: Surroundings) -> bool:
    """Whether one of the words may be a file, or a pattern of files, and not a branch."""
    names = [text for text in texts if not text.startswith("-")]
    return any(text.startswith(":") or "*" in text or around.is_there(text) for text in names)
