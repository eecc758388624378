"""A text that breaks off, and one that only lacks its full stop."""

from __future__ import annotations

import pytest

from text_agent.agent.endings import breaks_off
from text_agent.providers.stop_reasons import read_stop_reason


@pytest.mark.parametrize(
    "text",
    [
        "The long answer is",
        "It is",
        "The fix is done. Now everyth",
        "I changed the function that reads the conf",
        "Here is the code:",
        "First,",
        "See `calc",
        "```python\nx = 1",
        "Die Funktion liest die Datei und",
        "La fonction lit le fichier et",
        "这个函数读取配置文件然后",
        "Эта функция читает файл и",
        "- One thing is done.\n- The other thing is that",
    ],
)
def test_it_breaks_off(text: str) -> None:
    assert breaks_off(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "42",
        "yes",
        "Fine.",
        "src/app.py",
        "6 months",
        "New York",
        "`x = 1`",
        "**Done!**",
        "Done ✅",
        "So it is (see above).",
        "```python\nx = 1\n```",
        "Files:\n- a.py\n- b.py",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "已完成。",
        "东京",
        "Москва",
        "Really?",
    ],
)
def test_it_is_whole(text: str) -> None:
    assert not breaks_off(text)


@pytest.mark.parametrize(
    ("said", "heard"),
    [
        ("stop", "end_turn"),
        ("eos_token", "end_turn"),
        ("length", "max_tokens"),
        ("MAX_TOKENS", "max_tokens"),
        ("model_length", "max_tokens"),
        ("model_context_window_exceeded", "max_tokens"),
        ("content_filter", "refusal"),
        ("contentFilter", "refusal"),
        ("SAFETY", "refusal"),
        ("PROHIBITED_CONTENT", "refusal"),
        ("refusal", "refusal"),
        ("error", "other"),
        ("abort", "other"),
        ("null", "other"),
        ("brand_new", "other"),
    ],
)
def test_reasons_in_every_spelling(said: str, heard: str) -> None:
    assert read_stop_reason(said) == heard
