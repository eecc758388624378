"""What a model is shown of the project before it writes a word.

A small model answers about files that it has not looked at, and changes what it has not read. So the first
message of a conversation lists the files, and holds the texts of a small project; of a larger one, those
that the request names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from text_agent.agent.notes import NAMES
from text_agent.config.limits import (
    EDIT_MAX_BYTES,
    PROJECT_VIEW_MAX_CHARS,
    PROJECT_VIEW_MAX_FILES,
)
from text_agent.errors import ToolError
from text_agent.files.encoding import NotTextError, decode_text
from text_agent.files.index.query import is_named
from text_agent.files.kinds import is_test
from text_agent.files.lines import split_lines
from text_agent.files.problems import readable
from text_agent.files.ripgrep import list_paths
from text_agent.files.workspace import Workspace
from text_agent.protocol.templates import load_template
from text_agent.protocol.writing import render_block
from text_agent.tools.limits import view_chars
from text_agent.tools.list_files import list_files

# By the end of a file's name, where the word behind a fence is another.
_LANGUAGES = {
    "py": "python",
    "js": "javascript",
    "ts": "typescript",
    "md": "markdown",
    "sh": "bash",
    "yml": "yaml",
}
# Shows the places that a request is about, within so many characters; empty if it finds none.
ShowPlaces = Callable[[Workspace, str, int], str]


@dataclass(frozen=True, slots=True)
class ProjectView:
    """What the model is shown.

    Attributes:
        text: as it stands in the message.
        texts: the files that are shown in it, by path.
        is_whole: it shows everything that is text.
        has_tests: there are tests for pytest.
        has_places: it shows the places that the request is about, and nothing else.
    """

    text: str
    texts: Mapping[str, str]
    is_whole: bool
    has_tests: bool
    has_places: bool = False


@dataclass(frozen=True, slots=True)
class _Text:
    shown: str
    target: Path
    content: bytes
    text: str


def view_project(workspace: Workspace, request: str, show_places: ShowPlaces | None = None) -> ProjectView:
    """The list of the project's files and, as far as they fit, their texts, which count as read.

    Args:
        workspace: where they are.
        request: what the user asks for; files that it names are shown even where not all can be.
        show_places: gives what is shown instead where not all can be.
    """
    # The project's notes stand in the system prompt, or are not wanted.
    paths = [path for path in _paths(workspace) if path not in NAMES]
    most = view_chars(workspace)
    everything = _texts(workspace, paths, most) if len(paths) <= PROJECT_VIEW_MAX_FILES else None
    has_tests = any(path.endswith(".py") and is_test(path) for path in paths)
    if everything is None and show_places and (places := show_places(workspace, request, most)):
        return ProjectView(places, {}, is_whole=False, has_tests=has_tests, has_places=True)
    named = [path for path in paths if is_named(request, path)][:PROJECT_VIEW_MAX_FILES]
    texts = (_texts(workspace, named, most) or []) if everything is None else everything
    for each in texts:
        total = len(split_lines(each.text).texts)
        workspace.memory.note_shown(each.target, each.content, range(1, total + 1), total)
    listing = load_template("project_view").substitute(listing=_listing(workspace, most))
    return ProjectView(
        "\n\n".join([listing, *map(_render, texts)]),
        {each.shown: each.text for each in texts},
        is_whole=everything is not None,
        has_tests=has_tests,
    )


def text_of(workspace: Workspace, path: str) -> str:
    """The present text of a file, to be compared; empty for what is none."""
    try:
        content = workspace.read_for_change(workspace.resolve(path), EDIT_MAX_BYTES)
    except ToolError:
        return ""
    return (content or b"").decode("utf-8", "replace")


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


def language_of(path: str) -> str:
    """The word behind a fence around the text of a file; empty if there is none for it."""
    suffix = path.rpartition(".")[2].lower() if "." in path else ""
    return _LANGUAGES.get(suffix, suffix if suffix.isalnum() else "")


def _render(each: _Text) -> str:
    text = split_lines(each.text).view.rstrip("\n")
    block = render_block(text, language_of(each.shown))
    return load_template("project_file").substitute(path=each.shown, block=block)
