"""A unified diff in colours: what was added and removed by its background, code by its language."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.text import Text

from text_agent.terminal.output.code_text import colored_lines, language_of
from text_agent.terminal.output.markdown import joined
from text_agent.text.revealing import reveal

_STYLES = {"+": "diff.added", "-": "diff.removed", "@": "diff.place"}
_SIDES = {"+": (False, True), "-": (True, False), " ": (True, True)}


def diff_lines(diff: str, console: Console) -> Iterator[Text]:
    """The lines of a unified diff; nothing of them is hidden."""
    lines = [reveal(line.removesuffix("\r"), console.encoding) for line in diff.split("\n")] if diff else []
    start = 0
    language = ""
    while start < len(lines):
        if lines[start].startswith("--- "):
            language = _language(lines[start : start + 2])
        end = start + 1
        if lines[start].startswith("@@"):
            while end < len(lines) and lines[end][:1] in _SIDES and not lines[end].startswith("--- "):
                end += 1
        yield Text(lines[start], _style(lines[start]))
        yield from _hunk(lines[start + 1 : end], language, console)
        start = end


def _style(line: str) -> str:
    is_header = line.startswith(("--- ", "+++ "))
    return "diff.file" if is_header else _STYLES.get(line[:1], "diff.same")


def _language(header: Sequence[str]) -> str:
    paths = [line[4:] for line in header]
    return next((found for path in reversed(paths) if (found := language_of(path))), "")


def _hunk(lines: Sequence[str], language: str, console: Console) -> Iterator[Text]:
    if not language or console.color_system in (None, "standard"):
        yield from (Text(line, _STYLES.get(line[:1], "diff.same")) for line in lines)
        return
    sides = [_side(lines, side, language, console) for side in (0, 1)]
    for line in lines:
        old, new = _SIDES[line[:1]]
        code = next(sides[1]) if new else Text()
        if old:
            code = next(sides[0])
        name = _STYLES.get(line[:1], "diff.same")
        code.stylize(f"{name}.line" if name != "diff.same" else "")
        yield joined(Text(line[:1], name), code)


def _side(lines: Sequence[str], side: int, language: str, console: Console) -> Iterator[Text]:
    """The lines of one side of a hunk, in colours: code is understood by what stands before it."""
    code = "\n".join(line[1:] for line in lines if _SIDES[line[:1]][side])
    return iter(colored_lines(code, language, console))
