"""What in a line deletes or overwrites outside the workspace, or all of it, or what is kept nowhere else."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from text_agent.lazy_regex import late_pattern
from text_agent.permissions.command_lines.inner_commands import documents
from text_agent.permissions.command_lines.places import Places, finds_any_name, places_of
from text_agent.permissions.command_lines.program import Program, has_flag, has_letter
from text_agent.permissions.command_lines.programs import Told, row_of
from text_agent.permissions.command_lines.words import Word

_OUTSIDE = "deletes outside the workspace, or all of it"
_UNSAVED = "loses what no commit holds"
_NAME = late_pattern(r"[\w.-]+")
# What deletes, or moves away, in other languages.
_IN_CODE = late_pattern(
    r"(?<![\w/])(?:rmtree|rmSync|rm_rf|rm_r|rm_f|remove_tree|rimraf|rmdir(?:Sync)?|unlink(?:Sync)?"
    r"|removedirs|removeSync|(?:os|fs|File|Deno|FileUtils|promises)\.(?:remove|delete|rm|rename|replace)"
    r"|shutil\.move)(?!\w)|(?<![.\w/])remove(?=\s*\()|(?<=\.)rm(?=\()"
)
# Such a call of one file or folder of the workspace, by its name.
_OF_ONE = r"\s*\(?\s*(['\"])(?!/|~|\.\.|\.?/?['\"])(?:(?![*?\[{]|/\.\.)[^'\"])+\1\s*(?:[,);\n]|$)"
_BY_PATH = late_pattern(r"Path\((['\"])(?!/|~|\.\.|\.?/?['\"])(?:(?!/\.\.)[^'\"])+\1\)\.(?:unlink|rmdir)\(")
_WRITES_IN_CODE = late_pattern(
    r"['\"][wx]b?\+?['\"]|\bwrite_(?:text|bytes)\b|writeFile|[^-=]>\s*['\"]|truncate"
)
_LISTS_IN_CODE = late_pattern(r"listdir|iterdir|scandir|readdir|\bwalk\b|glob|Dir\b")
# Flags behind which programs are given the file that they write.
# Flags behind which the folder is named into which an archive is unpacked.
_INTO = ("-C", "-d", "--directory", "--cd")
_OUTPUTS = ("-o", "-O", "--output", "--out", "--output-document", "--outfile")


def find_deletion(told: Told, places: Places) -> str | None:
    """What a command deletes, changes or overwrites that it must not without asking, or None."""
    deleted, overwritten = _deleted(told), _overwritten(told)
    return (
        (_found_deletion(told, places) if told.row.finds else None)
        or (_deletion_in_code(told, places) if told.row.language == "code" else None)
        or _outside(told, places, deleted)
        or _changed_rights(told, places)
        or _all(told, places, [*deleted, *overwritten])
        or _unsaved(places, overwritten)
        or _unsaved(places, list(_unpacked(told)), deep=True)
        or (_unsaved(places, deleted, deep=True) if _takes_away(told, places) else None)
    )


def _is_deep(told: Told) -> bool:
    return has_flag(told.texts, "--recursive") or any(has_letter(text, "rR") for text in told.texts)


def _deleted(told: Told) -> list[Word]:
    # With this, git forgets a file, which stays.
    operands = told.operands() if told.row.deletes and "--cached" not in told.texts else []
    return operands[:-1] if told.row.deletes == "sources" else operands


def _takes_away(told: Told, places: Places) -> bool:
    """Whether what a command deletes, or moves, is not in the workspace any more."""
    if told.row.deletes == "sources":
        return any(places.lead_out(word, or_all=False) for word in _known(told.operands()[-1:]))
    return told.row.deletes == "all"


def _known(words: Sequence[Word]) -> list[Word]:
    """The words of which it is known where they lead."""
    return [word for word in words if not word.computed or word.text.startswith(("~", "$HOME"))]


def _overwritten(told: Told) -> list[Word]:
    targets = [each.target for each in told.written() if ">>" not in each.operator]
    if not told.row.is_harmless:
        # What is named twice is read, too.
        targets += (word for word in _values(told, _OUTPUTS) if told.texts.count(word.text) < 2)
    if not told.row.loses or (told.program == "tee" and told.says("-a|--append")):
        return targets
    *sources, last = told.operands() or [Word("")]
    if told.row.writes == "all" and told.row.deletes != "sources":
        return [*targets, *sources, last]
    # In a folder, the files get the names that they have.
    in_folder = [replace(last, text=f"{last.text}/{word.text.rpartition('/')[2]}") for word in sources]
    return [*targets, last, *in_folder]


def _values(told: Told, flags: Sequence[str]) -> Iterator[Word]:
    """The values of flags, in words of their own, or behind `=`."""
    for before, word in itertools.pairwise((Word(""), *told.words)):
        if before.text in flags:
            yield word
        name, sign, value = word.text.partition("=")
        if sign and name in flags:
            yield replace(word, text=value)


def _unpacked(told: Told) -> Iterator[Word]:
    """The folders in which an archive may replace any file."""
    if told.says(told.row.unpacks):
        named = [*_values(told, _INTO)]
        yield from named or [Word(".")]


def _outside(told: Told, places: Places, deleted: list[Word]) -> str | None:
    if told.row.deletes == "sources":
        is_outside = any(places.lead_out(word, or_all=True) for word in _known(deleted))
        return "moves away what lies outside the workspace, or all of it" if is_outside else None
    # One computed name is a file like another; a computed folder may be any.
    suspects = [word for word in deleted if _is_deep(told) or not word.computed]
    return _OUTSIDE if any(places.lead_out(word, or_all=True) for word in suspects) else None


def _changed_rights(told: Told, places: Places) -> str | None:
    if told.program not in ("chmod", "chown", "chgrp") or not _is_deep(told):
        return None
    is_outside = any(places.lead_out(word, or_all=False) for word in told.operands()[1:])
    return "changes rights outside the workspace" if is_outside else None


def _all(told: Told, places: Places, words: Sequence[Word]) -> str | None:
    """What empties the folder: by patterns, in a loop, or with what another command names."""
    meant = places.meant_by(words)
    if any(places.lead_out(word, or_all=True) for word in meant if word.glob >= 0 and not word.computed):
        return _OUTSIDE
    takes_all = _takes_all(told.row)
    is_fed = told.fed and takes_all and "--cached" not in told.texts
    is_fed |= (takes_all or bool(told.written())) and places.are_fed(meant)
    if is_fed and places.feed_all():
        return "deletes what other commands name, perhaps all of the workspace"
    return _OUTSIDE if places.take_all(meant) else None


def _unsaved(places: Places, words: Sequence[Word], *, deep: bool = False) -> str | None:
    """What no commit holds in files that are lost; with `deep`, in folders, too."""
    around = places.around
    texts = {text for word in places.meant_by(words) for text in around.expand(word)}
    paths = {os.path.normpath(folder / text) for folder in places.folders for text in texts}
    lost = [path for path in paths if around.is_there(path) and (deep or not around.is_folder(path))]
    inside = sorted(path for path in lost if not around.is_outside(path))
    return _UNSAVED if inside and around.is_unsaved(inside) else None


def _found_deletion(told: Told, places: Places) -> str | None:
    """What a finder deletes, or gives to a program that does."""
    # Behind these, somebody would have to answer.
    texts = list(itertools.takewhile(lambda text: text not in ("-ok", "-okdir"), told.texts))
    if "-delete" not in texts and not names_deletion(texts):
        return None
    if places.lists_outside(told) or places.lists_all(told):
        return _OUTSIDE
    return _unsaved(places, places_of(told), deep=True) if finds_any_name(told) else None


def names_deletion(texts: Sequence[str]) -> bool:
    """Whether one of some texts names a program that deletes."""
    return any(_takes_all(row_of(name)) for text in texts for name in _NAME.findall(text))


def _takes_all(row: Program) -> bool:
    return bool(row.deletes or (row.loses and row.writes == "all"))


def _deletion_in_code(told: Told, places: Places) -> str | None:
    """What a program in the arguments deletes; a name that is not written there may be any."""
    codes = list(_codes(told))
    if any(_LISTS_IN_CODE.search(code) and _WRITES_IN_CODE.search(code) for code in codes):
        return "overwrites files that its text does not name"
    for code in codes:
        for found in _IN_CODE.finditer(code):
            by_path = any(it.start() < found.end() <= it.end() for it in _BY_PATH.finditer(code))
            if not by_path and not re.match(_OF_ONE, code[found.end() :]):
                return "deletes files that its text does not name"
    if any(_IN_CODE.search(code) or _WRITES_IN_CODE.search(code) for code in codes):
        return _unsaved(places, [Word(path) for path in told.paths_in_code()])
    return None


def _codes(told: Told) -> Iterator[str]:
    yield from (text for text in told.texts if " " in text or "(" in text or "<" in text or text == "unlink")
    yield from documents(told)
