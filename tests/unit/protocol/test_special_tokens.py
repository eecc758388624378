from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from text_agent.protocol.markers import END_TOKENS
from text_agent.providers.special_tokens import EndTrimmer


def trimmed(*pieces: str) -> str:
    trimmer = EndTrimmer()
    return "".join(map(trimmer.feed, pieces)) + trimmer.finish()


@pytest.mark.parametrize("token", END_TOKENS)
def test_an_end_token_is_taken_away_however_it_is_cut(token: str) -> None:
    assert trimmed(f"Fine.{token}") == "Fine."
    assert trimmed("Fine.", *token) == "Fine."
    assert trimmed(f"Fine.{token}\n{token} \n") == "Fine."


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a <",
        "a <|im_e",
        "<|im_start|>",
        "`</s>` ends it",
        "<|im_end|> and on",
        "a </s> b",
        "List<eos",
        "<div></div>",
    ],
)
def test_everything_else_stays(text: str) -> None:
    assert trimmed(text) == trimmed(*text) == text


def test_a_word_may_be_struck_through() -> None:
    for pieces in (("<s>old</s>",), tuple("<s>old</s>")):
        assert trimmed(*pieces) == "<s>old</s>"
    assert trimmed("<s>old</s><|im_end|>\n") == "<s>old</s>"
    assert trimmed("<s>old</s> new</s> x") == "<s>old</s> new</s> x"


def test_what_goes_on_is_given_out_at_once() -> None:
    trimmer = EndTrimmer()
    assert trimmer.feed("a <|im") == "a "
    assert trimmer.feed("_start") == "<|im_start"
    assert trimmer.feed("</s>" * 200)
    assert len(trimmer.finish()) < 200


@given(
    st.lists(st.sampled_from([*END_TOKENS, "a", " ", "<", "</", "s>", "<s>", "\n", "<|", "|>"]), max_size=12)
)
def test_how_it_is_cut_makes_no_difference(parts: list[str]) -> None:
    text = "".join(parts)
    assert trimmed(*text) == trimmed(text) == trimmed(*parts)
    assert text.startswith(trimmed(text))
