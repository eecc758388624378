"""Code in the colours of its language."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

# Characters of code from which on it stays plain: colouring them would be felt.
_MAX_CHARS = 100_000


def colored_lines(code: str, language: str, console: Console) -> Sequence[Text]:
    """The lines of `code`; plain where the language is unknown or the console shows no colours."""
    if console.color_system is None or not language or len(code) > _MAX_CHARS:
        return [Text(line) for line in code.split("\n")]
    # Imported late: the highlighter takes longer to load than the rest of the screen.
    from rich.syntax import Syntax

    theme = "ansi_light" if console.get_style("code.light").bold else "ansi_dark"
    syntax = Syntax(code, language, theme=theme)
    if syntax.lexer is None:
        return [Text(line) for line in code.split("\n")]
    lines = list(syntax.highlight(code).split("\n", allow_blank=True))[: code.count("\n") + 1]
    # The highlighter may touch blanks at the ends; then the code is shown as it is.
    if [line.plain for line in lines] != code.split("\n"):
        return [Text(line) for line in code.split("\n")]
    return lines


def language_of(path: str) -> str:
    """The language that the highlighter would take for a file of this name; empty for plain text."""
    from rich.syntax import Syntax

    language = Syntax.guess_lexer(path)
    return "" if language in ("default", "text") else language
