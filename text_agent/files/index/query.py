"""What a request names: places, identifiers, quoted text and words to look for."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from text_agent.files.index.words import stem, words_of
from text_agent.lazy_regex import late_pattern

_QUOTED = late_pattern(r"`([^`\n]{2,80})`|\"([^\"\n]{2,80})\"|(?<!\w)'([^'\n]{2,80})'(?!\w)|“([^”\n]{2,80})”")
# A dotted name, or one that no word of a sentence is written like.
_DOTTED = late_pattern(r"(?<![\w/.-])[A-Za-z_$][\w$]*(?:(?:\.|::|->)[A-Za-z_$][\w$]*)+(?![\w/-])")
_NAME = late_pattern(
    r"(?<![\w$])(?:\w*[a-z0-9]_\w+|_+\w+|\w+__|[A-Z]+_[A-Z_\d]+|[a-z]+\d*[A-Z]\w*|[A-Z]+[a-z]+\w*[A-Z]\w*|[A-Z]{3,}\w*"
    r"|[A-Za-z_]\w*(?=\())(?!\w)"
)
_VERSION = late_pattern(r"(?<![\w.])\d+(?:\.\d+)+(?:[a-z]+\d*)?(?![\w.])|(?<![\w-])--?[a-z][\w-]+")
# Characters of a request that are read, from both ends: what is longer has something pasted in it.
_MOST_CHARS = 6_000
_WORD = late_pattern(r"[^\W\d_]+")
_FRAMES = (
    late_pattern(r"File \"([^\"\n]+)\", line (\d+)"),
    late_pattern(r"(?<![\w:/.])((?:[\w@.+-]*/)*[\w@.+-]+\.[A-Za-z]\w*):(\d+)(?!\w)"),
    late_pattern(r"((?:[\w@.+-]*/)*[\w@.+-]+\.[A-Za-z]\w*) (?:at |on |, )?line (\d+)"),
)


@dataclass(frozen=True, slots=True)
class Query:
    """What to look for.

    Attributes:
        names: identifiers, the last part of a dotted one.
        owners: of a dotted name the part before the last, by the last.
        literals: text to be found as it is: quoted text, identifiers, versions, options.
        words: stems of all words.
        quiet: those of them that belong to the asking; they tell something in names only.
        frames: files with a line, in order, as a traceback has them.
    """

    text: str
    names: frozenset[str]
    owners: dict[str, str]
    literals: frozenset[str]
    words: frozenset[str]
    quiet: frozenset[str]
    frames: tuple[tuple[str, int], ...]


def read_query(request: str, is_quiet: Callable[[str], bool] = lambda _: False) -> Query:
    """Returns what a request names.

    Args:
        request: as the user wrote it.
        is_quiet: tells of a word that people ask by, whatever they ask about.
    """
    if len(request) > _MOST_CHARS:
        request = f"{request[: _MOST_CHARS // 2]}\n{request[-_MOST_CHARS // 2 :]}"
    quoted = [next(filter(None, groups)) for groups in _QUOTED.findall(request)]
    dotted = [name.replace("::", ".").replace("->", ".").split(".") for name in _DOTTED.findall(request)]
    names = {*_NAME.findall(request), *(parts[-1] for parts in dotted)}
    names |= {text.removesuffix("()") for text in quoted if text.removesuffix("()").isidentifier()}
    owners = {parts[-1]: parts[-2] for parts in dotted}
    literals = {*quoted, *names, *owners.values(), *_VERSION.findall(request)}
    frames = [(path, int(line)) for pattern in _FRAMES for path, line in pattern.findall(request)]
    return Query(
        request,
        frozenset(names),
        owners,
        frozenset(each for each in literals if sum(map(str.isalnum, each)) > 1),
        frozenset(words_of(request)),
        frozenset(stem(word) for word in map(str.lower, _WORD.findall(request)) if is_quiet(word)),
        tuple(dict.fromkeys(frames)),
    )


def is_named(request: str, path: str) -> bool:
    """Whether a request names the file `path`."""
    name = path.rpartition("/")[2]
    return name in request and re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", request) is not None


def first_name(request: str) -> str:
    """Returns the first identifier that a request names; empty if it names none."""
    names = read_query(request).names
    return min(names, key=request.index, default="")
