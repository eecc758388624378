"""The tool that finds text in files."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from text_agent.config import RESULT_MAX_CHARS, SEARCH_LINE_CHARS, SEARCH_MAX_MATCHES
from text_agent.errors import ToolError
from text_agent.file_problems import readable
from text_agent.tools.globs import compile_glob
from text_agent.tools.names import missing
from text_agent.tools.ripgrep import RipgrepRun, run_ripgrep
from text_agent.tools.truncation import clip_around
from text_agent.workspace import Workspace

# Bytes of a line that rg passes on: a line may be the whole of a large file.
_COLUMNS = 4000
_COUNT = re.compile(rb"([^\0]+)\0(\d+)\n")
_MATCH = re.compile(rb"([^\0\n]+)\0(\d+):(\d+):(.*)\n")
_NOTE_CHARS = 200


def search(workspace: Workspace, pattern: str, path: str = ".", glob: str | None = None) -> str:
    """Finds lines that match a regular expression. `glob` selects files, such as `*.py`."""
    if not pattern:
        raise ToolError("The pattern is empty. Give the text to look for; list_files shows the files.")
    target = workspace.resolve(path)
    if workspace.status(target) is None:
        raise missing(workspace, target)
    place = str(target.relative_to(workspace.root))
    query, counts = _count_matches(_Query(workspace.root, place, pattern, glob))
    lines = _matching_lines(query, counts) if counts else []
    return "\n".join([*lines, *_notes(query, counts, len(lines))])


def _notes(query: _Query, counts: Mapping[str, int], shown: int) -> list[str]:
    total = sum(counts.values())
    notes = ["[no valid regular expression: searched as plain text]"] if query.is_literal else []
    if not total:
        notes.append(f"0 matches for {query.pattern!r} in {readable(query.place)}.")
    elif not shown:
        notes.append(f"{readable(query.place)} is binary; it has {total:,} matching lines.")
    elif total > shown:
        notes.append(
            f"[{shown} of {total:,} matches in {len(counts):,} files; narrow the pattern, path or glob]"
        )
    return notes


@dataclass(frozen=True, slots=True)
class _Query:
    """What is looked for, and where: `place` is relative to `root`."""

    root: Path
    place: str
    pattern: str
    glob: str | None
    is_literal: bool = False
    ignored_too: bool = False

    def run(self, *options: str, places: Sequence[str] = ()) -> RipgrepRun:
        """Runs rg for the pattern, in `places` or in the query's own."""
        engine = "--fixed-strings" if self.is_literal else "--engine=auto"
        arguments = [engine, "--with-filename", *options, "--regexp", self.pattern, "--"]
        return run_ripgrep(self.root, [*arguments, *(places or [self.place])], ignored_too=self.ignored_too)


def _count_matches(query: _Query) -> tuple[_Query, dict[str, int]]:
    """The query as it could be run, and how many lines match in each file, in tree order."""
    run = query.run("--count")
    if "regex parse error" in run.problem or "PCRE2: error" in run.problem:
        query = replace(query, is_literal=True)
        run = query.run("--count")
    counts = _counts(query, run)
    if not counts:
        query = replace(query, ignored_too=True)
        counts = _counts(query, query.run("--count")) if query.place != "." else {}
    return query, counts


def _counts(query: _Query, run: RipgrepRun) -> dict[str, int]:
    if run.failed and not run.output and "not allowed in a regex" in run.problem:
        raise ToolError("The pattern holds a line break, but search looks at one line at a time.")
    wanted = compile_glob(query.glob) if query.glob else None
    found = ((os.fsdecode(name).removeprefix("./"), int(count)) for name, count in _COUNT.findall(run.output))
    return dict(sorted(item for item in found if wanted is None or wanted.match(item[0])))


def _matching_lines(query: _Query, counts: Mapping[str, int]) -> list[str]:
    """The first matching lines, in the order of the files, as many as a result may hold."""
    places = list(counts)[:SEARCH_MAX_MATCHES]
    run = query.run(
        "--line-number", "--column", "--no-heading", "--threads=1", f"--max-count={SEARCH_MAX_MATCHES}",
        f"--max-columns={_COLUMNS}", "--max-columns-preview", places=places,
    )  # fmt: skip
    lines: list[str] = []
    left = RESULT_MAX_CHARS - _NOTE_CHARS
    for match in itertools.islice(_MATCH.finditer(run.output), SEARCH_MAX_MATCHES):
        line = _shown_line(match)
        left -= len(line) + 1
        if left < 0:
            break
        lines.append(line)
    return lines


def _shown_line(match: re.Match[bytes]) -> str:
    name, number, column, line = match.groups()
    text = line.decode("utf-8", "replace").removesuffix("\r")
    place = len(line[: int(column) - 1].decode("utf-8", "replace"))
    return f"{readable(os.fsdecode(name))}:{int(number)}: {clip_around(text, place, SEARCH_LINE_CHARS)}"
