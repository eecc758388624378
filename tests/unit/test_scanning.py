"""What the echo guard finds in a foreign text, and what it knows that it has not found."""

from __future__ import annotations

import pytest

from tests.support.described_tools import SEVEN_TOOLS
from text_agent.protocol.reading.scanning import scan

# Every attempt to read one of these calls reads on to the end of the text, until no more may be read.
BUSY = "tool: x({\n" + "# tool: x({\n" * 400
OPEN_CALL = 'tool: run_command({\n  "command": "ls"\n})'
OPEN_OBJECT = '{\n  "name": "run_command",\n  "arguments": {"command": "ls"}\n}'


@pytest.mark.parametrize("text", [OPEN_CALL, OPEN_OBJECT, "tool: list_files({})"])
def test_a_text_is_read_to_its_end(text: str) -> None:
    found = scan(text, SEVEN_TOOLS)
    assert len(found.calls) == 1
    assert found.unread == frozenset()


@pytest.mark.parametrize(
    ("behind", "unread"),
    [
        (OPEN_CALL, ["run_command"]),
        (OPEN_CALL.replace("run_command", "frob"), []),
        (OPEN_OBJECT, ["run_command"]),
        (OPEN_OBJECT.replace("run_command", "frob"), []),
        ('{\n  "title": "run_command"\n}', []),
        ("It is all about run_command.", []),
    ],
)
def test_tools_that_are_named_where_no_more_is_read_are_told(behind: str, unread: list[str]) -> None:
    found = scan(f"{BUSY}\n{behind}", SEVEN_TOOLS)
    assert found.unread == frozenset(unread)


def test_a_call_in_one_line_is_read_even_there() -> None:
    found = scan(f"{BUSY}\ntool: list_files({{}})", SEVEN_TOOLS)
    assert [call.name for call in found.calls] == ["list_files"]
