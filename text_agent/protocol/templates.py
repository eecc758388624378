"""The texts that a model receives, read from the folder `prompts`.

The folder lies at the top of the source tree, where people look for it, and ships inside the package.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from string import Template

from text_agent.errors import TextAgentError


def template_folders() -> tuple[Traversable, ...]:
    """Where templates lie: in the installed package, or beside it in a source tree."""
    return resources.files("text_agent") / "prompts", Path(__file__).resolve().parents[2] / "prompts"


def load_template(name: str, folders: Sequence[Traversable] | None = None) -> Template:
    """Reads one template, without the line break at its end.

    `name`: the file's name without `.md`, such as `system`. `folders`: where to look, in this order; by
    default `template_folders()`. Returns a template whose `$names` are filled in by `substitute`. Raises
    `TextAgentError`: no folder holds the file, so the installation is incomplete.
    """
    for folder in template_folders() if folders is None else folders:
        file = folder / f"{name}.md"
        if file.is_file():
            return Template(file.read_text(encoding="utf-8").rstrip("\n"))
    raise TextAgentError(f"the text prompts/{name}.md is missing", hint="install text-agent again")


def fill_template(name: str, /, **values: object) -> str:
    """One template's text, with `values` in the place of its `$names`; see `load_template`."""
    return load_template(name).substitute(values)
