"""What git may lose that cannot be brought back, where a phrase does not say it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from text_agent.permissions.command_lines.program import has_letter, means
from text_agent.permissions.command_lines.programs import Told
from text_agent.permissions.command_lines.surroundings import Surroundings


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
