"""What is offered behind `/` and `@`."""

from __future__ import annotations

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from text_agent.terminal.input.completer import ChatCompleter
from text_agent.terminal.slash.slash_commands import SlashCommand

PATHS = ["README.md", "src/parser.py", "src/deep/parse_tree.py", "tests/test_parser.py", "two words.md"]
COMMANDS = {
    "/plan": SlashCommand("shows the plan", lambda _chat, _argument: ""),
    "/protocol": SlashCommand("counts", lambda _chat, _argument: "", choices=("all", "last", "last-one")),
    "/model": SlashCommand("takes another", lambda _chat, _argument: "", takes_model=True),
    "/exit": SlashCommand("leaves", lambda _chat, _argument: None),
}


def offers(text: str) -> list[str]:
    completer = ChatCompleter(lambda: COMMANDS, lambda: PATHS)
    found = completer.get_completions(Document(text), CompleteEvent())
    return [text[: len(text) + each.start_position] + each.text for each in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/p", ["/plan", "/protocol"]),
        ("/PL", ["/plan"]),
        ("/plan x", []),
        ("/protocol ", ["/protocol all", "/protocol last", "/protocol last-one"]),
        ("/PROTOCOL LAST-", ["/PROTOCOL last-one"]),
        ("/none x", []),
        ("say /p", []),
        ("@pars", ["@tests/test_parser.py", "@src/parser.py", "@src/deep/parse_tree.py"]),
        ("see (@READ", ["see (@README.md"]),
        ("@src/", ["@src/", "@src/deep/", "@src/parser.py", "@src/deep/parse_tree.py"]),
        ("@words", ['@"two words.md"']),
        ('x @"two w', ['x @"two words.md"']),
        ("me@READ", []),
        ("@none", []),
    ],
)
def test_offers(text: str, expected: list[str]) -> None:
    assert sorted(offers(text)) == sorted(expected)
    assert ChatCompleter.applies(Document(text)) == text.startswith(("/", "@", "see", "x"))


def test_the_likeliest_comes_first() -> None:
    assert offers("@parse")[0] == "@src/parser.py"
    assert offers("@src/d")[0] == "@src/deep/"


def test_files_are_listed_once_for_a_message() -> None:
    asked = []

    def list_paths() -> list[str]:
        asked.append(1)
        return PATHS

    completer = ChatCompleter(dict, list_paths)
    for text in ("@a", "@ab"):
        list(completer.get_completions(Document(text), CompleteEvent()))
    assert len(asked) == 1
    completer.forget()
    list(completer.get_completions(Document("@a"), CompleteEvent()))
    assert len(asked) == 2


def test_not_too_much_is_offered() -> None:
    many = ChatCompleter(dict, lambda: [f"file{number}" for number in range(1000)])
    assert len(list(many.get_completions(Document("@f"), CompleteEvent()))) == 50


def test_models_are_listed_once_and_completed_behind_their_command() -> None:
    asked: list[int] = []

    def models() -> list[str]:
        asked.append(1)
        return ["Qwen/Qwen2.5-7B", "qwen2.5-coder:1.5b", "llama3"]

    completer = ChatCompleter(lambda: COMMANDS, lambda: [], models)
    for typed, offered in [
        ("/model qwen", 2),
        ("/model qwen2.5-coder:1", 1),
        ("/model x", 0),
        ("/help q", 0),
    ]:
        assert len(list(completer.get_completions(Document(typed), CompleteEvent()))) == offered
    assert len(asked) == 1
