"""What a request names is run before the first reply of a small model, and once more behind its change."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.support.scripted_provider import ScriptedProvider
from tests.support.surroundings import surroundings_of
from text_agent.agent.agent import Agent
from text_agent.agent.runner import ToolRunner
from text_agent.agent.small_models.evidence import choose_command
from text_agent.agent.small_models.named_commands import named_command
from text_agent.agent.small_models.strategy import SmallModelHelp
from text_agent.cli.headless import Unattended
from text_agent.config.limits import EVIDENCE_MAX_CHARS
from text_agent.config.permission_mode import PermissionMode
from text_agent.config.settings import Settings
from text_agent.events import Event, Notice, ToolStarted, TurnFinished
from text_agent.files.workspace import Workspace
from text_agent.permissions.policy import PermissionPolicy
from text_agent.protocol.prompt import render_system_prompt
from text_agent.tools.registry import default_tools
from text_agent.tools.run_command import CommandHost

PYTEST = "-m pytest -q --tb=short -p no:cacheprovider"
CODE = "def half(number):\n    return number // 3\n"
TEST = "from shop import half\n\n\ndef test_half():\n    assert half(4) == 2\n"
MENDED = 'tool: edit_file("shop.py", "return number // 3", "return number // 2")\n'


@pytest.fixture
def workspace(project: Path) -> Workspace:
    """A project that is too large to be shown whole."""
    for number in range(40):
        (project / f"part{number}.py").write_text(f"def do_{number}(x):\n    return x + {number}\n")
    (project / ".venv/bin").mkdir(parents=True)
    (project / ".venv/bin/python").symlink_to(sys.executable)
    (project / "shop.py").write_text(CODE)
    (project / "app.py").write_text("import shop\nprint(shop.half(4))\nraise SystemExit(shop.half(4) != 2)\n")
    (project / "Makefile").write_text("all:\n\ntest:\n\tpython3 app.py\n")
    (project / "tests").mkdir()
    (project / "tests/conftest.py").write_text(
        "import sys\nsys.path.insert(0, '.')\nsys.dont_write_bytecode = True\n"
    )
    (project / "tests/test_shop.py").write_text(TEST)
    (project / "tests/test_box.py").write_text("class TestBox:\n    def test_open(self):\n        pass\n")
    (project / "tests/run.sh").touch(0o755)
    return Workspace(project)


@dataclass
class Session:
    """A turn of a small model with scripted replies."""

    workspace: Workspace
    replies: Sequence[str]
    mode: PermissionMode = "all"
    events: list[Event] = field(default_factory=list)

    def run(self, request: str) -> TurnFinished:
        self.provider = ScriptedProvider(list(self.replies))
        # The plugins of this suite would take longer than the tests.
        environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        host = CommandHost(self.workspace, environment=environment)
        tools = default_tools(self.workspace, host, edits=SmallModelHelp.edit_policy)
        policy = PermissionPolicy(surroundings_of(self.workspace.root), self.mode)
        agent = Agent(
            self.provider,
            ToolRunner(tools, self.workspace, policy, Unattended()),
            render_system_prompt(tools.values(), ""),
            Settings("openai", project_view=True, unattended=True),
            self.events.append,
            lambda loop: SmallModelHelp(loop, "", unattended=True),
        )
        return agent.run_turn(request)

    @property
    def first_message(self) -> str:
        return self.provider.requests[0].messages[0].content

    @property
    def own_commands(self) -> list[str]:
        return [
            each.call.arguments["command"]
            for each in self.events
            if isinstance(each, ToolStarted) and each.is_own
        ]


@pytest.mark.parametrize(
    ("request_text", "command"),
    [
        ("tests/test_shop.py::test_half fails.", f".venv/bin/python {PYTEST} tests/test_shop.py::test_half"),
        ("Make test_shop.py pass", f".venv/bin/python {PYTEST} tests/test_shop.py"),
        ("Why does `test_open` fail?", f".venv/bin/python {PYTEST} tests/test_box.py::TestBox::test_open"),
        ("test_half of test_shop.py fails", f".venv/bin/python {PYTEST} tests/test_shop.py::test_half"),
        ("/ci/job/tests/test_box.py:3: in x", f".venv/bin/python {PYTEST} tests/test_box.py"),
        ("When I run python app.py, it prints 1.", "python app.py"),
        ("`python3 app.py --all 'a b'` prints 1", "python3 app.py --all 'a b'"),
        ("After make test, it says 1.", "make test"),
        ("`make all` does nothing", ""),
        ("npm test fails", ""),
        ("python other.py fails", ""),
        ("`python app.py | rm shop.py`", ""),
        ("`rm shop.py` removes it", ""),
        ("`tests/run.sh` is wrong", ""),
        ("`tests/run.sh all` is wrong", ""),
        ("`./tests/run.sh` and `./shop.py` are wrong", "./tests/run.sh"),
        ("`./shop.py` is wrong", ""),
        ("test_missing and tests/test_missing.py fail, and node missing.js", ""),
        ("shop.py halves wrongly", ""),
    ],
)
def test_what_exists_of_what_is_named(workspace: Workspace, request_text: str, command: str) -> None:
    assert named_command(workspace, request_text) == command


@pytest.mark.parametrize(
    ("write", "request_text", "command"),
    [
        (
            lambda root: (root / "package.json").write_text('{"scripts": {"test": "x"}}'),
            "npm test",
            "npm test",
        ),
        (lambda root: (root / "package.json").write_text("[]"), "npm test fails", ""),
        (lambda root: (root / "go.mod").touch(), "go test", ""),
        (lambda root: (root / "Cargo.toml").write_text("[package]"), "cargo test fails", "cargo test"),
    ],
)
def test_a_target_is_run_where_the_project_has_it(
    workspace: Workspace, write: Callable[[Path], object], request_text: str, command: str
) -> None:
    write(workspace.root)
    assert named_command(workspace, request_text) == command


def test_a_change_that_mends_the_named_test_is_done(workspace: Workspace) -> None:
    session = Session(workspace, [MENDED, "Mended."])
    finished = session.run("tests/test_shop.py::test_half fails. Fix the code.")
    message = session.first_message
    assert "ends with exit code 1:\n" in message
    assert "assert half(4) == 2" in message.rpartition("exit code 1")[2]
    assert "tests/test_shop.py:4 function test_half" in message
    assert "def half(number):\n    return number // 3" in message
    assert len(message) < 3 * 3_000
    assert (finished.status, finished.unfulfilled) == ("answered", False)
    named, tests = session.own_commands[:2]
    assert session.own_commands == [named, tests, named, tests]


@pytest.mark.parametrize(
    ("request_text", "told"),
    [
        ("tests/test_shop.py::test_half fails. Fix the code.", 0),
        ("Let half() round down.", 0),
        ("The tests fail. Fix the code.", 2),
    ],
)
def test_what_failed_before_is_held_against_no_change(
    workspace: Workspace, request_text: str, told: int
) -> None:
    test = workspace.root / "tests/test_box.py"
    test.write_text(test.read_text().replace("pass", "assert False"))
    session = Session(workspace, [MENDED, *["Mended."] * 3])
    finished = session.run(request_text)
    notices = [each.text for each in session.events if isinstance(each, Notice)]
    assert any("fail before the change" in each for each in notices) is (not told)
    assert any("the project's tests fail" in each for each in notices) is bool(told)
    assert not finished.unfulfilled
    assert len(session.provider.requests) >= 2 + bool(told)


def test_a_test_that_a_change_breaks_is_told(workspace: Workspace) -> None:
    test = workspace.root / "tests/test_box.py"
    test.write_text(f"{test.read_text()}\n\ndef test_three():\n    assert False\n")
    broken = 'tool: edit_file("shop.py", "return number // 3", "return number // 0")\n'
    (workspace.root / "tests/test_shop.py").write_text(
        "from shop import half\n\n\ndef test_x():\n    half(1)\n"
    )
    session = Session(workspace, [broken, *["Changed."] * 3])
    session.run("Let half() divide by another number.")
    told = session.provider.requests[2].messages[-1].content
    assert "FAILED tests/test_shop.py::test_x - ZeroDivisionError" in told
    assert "test_three" not in told


def test_a_change_that_leaves_it_failing_is_not_done(workspace: Workspace) -> None:
    wrong = 'tool: edit_file("shop.py", "return number // 3", "return number // 5")\n'
    session = Session(workspace, [wrong, *["Mended."] * 9])
    finished = session.run("tests/test_shop.py::test_half fails. Fix the code.")
    assert finished.unfulfilled
    assert [each for each in session.events if isinstance(each, Notice) and "still fails" in each.text]


def test_the_failing_test_stays_although_it_is_named(workspace: Workspace) -> None:
    weaker = 'tool: edit_file("tests/test_shop.py", "assert half(4) == 2", "assert half(4) == 1")\n'
    session = Session(workspace, [weaker, "Done.", "Done.", "Done."])
    session.run("test_half in tests/test_shop.py fails. Fix it.")
    assert (workspace.root / "tests/test_shop.py").read_text() == TEST


def test_without_leave_nothing_is_run(workspace: Workspace) -> None:
    session = Session(workspace, ["Because of shop.py."] * 3, mode="ask")
    session.run("Why does tests/test_shop.py::test_half fail?")
    assert session.own_commands == []
    assert "exit code" not in session.first_message


def test_what_cannot_be_run_is_no_evidence(workspace: Workspace) -> None:
    session = Session(workspace, ["No idea."] * 3)
    session.run("Why does tests/test_shop.py::test_gone fail?")
    assert "exit code" not in session.first_message


def test_a_long_output_is_shown_by_its_end(workspace: Workspace) -> None:
    (workspace.root / "app.py").write_text("for n in range(2000): print('line', n)\n1 / 0\n")
    session = Session(workspace, ["It divides by zero."] * 3)
    session.run("Why does `.venv/bin/python app.py` fail?")
    shown = session.first_message.rpartition("ends with exit code 1:\n")[2]
    assert shown.startswith("```\n[...]\n")
    assert "ZeroDivisionError" in shown
    assert len(shown) < EVIDENCE_MAX_CHARS + 100


def test_finding_what_to_run_is_quick(workspace: Workspace) -> None:
    for number in range(500):
        (workspace.root / f"tests/test_{number}.py").write_text(f"def test_{number}():\n    pass\n" * 20)
    policy = PermissionPolicy(surroundings_of(workspace.root), "all")
    tools = default_tools(workspace, CommandHost(workspace))
    runner = ToolRunner(tools, workspace, policy, Unattended())
    request = "test_half fails, in test_shop.py; see `python app.py`."
    assert min(_seconds(lambda: choose_command(runner, request)) for _ in range(3)) < 0.2


def _seconds(run: Callable[[], str]) -> float:
    before = time.perf_counter()
    assert run()
    return time.perf_counter() - before
