"""Code in the colours of its language, and diffs: what was added and removed by its background."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.text import Text

from text_agent.text.sanitize import reveal

# Characters of code from which on it stays plain: colouring them would be felt.
_MAX_CHARS = 100_000
_STYLES = {"+": "diff.added", "-": "diff.removed", "@": "diff.place"}
_SIDES = {"+": (False, True), "-": (True, False), " ": (True, True)}


def colored_lines(code: str, language: str, console: Console) -> Sequence[Text]:
    """The lines of `code`; plain where the language is unknown or the console shows no colours."""
    plain = [Text(line) for line in code.split("\n")]
    if console.color_system is None or not language or len(code) > _MAX_CHARS:
        return plain
    # Imported late: the highlighter takes longer to load than the rest of the screen.
    from rich.syntax import Syntax

    theme = "ansi_light" if console.get_style("code.light").bold else "ansi_dark"
    syntax = Syntax(code, language, theme=theme)
    if syntax.lexer is None:
        return plain
    lines = list(syntax.highlight(code).split("\n", allow_blank=True))[: len(plain)]
    # The highlighter may touch blanks at the ends; then the code is shown as it is.
    return lines if [line.plain for line in lines] == [line.plain for line in plain] else plain


def language_of(path: str) -> str:
    """The language that the highlighter would take for a file of this name; empty for plain text."""
    from rich.syntax import Syntax

    language = Syntax.guess_lexer(path)
    return "" if language in ("default", "text") else language


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
        yield Text.assemble(Text(line[:1], name), code)


def _side(lines: Sequence[str], side: int, language: str, console: Console) -> Iterator[Text]:
    """The lines of one side of a hunk, in colours: code is understood by what stands before it."""
    code = "\n".join(line[1:] for line in lines if _SIDES[line[:1]][side])
    return iter(colored_lines(code, language, console))
