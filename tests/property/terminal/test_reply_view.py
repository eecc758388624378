"""However a reply arrives, nothing of what it says is lost on the screen, and no call is shown."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tests.property.protocol.test_parser import hostile_replies
from tests.support.described_tools import SEVEN_TOOLS
from text_agent.protocol.reading.parser import parse_reply
from text_agent.terminal.output.reply_view import ReplyView

WORDS = [
    "Hello there.\n",
    "\n",
    "- a list\n",
    "1. one\n",
    "It is\n\n```text\ncode here\n```\n",
    "A table.\n\n| a | b |\n|---|---|\n",
    "He:\n\n> said\n",
]
READ = 'tool: read_file({"path": "a"})\n'
WRITE = 'tool: write_file({"path": "a"})\n```\nnever shown\n```\n'


def shown(text: str, cuts: list[int], *, in_blocks: bool) -> str:
    view = ReplyView(SEVEN_TOOLS, in_blocks=in_blocks)
    edges = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    done = []
    for start, end in pairwise(edges):
        view.feed(text[start:end])
        done += [stretch for stretch in view.advance() if stretch.done]
    done += view.finish()
    lines = [
        "".join(s.text.splitlines(keepends=True)[s.skipped :]) if s.kind == "code" else s.text for s in done
    ]
    return "".join(lines)


@given(text=hostile_replies, cuts=st.lists(st.integers(0, 10**6), max_size=20))
def test_no_word_is_lost(text: str, cuts: list[int]) -> None:
    seen = iter("".join(shown(text, cuts, in_blocks=False).split()))
    parts = parse_reply(text, SEVEN_TOOLS).parts
    words = "".join(text[part.span[0] : part.span[1]] for part in parts if part.kind == "prose")
    assert all(character in seen for character in "".join(words.split()))


@given(
    pieces=st.lists(st.sampled_from([*WORDS, READ, WRITE]), max_size=12),
    cuts=st.lists(st.integers(0, 10**6), max_size=40),
    in_blocks=st.booleans(),
)
def test_ordinary_replies_are_shown_once_and_without_their_calls(
    pieces: list[str], cuts: list[int], in_blocks: bool
) -> None:
    text = "".join(pieces)
    seen = shown(text, cuts, in_blocks=in_blocks)
    assert "tool:" not in seen
    assert "never" not in seen
    for words in ("Hello there.", "a list", "one", "code here", "said"):
        assert seen.count(words) == text.count(words)
