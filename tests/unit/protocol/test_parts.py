"""A reply divided by what its parts are."""

from __future__ import annotations

import pytest

from tests.support.described_tools import SEVEN_TOOLS
from text_agent.protocol.reading.parser import parse_reply
from text_agent.protocol.types import ParsedReply

READ = 'tool: read_file({"path": "a"})'


def divided(text: str) -> list[tuple[str, str]]:
    return pieces(text, parse_reply(text, SEVEN_TOOLS))


def pieces(text: str, parsed: ParsedReply) -> list[tuple[str, str]]:
    return [(part.kind, text[part.span[0] : part.span[1]]) for part in parsed.parts]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello.", [("prose", "Hello.")]),
        ("", []),
        (f"I look.\n{READ}\nDone.", [("prose", "I look.\n"), ("call", READ), ("prose", "\nDone.")]),
        ("<think>hm</think>Yes.", [("thinking", "<think>hm</think>"), ("prose", "Yes.")]),
        ("hm</think>Yes.", [("thinking", "hm</think>"), ("prose", "Yes.")]),
        ("A<!-- b -->c", [("prose", "A"), ("comment", "<!-- b -->"), ("prose", "c")]),
        ("For example:\n```\n" + READ + "\n```", [("prose", "For example:\n```\n" + READ + "\n```")]),
        (
            f"{READ}\ntool_result(read_file #1 ok):\nx",
            [("call", READ + "\n"), ("after an invented result", "tool_result(read_file #1 ok):\nx")],
        ),
        ("Hello.\ntool_resu", [("prose", "Hello."), ("call", "\ntool_resu")]),
        ("Hello. <|user|>\n", [("prose", "Hello."), ("call", " <|user|>\n")]),
    ],
)
def test_parts(text: str, expected: list[tuple[str, str]]) -> None:
    assert divided(text) == expected


def test_a_payload_block_belongs_to_its_call() -> None:
    text = 'tool: write_file({"path": "a"})\n```\nx\n```\nDone.'
    shown = [part for part in divided(text) if part[1].strip()]
    assert [kind for kind, _ in shown] == ["call", "call", "prose"]
    assert shown[1:] == [("call", "```\nx\n```"), ("prose", "\nDone.")]
