"""What a model is shown of the project before it writes a word.

A small model answers about files that it has not looked at, and changes what it has not read. So the first
message of a conversation lists the files, and holds the texts of a small project; of a larger one, those
that the request names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from text_agent.config import PROJECT_VIEW_MAX_CHARS, PROJECT_VIEW_MAX_FILES
from text_agent.errors import ToolError
from text_agent.files.encoding import NotTextError, decode_text
from text_agent.files.lines import split_lines
from text_agent.files.problems import readable
from text_agent.templates import load_template
from text_agent.tools.list_files import list_files
from text_agent.tools.ripgrep import list_paths
from text_agent.workspace import Workspace

# By the end of a file's name, where the word behind a fence is another.
_LANGUAGES = {
    "py": "python",
    "js": "javascript",
    "ts": "typescript",
    "md": "markdown",
    "sh": "bash",
    "yml": "yaml",
}


@dataclass(frozen=True, slots=True)
class _Text:
    shown: str
    target: Path
    content: bytes
    text: str


def view_project(workspace: Workspace, request: str) -> str:
    """The list of the project's files and, as far as they fit, their texts, which count as read.

    Args:
        workspace: where they are.
        request: what the user asks for; files that it names come first.
    """
    texts = list(_chosen(workspace, request))
    for each in texts:
        total = len(split_lines(each.text).texts)
        workspace.memory.note_shown(each.target, each.content, range(1, total + 1), total)
    listing = _listing(workspace)
    return "\n\n".join([load_template("project_view").substitute(listing=listing), *map(_render, texts)])


def _listing(workspace: Workspace) -> str:
    """The list of files; of a large tree as much as fits."""
    try:
        text = list_files(workspace)
    except ToolError as error:
        return str(error)
    if len(text) <= PROJECT_VIEW_MAX_CHARS:
        return text
    cut = text.rindex("\n", 0, PROJECT_VIEW_MAX_CHARS)
    return f"{text[:cut]}\n[the rest is left out; list_files shows more]"


def _chosen(workspace: Workspace, request: str) -> Iterator[_Text]:
    """The texts of all files if they fit together, or else of those that are named, while they fit."""
    try:
        paths = sorted(list_paths(workspace.root))
    except ToolError:
        return
    paths, _ = workspace.secrets.split(paths)
    named = [path for path in paths if _names(request, path)]
    texts = _texts(workspace, paths) if len(paths) <= PROJECT_VIEW_MAX_FILES else None
    if texts is None:
        texts = _texts(workspace, named[:PROJECT_VIEW_MAX_FILES]) or []
    yield from texts


def _names(request: str, path: str) -> bool:
    name = path.rpartition("/")[2]
    return re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", request) is not None


def _texts(workspace: Workspace, paths: Sequence[str]) -> list[_Text] | None:
    """The texts of files; None if they are too long together."""
    left = PROJECT_VIEW_MAX_CHARS
    texts: list[_Text] = []
    for path in paths:
        text = _read(workspace, path)
        if text is None:
            continue
        left -= len(text.text)
        if left < 0:
            return None
        texts.append(text)
    return texts


def _read(workspace: Workspace, path: str) -> _Text | None:
    """One file; None if it is no text, is empty, or is nobody's business."""
    try:
        target = workspace.resolve(path)
        if workspace.secrets.is_secret(target):
            return None
        with workspace.open_file(target) as file:
            content = file.read(4 * PROJECT_VIEW_MAX_CHARS + 1)
        text, _ = decode_text(content)
    except (ToolError, NotTextError, OSError):
        return None
    return _Text(readable(path), target, content, text) if text.strip() else None


def _render(each: _Text) -> str:
    suffix = each.shown.rpartition(".")[2].lower() if "." in each.shown else ""
    longest = max((len(run) for run in re.findall("`+", each.text)), default=0)
    return load_template("project_file").substitute(
        path=each.shown,
        fence="`" * max(3, longest + 1),
        language=_LANGUAGES.get(suffix, suffix if suffix.isalnum() else ""),
        text=split_lines(each.text).view.rstrip("\n"),
    )
