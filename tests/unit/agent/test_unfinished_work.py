from __future__ import annotations

import pytest

from text_agent.agent.final_answer import announces_work

ANNOUNCEMENTS = [
    "I will now create the file.",
    "I found it. I'll update calc.py.",
    "I\u2019ll fix the test now.",
    "Let me look at the file:",
    "The tests fail.\n\nLet me check calc.py.",
    "Okay, let's run the tests.",
    "Now I will write the function.",
    "First, I need to read README.md.",
    "I am going to start by listing the files.",
    "Sure! I'm going to implement this.",
    "- I'll proceed to apply the change.",
    "**Next, I will modify the config.**",
    "Ich sehe mir jetzt die Datei an:",
]
ANSWERS = [
    "Done.",
    "6",
    "Hello! How can I help you?",
    "Let me know if you need anything else.",
    "I'll be happy to help.",
    "I will wait for your answer.",
    "I created hello.py. Let me know if I should add tests.",
    "Shall I create it?",
    "I will create it if you like. Is that right?",
    "I checked calc.py; it adds now.",
    "To run it:\n```sh\npython hello.py\n```",
    "Let me check calc.py. It looks right.",
    "You need to run the tests.",
    "The function will create a file.",
    "",
]


@pytest.mark.parametrize("answer", ANNOUNCEMENTS)
def test_an_announcement(answer: str) -> None:
    assert announces_work(answer)


@pytest.mark.parametrize("answer", ANSWERS)
def test_an_answer(answer: str) -> None:
    assert not announces_work(answer)
