"""Mentions of files in what the user writes: `@README.md`, `@src/`, `@"two words.txt"`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from text_agent.config.limits import ATTACHED_MAX_CHARS
from text_agent.files.workspace import Workspace
from text_agent.lazy_regex import late_pattern

_MENTION = late_pattern(r'(?<![^\s(])@(?:"([^"\n]+)"|([^\s"]+))')
# One that is being typed.
BEGUN_MENTION = late_pattern(r'(?<![^\s(])@(?:"(?P<quoted>[^"\n]*)|(?P<plain>[^\s"]*))\Z')


def find_mentions(text: str, pasted: Iterable[str] = ()) -> list[str]:
    """The paths that a text mentions, each once; those in `pasted` blocks are somebody else's.

    A pasted line may be the path itself, as terminals write it for a file that is dropped on them.
    """
    for block in pasted:
        if "\n" in block:
            text = text.replace(block, " ")
    return list(dict.fromkeys(match[1] or match[2] for match in _MENTION.finditer(text)))


def write_mention(path: str) -> str:
    """How a path is mentioned."""
    return f'@"{path}"' if re.search(r"\s", path) else f"@{path}"


def attach_mentions(
    workspace: Workspace, text: str, pasted: Iterable[str], tell: Callable[[str], None]
) -> Sequence[str]:
    """What the mentions in a message attach to it; `tell` is told what that is, and what it is not."""
    # The prompt completes mentions, and should not wait for what reads files.
    from text_agent.agent.attachments import NotAttached, attach

    attached = []
    names = []
    left = ATTACHED_MAX_CHARS
    for path in find_mentions(text, pasted):
        try:
            found = attach(workspace, path, left)
        except NotAttached as error:
            tell(str(error))
            continue
        if found:
            attached.append(found.render())
            names.append(found.path)
            left -= len(found.text)
    if names:
        tell(f"Attached: {', '.join(names)}.")
    return attached
