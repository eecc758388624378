"""A rewrite that loses what nobody asked to remove needs a person's word, whatever else is allowed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.surroundings import surroundings_of
from text_agent.agent.answers import Answer
from text_agent.agent.runner import ToolRunner
from text_agent.cli.headless import Unattended
from text_agent.files.workspace import Workspace
from text_agent.permissions.policy import Approver, PermissionPolicy, Review, ReviewRequest
from text_agent.protocol.types import ToolCall
from text_agent.tools.registry import default_tools

BEFORE = "def f(): ...\n\ndef g(): ...\n"
AFTER = "def g(): ...\n"


class Person:
    """Gives the same answer always, and remembers what was asked."""

    def __init__(self, review: Review) -> None:
        self.asked: list[ReviewRequest] = []
        self._review = review

    def review(self, request: ReviewRequest) -> Review:
        self.asked.append(request)
        return self._review


@pytest.fixture
def file(project: Path) -> Path:
    path = project / "a.py"
    path.write_text(BEFORE)
    return path


def rewrite(
    file: Path, approver: Approver, *, request: str = "Add a comment.", times: int = 1
) -> list[Answer]:
    workspace = Workspace(file.parent)
    runner = ToolRunner(
        default_tools(workspace), workspace, PermissionPolicy(surroundings_of(file.parent), "all"), approver
    )
    runner.begin_turn(request)
    list(runner.answer([ToolCall("read_file", {"path": "a.py"})], "", 1))
    call = ToolCall("write_file", {"path": "a.py", "content": AFTER})
    return [answer for _ in range(times) for answer in runner.answer([call], "", 2)]


def test_the_user_is_asked_even_if_everything_is_allowed(file: Path) -> None:
    person = Person(Review(approved=True, for_session=True))
    assert [answer.result.status for answer in rewrite(file, person)] == ["ok"]
    assert [request.loses for request in person.asked] == [("f",)]
    assert "-def f(): ..." in person.asked[0].diff
    assert file.read_text() == AFTER


def test_the_user_says_no(file: Path) -> None:
    (answer,) = rewrite(file, Person(Review(approved=False, reason="keep f")))
    assert answer.result.status == "denied"
    assert "keep f" in answer.result.text
    assert file.read_text() == BEFORE


def test_without_a_terminal_it_stays_refused_however_often(file: Path) -> None:
    answers = rewrite(file, Unattended(), times=2)
    assert [answer.result.status for answer in answers] == ["error", "error"]
    assert "a.py would lose f, which the user has not asked for; a.py is unchanged." in answers[0].result.text
    assert not any(answer.unattended for answer in answers)
    assert file.read_text() == BEFORE


def test_what_was_asked_for_is_not_asked_again(file: Path) -> None:
    person = Person(Review(approved=False))
    assert [answer.result.status for answer in rewrite(file, person, request="Remove f.")] == ["ok"]
    assert person.asked == []
