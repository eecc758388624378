"""The tool that finds text in files."""

from __future__ import annotations

import itertools
import os
import re
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from text_agent.config.limits import SEARCH_LINE_CHARS, SEARCH_MAX_MATCHES
from text_agent.errors import ToolError
from text_agent.files.encoding import NotTextError, detect_encoding
from text_agent.files.globs import compile_glob
from text_agent.files.problems import kind_of_file, readable
from text_agent.files.ripgrep import RipgrepRun, Scope, list_paths, run_ripgrep
from text_agent.files.secrets import Secrets
from text_agent.files.workspace import Workspace
from text_agent.lazy_regex import late_pattern
from text_agent.protocol.tool import ToolWords
from text_agent.text.truncation import clip_around
from text_agent.tools import words
from text_agent.tools.limits import result_chars
from text_agent.tools.list_files import count_secrets, counted
from text_agent.tools.suggestions import missing
from text_agent.tools.tool import Declaration

# Bytes of a line that rg passes on: a line may be the whole of a large file.
_COLUMNS = 4000
_COUNT = late_pattern(rb"([^\0]+)\0(\d+)\n")
_MATCH = late_pattern(rb"([^\0]+)\0(\d+):(\d+):(.*)\n")
# Of files that are not UTF-8: tried in turn for what is not ASCII, and stands in no file that is.
_OTHER_ENCODINGS = (
    "gb18030", "big5", "shift_jis", "euc-jp", "euc-kr", "windows-1252", "windows-1251", "windows-1250",
)  # fmt: skip
_PROBE_BYTES = 1 << 20
_NOTE_CHARS = 200


@Declaration(
    "looks",
    rank=5,
    paths=("path",),
    words=ToolWords(
        names=(
            "grep rg ripgrep grep_files grep_search search_files search_code search_text search_in_files"
            " find_in_files code_search search_file_content"
        ),
        relatives="semantic_search codebase_search file_search find find_symbol list_code_definition_names",
        parameters={
            "path": words.PATH,
            "pattern": words.PATTERN,
            "glob": "include file_glob file_pattern glob_pattern include_pattern",
        },
        payload="",
    ),
)
def search(workspace: Workspace, pattern: str, path: str = ".", glob: str | None = None) -> str:
    """Finds lines that match a regular expression. `glob` selects files, such as `*.py`."""
    if not pattern:
        raise ToolError("The pattern is empty. Give the text to look for; list_files shows the files.")
    target = workspace.resolve(path, reading=True)
    status = workspace.status(target)
    if status is None:
        raise missing(workspace, target)
    if not stat.S_ISDIR(status.st_mode) and not stat.S_ISREG(status.st_mode):
        raise ToolError(f"{workspace.display(target)} is {kind_of_file(status.st_mode)}: nothing to search.")
    inside = target.is_relative_to(workspace.root)
    place = str(target.relative_to(workspace.root) if inside else target)
    # A place that is secret itself was approved before.
    secrets = None if workspace.secrets.is_secret(target) else workspace.secrets
    found = _find(_Query(workspace.root, place, pattern, glob, secrets))
    lines = _matching_lines(found, result_chars(workspace) - _NOTE_CHARS)
    return "\n".join([*map(str, lines), *_notes(found, len(lines)), *count_secrets(found.left_out)])


@dataclass(frozen=True, slots=True)
class FoundLine:
    """A line of a file that matches."""

    path: str  # the file's, relative to the workspace
    number: int  # from 1
    text: str  # what stands in it, or the part around the match

    def __str__(self) -> str:
        return f"{self.path}:{self.number}: {self.text}"


def find_lines(workspace: Workspace, pattern: str, most: int) -> list[FoundLine]:
    """The first lines that match a regular expression, as many as fit into `most` characters."""
    try:
        return _matching_lines(_find(_Query(workspace.root, ".", pattern, None, workspace.secrets)), most)
    except ToolError:
        return []


def _notes(found: _Found, shown: int) -> list[str]:
    query, counts = found.query, found.counts
    total = sum(counts.values())
    place = "the workspace" if query.place == "." else readable(query.place)
    is_text = query.engine == "--fixed-strings"
    notes = ["[no valid regular expression: searched as plain text]"] if is_text else []
    if not total:
        files = f" (files like {query.glob!r})" if query.glob else ""
        notes.append(f"0 matches for {query.pattern!r} in {place}{files}.")
    elif not shown:
        notes.append(f"{place} is binary; it has {total:,} matching lines.")
    elif total > shown:
        files = f"{len(counts):,} file{'s' * (len(counts) > 1)}"
        notes.append(f"[{shown} of {total:,} matches in {files}; narrow the pattern, path or glob]")
    if query.encoding:
        notes.append(f"[not UTF-8: read as {query.encoding}, which is a guess]")
    return [*notes, *counted("could not be read", list(map(readable, found.unread)))]


@dataclass(frozen=True, slots=True)
class _Query:
    """What is looked for, and where."""

    root: Path  # the workspace
    place: str  # the file or folder that is searched, relative to `root`
    pattern: str  # the regular expression
    glob: str | None  # which files count; None for all
    secrets: Secrets | None  # says which files do not count; None if all do
    engine: str = "--engine=default"  # how the pattern is read
    scope: Scope = "usual"  # how much is left out as ignored or hidden
    encoding: str = ""  # as which the files are read; empty for UTF-8, or what their byte order mark says

    def run(self, *options: str, places: Sequence[str] = ()) -> RipgrepRun:
        """Runs rg for the pattern, in `places` or in the query's own."""
        if self.encoding:
            options = (*options, f"--encoding={self.encoding}")
        arguments = [self.engine, "--with-filename", *options, "--regexp", self.pattern, "--"]
        return run_ripgrep(self.root, [*arguments, *(places or [self.place])], scope=self.scope)


@dataclass(frozen=True, slots=True)
class _Found:
    """What a query has found."""

    query: _Query  # as it could be run
    counts: Mapping[str, int]  # how many lines match in each file, in tree order
    # The files that were left out as secret, counted only where nothing was found: it takes as long as the
    # search.
    left_out: int = 0
    unread: Sequence[str] = ()  # the files and folders that could not be read


def _find(query: _Query) -> _Found:
    query, run = _first_run(query)
    counts = _counts(query, run)
    listed = _listed(query) if not counts else []
    if not counts and (query.place != "." or not listed):
        query = replace(query, scope="own rules" if query.place == "." else "all")
        run = query.run("--count")
        counts = _counts(query, run)
        listed = _listed(query) if not counts else []
    if not counts and not query.pattern.isascii():
        query, counts = _in_other_encodings(query)
    left_out = query.secrets.split(listed)[1] if query.secrets else 0
    unread = query.secrets.split(run.unread)[0] if query.secrets else run.unread
    return _Found(query, counts, left_out, unread)


def _in_other_encodings(query: _Query) -> tuple[_Query, dict[str, int]]:
    """The query for files that are not UTF-8, and what it finds in them."""
    for encoding in _OTHER_ENCODINGS:
        other = replace(query, encoding=encoding)
        counts = _counts(other, other.run("--count"))
        if counts := {name: count for name, count in counts.items() if not _is_utf8(query.root / name)}:
            return other, counts
    return query, {}


def _is_utf8(file: Path) -> bool:
    try:
        with file.open("rb") as opened:
            return detect_encoding(opened.read(_PROBE_BYTES), is_whole=False).name == "utf-8"
    except (OSError, NotTextError):
        return True


def _listed(query: _Query) -> list[str]:
    """The files in the place, relative to the workspace."""
    folder = query.root / query.place
    if not folder.is_dir() or not folder.is_relative_to(query.root):
        return []
    prefix = "" if query.place == "." else f"{query.place}/"
    return [prefix + path for path in list_paths(folder, scope=query.scope, root=query.root)]


def _first_run(query: _Query) -> tuple[_Query, RipgrepRun]:
    """Runs the query with the fast engine, or else with the one that looks around, or else as text."""
    run = query.run("--count")
    if "not allowed in a regex" in run.problem:
        raise ToolError("The pattern holds a line break, but search looks at one line at a time.")
    for engine in ("--pcre2", "--fixed-strings"):
        if "regex parse error" in run.problem or "PCRE2: error" in run.problem:
            query = replace(query, engine=engine)
            run = query.run("--count")
    return query, run


def _counts(query: _Query, run: RipgrepRun) -> dict[str, int]:
    wanted = compile_glob(query.glob) if query.glob else None
    found = ((os.fsdecode(name).removeprefix("./"), int(count)) for name, count in _COUNT.findall(run.output))
    counts = dict(sorted(item for item in found if wanted is None or wanted.matches(item[0])))
    if query.secrets is None:
        return counts
    shown, _ = query.secrets.split(counts)
    # A key in a file of any name is left out, too; not counted, as that would tell what is in it. Only the
    # first files are looked into: of the others nothing is shown.
    first = shown[: 2 * SEARCH_MAX_MATCHES]
    keys = {name for name in first if query.secrets.is_secret(query.root / name)}
    return {name: counts[name] for name in shown if name not in keys}


def _matching_lines(found: _Found, left: int) -> list[FoundLine]:
    """The first matching lines, in the order of the files, as many as fit into `left` characters."""
    places = list(found.counts)[:SEARCH_MAX_MATCHES]
    if not places:
        return []
    run = found.query.run(
        "--line-number", "--column", "--no-heading", "--threads=1", f"--max-count={SEARCH_MAX_MATCHES}",
        f"--max-columns={_COLUMNS}", "--max-columns-preview", places=places,
    )  # fmt: skip
    lines: list[FoundLine] = []
    for match in itertools.islice(_MATCH.finditer(run.output), SEARCH_MAX_MATCHES):
        line = _found_line(match)
        left -= len(str(line)) + 1
        if left < 0:
            break
        lines.append(line)
    return lines


def _found_line(match: re.Match[bytes]) -> FoundLine:
    name, number, column, line = match.groups()
    text = line.decode("utf-8", "replace").removesuffix("\r")
    place = len(line[: int(column) - 1].decode("utf-8", "replace"))
    return FoundLine(readable(os.fsdecode(name)), int(number), clip_around(text, place, SEARCH_LINE_CHARS))
