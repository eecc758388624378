"""What the runner asks before it runs a call, and what it says when it does not."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.support.surroundings import surroundings_of
from text_agent.agent.answers import Answer
from text_agent.agent.runner import ToolRunner
from text_agent.cli.headless import Unattended
from text_agent.config.permission_mode import PermissionMode
from text_agent.files.secrets import IGNORE_FILE
from text_agent.files.workspace import Workspace
from text_agent.permissions.policy import Approver, PermissionPolicy, Review, ReviewRequest
from text_agent.protocol.types import ToolCall
from text_agent.text.masking import MASK, Masker
from text_agent.tools.registry import default_tools

KEY = "sk-0123456789abcdef"
YES = Review(approved=True)
ALWAYS = Review(approved=True, for_session=True)
NO = Review(approved=False, reason="no")


class Person:
    """Gives its answers in turn, and remembers what was asked."""

    def __init__(self, *answers: Review) -> None:
        self.asked: list[ReviewRequest] = []
        self._answers = list(answers)

    def review(self, request: ReviewRequest) -> Review:
        self.asked.append(request)
        return self._answers.pop(0)


def answers(
    project: Path,
    approver: Approver,
    calls: Sequence[tuple[str, dict[str, Any]]],
    mode: PermissionMode = "all",
) -> list[Answer]:
    workspace = Workspace(project)
    policy = PermissionPolicy(surroundings_of(project), mode)
    runner = ToolRunner(default_tools(workspace), workspace, policy, approver, mask=Masker([KEY]))
    return [
        answer
        for number, call in enumerate(calls, 1)
        for answer in runner.answer([ToolCall(*call)], f"reply {number}", number)
    ]


READ_ENV = ("read_file", {"path": ".env"})


def test_a_secret_file_is_read_after_a_yes_each_time(project: Path) -> None:
    (project / ".env").write_text("A=1\n")
    person = Person(YES, NO)
    first, second = answers(project, person, [READ_ENV, READ_ENV])
    assert first.result.text == "1| A=1"
    assert (second.result.status, second.result.text.splitlines()[0]) == ("denied", "The user said no: no")
    assert [(request.cause, request.effect, request.reason) for request in person.asked] == [
        ("secret", "read", ".env may hold secrets")
    ] * 2


def test_a_yes_for_the_session_is_for_every_tool(project: Path) -> None:
    (project / "server.pem").write_text("one\n")
    person = Person(ALWAYS)
    edit = ("edit_file", {"path": "server.pem", "old_str": "one", "new_str": "two"})
    first, second = answers(project, person, [("read_file", {"path": "server.pem"}), edit])
    assert (first.result.status, second.result.status) == ("ok", "ok")
    assert len(person.asked) == 1


def test_an_edit_of_a_secret_file_asks_for_the_reading_and_for_the_change(project: Path) -> None:
    (project / ".env").write_text("A=1\n")
    person = Person(YES, YES)
    (answer,) = answers(
        project, person, [("edit_file", {"path": ".env", "old_str": "A=1", "new_str": "A=2"})]
    )
    assert answer.result.status == "ok"
    assert [(request.cause, request.effect) for request in person.asked] == [
        ("secret", "read"),
        ("power", "write"),
    ]
    assert person.asked[0].diff == ""
    assert "+A=2" in person.asked[1].diff


def test_a_new_secret_file_holds_nothing_yet(project: Path) -> None:
    (answer,) = answers(project, Person(), [("write_file", {"path": "web/.env", "content": "A=1\n"})])
    assert answer.result.status == "ok"


def test_an_approved_place_is_shown_whole(project: Path) -> None:
    (project / "private").mkdir()
    (project / "private/notes.txt").write_text("needle\n")
    (project / IGNORE_FILE).write_text("/private/\n")
    calls = [
        ("list_files", {"path": "private"}),
        ("search", {"pattern": "needle", "path": "private"}),
        ("search", {"pattern": "needle"}),
    ]
    listed, found, elsewhere = answers(project, Person(YES, YES), calls)
    assert listed.result.text == "private/notes.txt"
    assert found.result.text == "private/notes.txt:1: needle"
    assert elsewhere.result.text.startswith("0 matches")


def test_a_mode_that_only_reads_says_so(project: Path) -> None:
    calls = [("write_file", {"path": "a.txt", "content": "x"}), ("run_command", {"command": "touch a"})]
    written, run = answers(project, Person(), calls, "read-only")
    for answer in (written, run):
        assert (answer.result.status, answer.refusal, answer.unattended) == ("denied", "denied", True)
        assert "lets you only read" in answer.result.text
    assert list(project.iterdir()) == []


@pytest.mark.parametrize(
    ("call", "says", "says_not"),
    [
        (("run_command", {"command": "touch a"}), "--yes", "--allow-secrets"),
        (("run_command", {"command": "sudo ls"}), "always needs the user's own yes", "--yes"),
        (("write_file", {"path": ".git/config", "content": "x"}), "may grant power later", "--yes"),
        (READ_ENV, "--allow-secrets", "--yes"),
        (("run_command", {"command": "cat .env"}), "--allow-secrets", "--yes"),
    ],
)
def test_where_nobody_can_be_asked_the_flag_is_named_if_one_helps(
    project: Path, call: tuple[str, dict[str, Any]], says: str, says_not: str
) -> None:
    (project / ".env").write_text("A=1\n")
    (answer,) = answers(project, Unattended(), [call], "ask")
    assert answer.unattended
    assert says in answer.result.text
    assert says_not not in answer.result.text


def test_keys_are_masked_in_results_diffs_and_questions(project: Path) -> None:
    (project / "a.txt").write_text(f"key = {KEY}\n")
    person = Person(YES, YES)
    calls = [
        ("read_file", {"path": "a.txt"}),
        ("edit_file", {"path": "a.txt", "old_str": "key =", "new_str": "the key ="}),
        ("run_command", {"command": f"echo {KEY} > b.txt"}),
    ]
    read, edited, run = answers(project, person, calls, "ask")
    assert read.result.text == f"1| key = {MASK}"
    assert KEY not in repr([read, edited, run])
    assert KEY not in repr(person.asked)
    assert f"+the key = {MASK}" in person.asked[0].diff
    assert person.asked[1].command == f"echo {MASK} > b.txt"
    assert (project / "a.txt").read_text() == f"the key = {KEY}\n"
    assert (project / "b.txt").read_text() == f"{KEY}\n"


def test_a_change_that_is_applied_without_a_question_shows_no_key(project: Path) -> None:
    (project / "a.txt").write_text(f"key = {KEY}\n")
    calls = [("edit_file", {"path": "a.txt", "old_str": "key =", "new_str": "the key ="})]
    (answer,) = answers(project, Person(), calls)
    assert f"+the key = {MASK}" in getattr(answer.result.change, "diff", "")


def test_a_command_that_is_approved_once_is_asked_about_again(project: Path) -> None:
    call = ("run_command", {"command": "touch a"})
    person = Person(YES, NO)
    answers(project, person, [call, call], "ask")
    assert [request.command for request in person.asked] == ["touch a", "touch a"]
