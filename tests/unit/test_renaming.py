"""A renaming that the user asks for."""

import pytest

from text_agent.tools.editing.renaming import Renaming, asked_renaming


@pytest.mark.parametrize(
    ("request_text", "names"),
    [
        ("Rename the constant MAX_SIZE to SIZE_LIMIT everywhere in the project.", ("MAX_SIZE", "SIZE_LIMIT")),
        ("please rename `load` to `read`.", ("load", "read")),
        ("Renaming get() to fetch() is needed", ("get", "fetch")),
        ("Rename OLD to NEW.", ("OLD", "NEW")),
        ("rename x into y, then x to y", ("x", "y")),
    ],
)
def test_names(request_text: str, names: tuple[str, str]) -> None:
    assert asked_renaming(request_text) == Renaming(*names)


@pytest.mark.parametrize(
    "request_text",
    [
        "Rename foo.py to bar.py",
        "Rename the file to something better",
        "Rename a to b. Rename c to d.",
        "Rename a to a",
        "Add a to b",
        "",
    ],
)
def test_no_renaming(request_text: str) -> None:
    assert asked_renaming(request_text) is None


def test_whole_words_only() -> None:
    assert Renaming("get", "fetch").apply("get(x).get forget get_all") == "fetch(x).fetch forget get_all"
