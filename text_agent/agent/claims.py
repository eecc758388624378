"""What an answer says was done, and what a request asks to have done, by the words of `words.toml`.

Neither is understood; both are only compared with the facts of a turn, and where they are taken wrongly, that
costs one request.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import cache, lru_cache
from itertools import dropwhile, islice, product
from typing import Literal

from text_agent.agent.words import tables, words
from text_agent.lazy_regex import late_pattern
from text_agent.protocol.reading.blocks import find_blocks, outside_blocks

# Files were changed, or are to be; a command was run; it has done what it says; tests have passed.
Work = Literal["change", "command", "success", "passed"]

_QUESTION_MARKS = ("?", "\uff1f", "\u061f")
_SENTENCE_END = late_pattern(r"(?<=[.!?:])[\"'*_)]*\s+|(?<=[\u3002\uff01\uff1f])|\n|;\s")
_QUOTED = late_pattern(
    r"\"[^\"\n]*\"|\u201c[^\u201d\n]*\u201d|\u201e[^\u201c\n]*\u201c|\u00ab[^\u00bb\n]*\u00bb|^\s*>.*$",
    re.MULTILINE,
)
# What stands in the place of code and paths; those that are files; and several that are named together.
_NAME = "xpy"
_FILE = late_pattern(r"[\w./-]*\w\.[A-Za-z][A-Za-z0-9]{0,9}", re.ASCII)
_JOINED = late_pattern(
    rf"{_NAME}(?:(?:\s*[,&/、]\s*|\s*(?:と|和|及|および)\s*|,?\s+(?:and|und|et|y|e|и|en|i|ve|og|och)\s+)+{_NAME})*+"
)
_NAMED = late_pattern(
    r"`[^`\n]*`|(?<![\w.])[\w./-]*[\w]\.[A-Za-z][A-Za-z0-9]{0,9}(?!\w|\.\w)|\b\w+/[\w/]+", re.ASCII
)
_ORNAMENTS = " \t*_#>-\u2022\u2022\u2705\u2714\ufe0f|~\u2713\u00a1"
_LIST_NUMBER = late_pattern(r"\d+[.)]\s+")
_DIFF = late_pattern(r"^(?:@@ -\d|\+\+\+ |diff --git |\*\*\* (?:Update|Add|Delete) File)", re.MULTILINE)
# What only a command prints.
_OUTPUT = late_pattern(
    r"\b\d+ (?:tests? )?passed\b|\b\d+ passing\b|\bRan \d+ tests?\b|\btest result: ok\b|\bBUILD SUCCESS|"
    r"\bSuccessfully installed \S+|^\[[\w/.-]+ [0-9a-f]{7,}\]|^ok\s+\S+\s+[\d.]+s$",
    re.MULTILINE,
)
_FAILURES = late_pattern(r"\b(?!0 )\d+ (?:failed|failing|errors?)\b|\bFAIL(?:ED)?\b")
# How far above an output words make it a sample.
_SAMPLE_CHARS = 160
# Characters of a text, and of a sentence, that are looked at.
_MAX_CHARS = 20_000
_SENTENCE_MAX_CHARS = 400
# An order for whatever may turn up asks for nothing yet.
_ORDER_END = r"(?!\w)(?! (?:it |them )?(?:what|any|if|whatever|where)\b)"
_KINDS_OF_ORDERS: tuple[tuple[Work, str], ...] = (
    ("change", "order"),
    ("change", "make"),
    ("command", "run"),
    ("success", "act"),
)


@lru_cache(maxsize=4)
def asked_of(request: str) -> frozenset[Work]:
    """What a request asks to have done; a question asks for nothing.

    Returns `change` if files are to be changed; `command` if a command is to be run, with `success` if that
    is to change something.
    """
    sentences = _sentences(outside_blocks(request))
    if any(words("hands_off").search(sentence) for sentence in sentences):
        return frozenset()
    orders = [
        sentence for sentence in sentences if not sentence.endswith(_QUESTION_MARKS) or _is_polite(sentence)
    ]
    asked = {
        work
        for language, (work, verbs) in product(tables(), _KINDS_OF_ORDERS)
        if any(_is_order(sentence, language, verbs) for sentence in orders)
    }
    return frozenset(asked | ({"command"} if "success" in asked else set()))


def _is_polite(sentence: str) -> bool:
    return re.match(rf"(?:{words('polite').pattern})(?!\w)", sentence, re.IGNORECASE) is not None


def is_question(request: str) -> bool:
    """Whether a request only wants to know something."""
    text = outside_blocks(request).strip()
    asks = text.endswith(_QUESTION_MARKS) or _only_tells(text) or _asks_first(list(_sentences(text)))
    return asks and not asked_of(request)


def _asks_first(sentences: Sequence[str]) -> bool:
    """Whether one of some sentences is a question, and all behind it say only how to answer."""
    after = list(dropwhile(lambda each: not each.endswith(_QUESTION_MARKS), sentences))
    return bool(after) and all(each.endswith(_QUESTION_MARKS) or _only_tells(each) for each in after)


def _only_tells(text: str) -> bool:
    telling = rf"(?:{words('tell').pattern}|{words('look').pattern})(?!\w)"
    return re.match(telling, text, re.IGNORECASE) is not None


def asks_only(word: str) -> bool:
    """Whether a word belongs to the asking, whatever is asked about."""
    return any(words(name).fullmatch(word) for name in ("small", "tell"))


def claims_of(
    answer: str, request: str, heard: Iterable[str] = (), *, has_past: bool = False
) -> frozenset[Work]:
    """What an answer says was done.

    `heard`: what the model was told: an output that stands there is no invention. `has_past`: work was done
    before the request, of which the answer may speak.
    """
    questioned, asked = is_question(request), asked_of(request)
    if questioned and has_past:
        return frozenset()
    claims: set[Work] = set()
    for sentence in _sentences(outside_blocks(answer)):
        if sentence.endswith(_QUESTION_MARKS) or (has_past and words("earlier").search(sentence)):
            continue
        claims.update(_claimed(sentence, asked, loosely=not questioned))
    if shows_output(answer, heard):
        claims.update(("command",) if _FAILURES.search(answer) else ("command", "success"))
    if "change" in asked and any(_DIFF.search(block.text) for block in find_blocks(answer)):
        claims.add("change")
    return frozenset(claims)


def files_claimed(answer: str, changed: Set[str]) -> Iterator[str]:
    """The files that an answer names as changed, and that are none of `changed`.

    What a sentence names first, with what it joins to that, is what was changed, unless it names one of
    `changed` elsewhere.
    """
    for sentence, names in _told(outside_blocks(answer)):
        files = [name if _FILE.fullmatch(name) else "" for name in names]
        group = _JOINED.search(sentence)
        if (
            group is None
            or not any(files)
            or "change" not in set(_claimed(sentence, frozenset(), loosely=True))
        ):
            continue
        first = files[: group[0].count(_NAME)]
        others = [name for name in files[len(first) :] if name]
        if not any(map(changed.__contains__, first)) and any(_is_one_of(name, changed) for name in others):
            continue
        yield from (name for name in first if name and not _is_one_of(name, changed))


def _is_one_of(name: str, paths: Set[str]) -> bool:
    """Whether one of some paths may be meant by a name."""
    return any(path == name or path.endswith(f"/{name}") or name.endswith(f"/{path}") for path in paths)


def shows_output(answer: str, heard: Iterable[str]) -> bool:
    """Whether an answer shows what only a command prints, and nobody has told the model."""
    known = "\n".join(heard)
    return any(
        match[0] not in known and not words("sample").search(answer[: match.start()][-_SAMPLE_CHARS:])
        for match in _OUTPUT.finditer(answer)
    )


def tests_failed(output: str, exit_code: int) -> bool | None:
    """Whether a command's output is that of tests that failed, or that passed; None if it is of no tests."""
    if exit_code and _FAILURES.search(output):
        return True
    return False if not exit_code and _OUTPUT.search(output) else None


def refuses(answer: str) -> bool:
    """Whether the model says that it will not do what was asked."""
    return words("refuses").search(outside_blocks(answer)) is not None


def _claimed(sentence: str, asked: frozenset[Work], *, loosely: bool) -> Iterator[Work]:
    for language, table in tables().items():
        if loosely and _holds(words("done", language), sentence):
            yield from asked
        if (loosely or asked) and _holds(words("passed", language), sentence):
            yield from ("command", "success", "passed")
        frames = (*table["plain"], *(table["loose"] if loosely else ()))
        for verbs in ("change", "command", "outcome"):
            # Without its verbs a frame does not fit: most of those of other languages are not even compiled.
            has_verb = words(verbs, language).search(sentence) is not None
            fitting = (frame for frame in frames if has_verb or "(?:V)" not in frame)
            if any(_holds(_framed(language, verbs, frame), sentence) for frame in fitting):
                yield "change" if verbs == "change" else "command"
                if verbs == "outcome":
                    yield "success"


def _holds(pattern: re.Pattern[str], sentence: str) -> bool:
    """Whether a claim stands in a sentence, and nothing before its end denies it."""
    return any(
        not words("unclaimed").search(sentence[: match.end()])
        for match in pattern.finditer(sentence)
        # A line that begins small goes on with a sentence: who did it stands before it.
        if match.start() or not match[0][0].islower()
    )


def _sentences(text: str) -> Sequence[str]:
    """The sentences of a text, each once: to say it again says no more."""
    return tuple(dict.fromkeys(sentence for sentence, _ in _told(text)))


def _told(text: str) -> Iterator[tuple[str, Sequence[str]]]:
    """The sentences of a text, each with the code and the paths that it names."""
    plain = _QUOTED.sub(" x ", text[:_MAX_CHARS])
    names = iter([match[0].strip("`") for match in _NAMED.finditer(plain)])
    for sentence in _SENTENCE_END.split(_NAMED.sub(_NAME, plain)):
        named = list(islice(names, sentence.count(_NAME)))
        bare = sentence[:_SENTENCE_MAX_CHARS].strip(_ORNAMENTS)
        number = _LIST_NUMBER.match(bare)
        if bare := bare[number.end() :].strip(_ORNAMENTS) if number else bare:
            yield bare, named


@cache
def _framed(language: str, verbs: str, frame: str) -> re.Pattern[str]:
    verb = "|".join(tables()[language][verbs])
    return re.compile(frame.replace("(?:V)", f"(?:{verb})"), re.IGNORECASE)


def _is_order(sentence: str, language: str, verbs: str) -> bool:
    """Whether a sentence asks for work by verbs of one kind; most need no more than a look for these."""
    if words(verbs, language).search(sentence) is None:
        return False
    return _order(language, verbs).search(sentence) is not None


@cache
def _order(language: str, verbs: str) -> re.Pattern[str]:
    table = tables()[language]
    text = {name: "|".join(texts) for name, texts in table.items() if isinstance(texts, list)}
    if table.get("anywhere"):
        begin, end = rf"^(?!(?:{words('tell').pattern})).*?", ""
        made = rf"(?=.*(?:xpy|{text['things']})).*?(?:{text['make']})"
    else:
        polite = rf"(?:(?:{text['polite']})(?!\w)[,:]?\s*)*"
        orders = "|".join(text[name] for name in ("look", "order", "make", "run", "act"))
        first = rf"{polite}(?:{orders})(?!\w)"
        further = rf"(?:{first}(?:(?!\bhow\b).)*?\b(?:{text['join']})\s+)?"
        begin, end = rf"^{further}{polite}", _ORDER_END
        made = rf"(?:{text['make']}){end}(?=.*(?:xpy|\b(?:{text['things']})(?!\w)))"
    return re.compile(begin + (made if verbs == "make" else rf"(?:{text[verbs]}){end}"), re.IGNORECASE)
