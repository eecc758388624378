from __future__ import annotations

import pytest

from tests.support.described_tools import SEVEN_TOOLS
from text_agent.protocol.reading.parser import parse_reply
from text_agent.protocol.types import MalformedCall


def suggestion(text: str) -> str | None:
    (call,) = parse_reply(text, SEVEN_TOOLS).calls
    assert isinstance(call, MalformedCall)
    return call.suggestion


def test_a_call_that_lacks_its_closer_before_prose_is_completed() -> None:
    text = 'tool: read_file({"path": "a.py"\nand then we see'
    assert suggestion(text) == 'tool: read_file({"path": "a.py"})'


@pytest.mark.parametrize(
    "text",
    [
        'tool: write_file({"path": "a", "content": """def f():\n    """\n    A.\n    """\n    return 1}")',
        'tool: write_file({"path": "a.py", "content": "a = "\nb = "c"}\nprint("d")\n})',
    ],
)
def test_no_text_is_suggested_without_its_end(text: str) -> None:
    """A model writes what is suggested; half of a file must not be."""
    assert suggestion(text) is None
