"""What a model is shown of the project before it writes a word.

A small model answers about files that it has not looked at, and changes what it has not read. So the first
message of a conversation lists the files, and holds the texts of a small project; of a larger one, those
that the request names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from text_agent.agent.notes import NAMES
from text_agent.config.limits import (
    EDIT_MAX_BYTES,
    MENTION_MAX_CHARS,
    PROJECT_VIEW_MAX_CHARS,
    PROJECT_VIEW_MAX_FILES,
)
from text_agent.errors import ToolError
from text_agent.files.encoding import NotTextError, decode_text
from text_agent.files.kinds import is_test
from text_agent.files.lines import split_lines
from text_agent.files.problems import readable
from text_agent.files.ripgrep import list_paths
from text_agent.files.workspace import Workspace
from text_agent.lazy_regex import late_pattern
from text_agent.protocol.templates import load_template
from text_agent.protocol.writing import render_block
from text_agent.tools.limits import view_chars
from text_agent.tools.list_files import list_files
from text_agent.tools.search import find_lines

# By the end of a file's name, where the word behind a fence is another.
_LANGUAGES = {
    "py": "python",
    "js": "javascript",
    "ts": "typescript",
    "md": "markdown",
    "sh": "bash",
    "yml": "yaml",
}
# A name that can be searched for: in quotes, with an underscore, or with a capital inside.
_IDENTIFIER = late_pattern(r"[`'\"](\w{3,60})[`'\"]|\b(\w+_\w+|[a-z]+[A-Z]\w*)\b")
# Names of the request that are looked for.
_MOST_NAMES = 3


@dataclass(frozen=True, slots=True)
class ProjectView:
    """What the model is shown.

    Attributes:
        text: as it stands in the message.
        texts: the files that are shown in it, by path.
        is_whole: it shows everything that is text.
        has_tests: there are tests for pytest.
    """

    text: str
    texts: Mapping[str, str]
    is_whole: bool
    has_tests: bool


@dataclass(frozen=True, slots=True)
class _Text:
    shown: str
    target: Path
    content: bytes
    text: str


def view_project(workspace: Workspace, request: str) -> ProjectView:
    """The list of the project's files and, as far as they fit, their texts, which count as read.

    Args:
        workspace: where they are.
        request: what the user asks for; files that it names are shown even where not all can be.
    """
    # The project's notes stand in the system prompt, or are not wanted.
    paths = [path for path in _paths(workspace) if path not in NAMES]
    most = view_chars(workspace)
    everything = _texts(workspace, paths, most) if len(paths) <= PROJECT_VIEW_MAX_FILES else None
    named = [path for path in paths if is_named(request, path)][:PROJECT_VIEW_MAX_FILES]
    texts = (_texts(workspace, named, most) or []) if everything is None else everything
    for each in texts:
        total = len(split_lines(each.text).texts)
        workspace.memory.note_shown(each.target, each.content, range(1, total + 1), total)
    listing = load_template("project_view").substitute(listing=_listing(workspace, most))
    mentions = _mentions(workspace, request) if everything is None else []
    return ProjectView(
        "\n\n".join([listing, *mentions, *map(_render, texts)]),
        {each.shown: each.text for each in texts},
        is_whole=everything is not None,
        has_tests=any(path.endswith(".py") and is_test(path) for path in paths),
    )


def text_of(workspace: Workspace, path: str) -> str:
    """The present text of a file, to be compared; empty for what is none."""
    try:
        content = workspace.read_for_change(workspace.resolve(path), EDIT_MAX_BYTES)
    except ToolError:
        return ""
    return (content or b"").decode("utf-8", "replace")


def named_identifiers(request: str) -> list[str]:
    """The names in a request that can be searched for, in order."""
    return list(dict.fromkeys(quoted or bare for quoted, bare in _IDENTIFIER.findall(request)))


def _mentions(workspace: Workspace, request: str) -> list[str]:
    """Where the names in the request stand, in a project that cannot be shown whole."""
    template = load_template("project_mention")
    found = {
        name: find_lines(workspace, rf"\b{re.escape(name)}\b", MENTION_MAX_CHARS)
        for name in named_identifiers(request)[:_MOST_NAMES]
    }
    listed = {name: "\n".join(map(str, lines)) for name, lines in found.items() if lines}
    return [template.substitute(name=name, lines=lines) for name, lines in listed.items()]


def _paths(workspace: Workspace) -> list[str]:
    try:
        return workspace.secrets.split(sorted(list_paths(workspace.root)))[0]
    except ToolError:
        return []


def _listing(workspace: Workspace, most: int) -> str:
    """The list of files; of a large tree as much as fits."""
    try:
        text = list_files(workspace)
    except ToolError as error:
        return str(error)
    if len(text) <= most:
        return text
    cut = text.rindex("\n", 0, most)
    return f"{text[:cut]}\n[the rest is left out; {list_files.__name__} shows more]"


def is_named(request: str, path: str) -> bool:
    """Whether a request names the file `path`."""
    name = path.rpartition("/")[2]
    return re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", request) is not None


def _texts(workspace: Workspace, paths: Sequence[str], left: int) -> list[_Text] | None:
    """The texts of files; None if they take more than `left` characters together."""
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
    language = _LANGUAGES.get(suffix, suffix if suffix.isalnum() else "")
    text = split_lines(each.text).view.rstrip("\n")
    return load_template("project_file").substitute(path=each.shown, block=render_block(text, language))
