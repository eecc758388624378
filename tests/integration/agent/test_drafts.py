"""A small model that sees all of a small project drafts the files that change, before it hears of tools."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.command import run_command, run_here, start_command
from tests.support.scripted_server import ScriptedServer
from tests.support.sessions import only_session

DAYS = "# The days.\nDAYS = ['Mon']\n\n\ndef day(n):\n    return DAYS[n]\n"
NEW = DAYS.replace("'Mon'", "'Mon', 'Tue'")
DRAFT = f"Tue is missing.\n\nweek.py\n```python\n{NEW}```\n\nother.py\n```\nY = 2\n```"


def flags(prompt: str, server: ScriptedServer, *more: str) -> list[str]:
    # In a sandbox the Python of the test run may be out of reach.
    endpoint = server.flags("--small-model", "on", "--sandbox", "off")
    return ["-p", prompt, *endpoint, *([] if "--permission-mode" in more else ["--yes"]), *more]


def task(prompt: str, server: ScriptedServer, project: Path, *more: str) -> subprocess.CompletedProcess[str]:
    return run_here(*flags(prompt, server, *more), cwd=project)


@pytest.fixture
def week(project: Path) -> Path:
    (project / "other.py").write_text("Y = 2\n")
    (project / "week.py").write_text(DAYS)
    return project / "week.py"


def systems(server: ScriptedServer) -> list[str]:
    return [request.body["messages"][0]["content"] for request in server.requests]


def test_the_files_that_change_are_written(week: Path) -> None:
    with ScriptedServer([DRAFT]) as server:
        done = task("day(1) should be 'Tue'. Fix it, and change nothing else.", server, week.parent)
        (system,) = systems(server)
        assert "\n\nother.py\n```\nthe full text" in system
        assert "tool: " not in system
    assert (done.returncode, done.stdout) == (0, "Tue is missing.\n")
    assert week.read_text() == NEW


def test_words_that_announce_a_draft_are_no_announcement(week: Path) -> None:
    with ScriptedServer([f"Now I will write the updated file:\n\nweek.py\n```\n{NEW}```"]) as server:
        done = task("Add Tue.", server, week.parent)
    assert (done.returncode, done.stdout) == (0, "Now I will write the updated file:\n")


def test_a_draft_without_words_says_what_was_written(project: Path) -> None:
    with ScriptedServer(["**a.py**\n```\nX = 1\n```"]) as server:
        done = task("Create a.py with X = 1.", server, project)
        assert "\n\na.py\n```\n" in systems(server)[0]
    assert done.stdout == "Written: a.py\n"
    assert (project / "a.py").read_text() == "X = 1\n"


def test_a_draft_that_is_refused_is_drafted_again(week: Path) -> None:
    more = "\n\ndef count():\n    return len(DAYS)\n"
    week.write_text(DAYS + more)
    with ScriptedServer([DRAFT.replace("Y = 2", "Y = 3"), f"week.py\n```\n{NEW}{more}```"]) as server:
        done = task("Add Tue.", server, week.parent)
        (message,) = server.requests[1].body["messages"][1:]
        assert "\n\nA first attempt was refused:\n\n" in message["content"]
        assert "would lose count" in message["content"]
        assert "not run: call #1" in message["content"]
        assert message["content"].endswith("\n\nAdd Tue.")
        assert "Tue is missing" not in message["content"]
        assert len(set(systems(server))) == 1
    assert (done.returncode, done.stdout) == (0, "Written: week.py\n")
    assert week.read_text() == NEW + more
    assert (week.parent / "other.py").read_text() == "Y = 2\n"


def test_after_three_drafts_the_tools_are_told(week: Path) -> None:
    broken = f"week.py\n```\n{NEW}(]\n```"
    with ScriptedServer([broken, broken, broken, "I cannot."]) as server:
        done = task("Add Tue.", server, week.parent, "--max-steps", "4")
        assert [system.startswith("You are text-agent") for system in systems(server)] == [False] * 3 + [True]
        assert "repeat the call" not in server.requests[1].last
    assert done.stdout == "I cannot.\n"
    assert week.read_text() == DAYS


def add_tests(week: Path, expected: str) -> None:
    """Tests for the days, and a Python that has pytest."""
    python = week.parent / "venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(f"#!/bin/sh\nexec '{sys.executable}' \"$@\"\n")
    python.chmod(0o755)
    (week.parent / "test_week.py").write_text(
        f"from week import day\n\n\ndef test_day():\n    assert day(1) == {expected!r}\n"
    )


def test_tests_that_exist_are_run_before_a_draft_counts(week: Path) -> None:
    add_tests(week, "Tue")
    with ScriptedServer([DRAFT]) as server:
        done = task("Add Tue.", server, week.parent)
    assert (done.returncode, done.stdout) == (0, "Tue is missing.\n")
    assert "run_command" in done.stderr
    assert not (week.parent / ".pytest_cache").exists()


def test_tests_that_fail_are_shown_to_the_next_draft(week: Path) -> None:
    add_tests(week, "TUE")
    better = f"week.py\n```\n{NEW.replace('Tue', 'TUE')}```"
    with ScriptedServer([DRAFT, better]) as server:
        done = task("Add Tue, and make the tests pass.", server, week.parent)
        (message,) = server.requests[1].body["messages"][1:]
        assert "DAYS = ['Mon', 'Tue']" in message["content"]
        assert "\n\nThe tests fail:\n```\n" in message["content"]
        assert "test_week.py:5: AssertionError: assert 'Tue' == 'TUE'" in message["content"]
        assert "sandbox" not in message["content"]
        assert message["content"].endswith("\n\nAdd Tue, and make the tests pass.")
    assert (done.returncode, done.stdout) == (0, "Written: week.py\n")


def test_a_draft_without_a_change_is_shown_the_tests_that_fail(week: Path) -> None:
    add_tests(week, "Tue")
    with ScriptedServer(["All is well.", DRAFT]) as server:
        done = task("A test fails. Fix it.", server, week.parent)
        assert "IndexError" in server.requests[1].last
    assert (done.returncode, done.stdout) == (0, "Tue is missing.\n")


def test_tests_that_fail_in_the_end_are_told(week: Path) -> None:
    add_tests(week, "TUE")
    edit = 'tool: edit_file({"path": "week.py", "old_str": "Tue", "new_str": "Wed"})'
    with ScriptedServer([DRAFT, "It is done.", edit, "It is done."]) as server:
        done = task("Add Tue.", server, week.parent)
    assert (done.returncode, done.stdout) == (0, "It is done.\n")
    assert "(the project's tests fail)" in done.stderr


@pytest.mark.parametrize("more", [("--permission-mode", "edits"), ("--small-model", "off")])
def test_tests_are_not_run_without_leave_or_for_other_models(week: Path, more: tuple[str, ...]) -> None:
    add_tests(week, "TUE")
    write = f'tool: write_file({{"path": "week.py"}})\n```\n{NEW}```'
    script = [write, "Done."] if "--small-model" in more else [DRAFT]
    with ScriptedServer(script) as server:
        done = task("Add Tue.", server, week.parent, *more)
    assert done.returncode == 0
    assert "run_command" not in done.stderr


def test_tests_that_pass_in_the_end_are_not_told(week: Path) -> None:
    add_tests(week, "TUE")
    edit = 'tool: edit_file({"path": "week.py", "old_str": "Tue", "new_str": "TUE"})'
    own = 'tool: run_command({"command": "venv/bin/python -m pytest -q"})'
    with ScriptedServer([DRAFT, "I cannot say.", edit, own, "It is done."]) as server:
        done = task("Add Tue.", server, week.parent)
    assert (done.returncode, done.stdout) == (0, "It is done.\n")
    assert "(the project's tests fail)" not in done.stderr


def test_a_command_that_was_not_run_is_no_test(week: Path) -> None:
    add_tests(week, "TUE")
    write = f'tool: write_file({{"path": "week.py"}})\n```\n{NEW}```'
    wrong = 'tool: run_command({"cmdx": 3})'
    with ScriptedServer(["I see.", write, wrong, "It is done.", "It is done."]) as server:
        done = task("Add Tue.", server, week.parent)
        assert "The tests fail:" in server.requests[-1].last
    assert "(the project's tests fail)" in done.stderr


def test_what_a_draft_lacks_for_certain_is_added_and_told(week: Path) -> None:
    with ScriptedServer([f"week.py\n```\n{NEW.replace('(n):', '(n)')}```"]) as server:
        done = task("Add Tue.", server, week.parent)
    assert (done.returncode, done.stdout) == (0, "Written: week.py\n")
    assert "(week.py: line 5 was no valid Python, and was mended)" in done.stderr
    assert week.read_text() == NEW


def test_what_could_be_meant_in_two_ways_is_not_added(week: Path) -> None:
    doubtful = NEW.replace("'Mon', 'Tue']", "'Mon', 'Tue + x]")
    with ScriptedServer([f"week.py\n```\n{doubtful}```", DRAFT]) as server:
        task("Add Tue.", server, week.parent)
        assert "would be no valid Python" in server.requests[1].last
    assert week.read_text() == NEW


def test_tests_that_were_run_last_are_no_result_of_a_call(week: Path) -> None:
    add_tests(week, "Tue")
    write = f'tool: write_file({{"path": "week.py"}})\n```\n{NEW}```'
    with ScriptedServer(["I see.", write, "It is done.", "Fine."]) as server:
        run_command(*flags("Add Tue.", server), cwd=week.parent)  # which lets the session go
        session = only_session()
        whole = session.read_bytes()
        session.write_bytes(whole[: whole.rindex(b'{"type": "finished"')])
        assert b'"type": "result"' in session.read_bytes().splitlines()[-1]
        done = task("And now?", server, week.parent, "--continue")
        assert done.returncode == 0, done.stderr
        assert server.requests[-1].last == "And now?"


def test_an_interrupt_of_the_tests_ends_the_turn(week: Path) -> None:
    add_tests(week, "Tue")
    begun = week.parent / "begun"
    (week.parent / "conftest.py").write_text(
        "import time\nif 'Tue' in open('week.py').read():\n    open('begun', 'w')\n    time.sleep(60)\n"
    )
    with ScriptedServer([DRAFT]) as server:
        arguments = flags("Add Tue.", server, "--output", "json")
        with start_command(*arguments, cwd=week.parent, stdout=subprocess.PIPE) as process:
            deadline = time.monotonic() + 50
            while not begun.exists() and time.monotonic() < deadline:
                time.sleep(0.02)
            process.send_signal(signal.SIGINT)
            assert process.stdout is not None
            result = json.loads(process.stdout.read())
    assert (result["status"], result["exit_code"]) == ("interrupted", 130)
    assert [call["status"] for call in result["calls"]] == ["error", "ok", "error"]


def test_a_function_that_is_drafted_alone_takes_the_place_of_the_old_one(week: Path) -> None:
    function = "def day(n):\n    return DAYS[n % len(DAYS)]"
    with ScriptedServer(
        [f"Here is the corrected `day`:\n\n```python\n{function}\n```\nNow it works."]
    ) as server:
        done = task("day(1) should not fail. Fix it.", server, week.parent)
    assert done.stdout == "Here is the corrected `day`:\n\nNow it works.\n"
    assert week.read_text() == DAYS.replace("def day(n):\n    return DAYS[n]", function)


@pytest.mark.parametrize(
    "draft",
    [
        "All is well.",
        f"week.py\n```\n{DAYS}```",
        "week.py\n```\nprint(1)\n```",
        "The changed line in week.py:\n```\nDAYS = ['Mon', 'Tue']\n```",
        f"week.py\n```diff\n{NEW}```",
        "week.py\n```\n# The days.\n```",
        f"week.py\n```\n{NEW}```\nRun it:\n\nweek.py\n```\npython week.py\n```",
        "notes.md\n```markdown\n# Notes\n```\npython week.py\n```\nEnd\n```",
        "This needs Python 3.12:\n```\nimport os\n```",
        f"conftest.py\n```\n{DAYS}```",
        "**1.2**\n```\nPlan\n```",
        "<think>\nweek.py\n```\nx\n```\n</think>Nothing.",
    ],
)
def test_a_draft_that_changes_no_file_for_certain_is_dropped(week: Path, draft: str) -> None:
    with ScriptedServer([draft, "Fine."]) as server:
        done = task("Make the code better.", server, week.parent)
        assert len(server.requests[1].body["messages"]) == 2
    assert (done.returncode, done.stdout) == (0, "Fine.\n")
    assert week.read_text() == DAYS
    assert sorted(path.name for path in week.parent.iterdir()) == ["other.py", "week.py"]


@pytest.mark.parametrize("prefix", ["./", "{}/"])
def test_a_piece_of_a_file_is_none_however_the_file_is_named(week: Path, prefix: str) -> None:
    path = prefix.format(week.parent) + "week.js"
    text = "let a = 1\nlet b = 2\nlet c = 3\nlet d = 4\n"
    (week.parent / "week.js").write_text(text)
    with ScriptedServer([f"{path}\n```\nlet e = 5\n```", "Fine."]) as server:
        task("Make the code better.", server, week.parent)
    assert (week.parent / "week.js").read_text() == text


def test_a_fence_in_a_file_does_not_cut_it(week: Path) -> None:
    text = "a: 1\nb: |\n  ```\n  x\n  ```\nc: 1\n"
    (week.parent / "a.yaml").write_text(text)
    with ScriptedServer([f"a.yaml\n```\n{text}d: 1\n```"]) as server:
        task("Add d.", server, week.parent)
    assert (week.parent / "a.yaml").read_text() == text + "d: 1\n"


def test_a_block_that_a_fence_in_a_file_may_have_ended_is_not_that_file(week: Path) -> None:
    text = "cat <<END\n```\nx\n```\nEND\n"
    (week.parent / "a.sh").write_text(text)
    with ScriptedServer([f"a.sh\n```\n{text.replace('cat', 'tac')}```", "Fine."]) as server:
        task("Use tac.", server, week.parent)
    assert (week.parent / "a.sh").read_text() == text


def test_a_piece_of_a_class_does_not_take_its_place(week: Path) -> None:
    text = "class Week:\n    def first(self):\n        return 1\n\n    def last(self):\n        return 2\n"
    better = text.replace("1", "0")
    (week.parent / "days.py").write_text(text)
    piece = better.partition("\n\n")[0]
    with ScriptedServer(
        [f"```python\n{piece}\n```", f"days.py\n```\n{piece}\n```", f"days.py\n```\n{better}```"]
    ) as server:
        done = task("The first day should be 0.", server, week.parent)
        assert "would lose Week.last, which" in server.requests[1].last
    assert done.stdout == "Written: days.py\n"
    assert (week.parent / "days.py").read_text() == better


@pytest.mark.parametrize("path", ["../out.sh", "/etc/cron.d/out.sh"])
def test_a_draft_does_not_lead_out(week: Path, path: str) -> None:
    with ScriptedServer([f"{path}\n```\ndate\n```", "Fine."]) as server:
        task("Make the code better.", server, week.parent, "--max-steps", "2")
        assert "outside the workspace" in server.requests[1].last
    assert not (week.parent.parent / "out.sh").exists()


def test_a_key_is_not_lost_to_the_mark_that_stands_for_it(
    week: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = "sk-0123456789abcdef"
    monkeypatch.setenv("OPENAI_API_KEY", key)
    old = f"KEY = '{key}'\n{DAYS}"
    week.write_text(old)
    shown = DRAFT.replace("# The days.", "KEY = '[key]'\n# The days.")
    with ScriptedServer([shown]) as server:
        done = task("Add Tue.", server, week.parent)
        assert key not in str([request.body for request in server.requests])
    assert (done.returncode, key in done.stdout + done.stderr) == (0, False)
    assert week.read_text() == old.replace("'Mon'", "'Mon', 'Tue'")


def test_what_is_not_shown_any_more_must_be_read_again(week: Path) -> None:
    long = "".join(f"A{n} = {n}\n" for n in range(680))
    (week.parent / "other.py").write_text(long)
    drafts = f"week.py\n```\n{DAYS}{long[:900]}\n```\n\nbad.py\n```\n(]\n```"
    write = f'tool: write_file({{"path": "other.py"}})\n```\nY = 2\n{long}```'
    with ScriptedServer([drafts, write, "Done."]) as server:
        task("Make the code better.", server, week.parent)
        assert "A500" not in server.requests[1].last
        assert "other.py was not read yet" in server.requests[2].last
    assert (week.parent / "other.py").read_text() == long


def test_what_a_draft_has_written_need_not_be_written_again(week: Path) -> None:
    other = "other.py\n```\nY = 3\n```\n\n"
    broken = f"{other}week.py\n```\n{NEW}(]\n```"
    with ScriptedServer([broken, f"{other}week.py\n```\n{NEW}```"]) as server:
        done = task("Add Tue, and set Y to 3.", server, week.parent)
    assert done.stdout == "Written: week.py\n"
    assert (week.read_text(), (week.parent / "other.py").read_text()) == (NEW, "Y = 3\n")


def test_a_draft_follows_the_notes_of_the_project(week: Path) -> None:
    (week.parent / "AGENTS.md").write_text("Write British English.\n")
    with ScriptedServer([DRAFT]) as server:
        task("Add Tue.", server, week.parent)
        assert "the full text of the file\n```\n\n" in systems(server)[0]
        assert "Write British English." in systems(server)[0]


def test_the_only_reply_counts_even_if_it_is_no_draft(week: Path) -> None:
    with ScriptedServer(["All is well."]) as server:
        done = task("Mend it.", server, week.parent, "--max-steps", "1")
    assert (done.returncode, done.stdout) == (3, "All is well.\n")
    assert "(no file was changed)" in done.stderr


def test_a_draft_may_call_tools(week: Path) -> None:
    with ScriptedServer(['tool: read_file({"path": "week.py"})', "Fine."]) as server:
        task("Mend it.", server, week.parent)
        assert "tool_result(read_file #1 ok)" in server.requests[1].last


@pytest.mark.parametrize(
    ("prompt", "flags"),
    [
        ("Are there seven days?", ()),
        ("Explain how day() works.", ()),
        ("Give an opinion of it, but change nothing.", ()),
        ("Mend it.", ("--small-model", "off")),
        ("Mend it.", ("--project-view", "off")),
    ],
)
def test_questions_and_other_models_get_no_draft(week: Path, prompt: str, flags: tuple[str, ...]) -> None:
    with ScriptedServer(["Two."]) as server:
        task(prompt, server, week.parent, *flags)
        assert systems(server)[0].startswith("You are text-agent")


def test_a_draft_must_be_permitted(week: Path) -> None:
    with ScriptedServer([DRAFT, "Fine."]) as server:
        done = task("Fix it.", server, week.parent, "--permission-mode", "read-only")
    assert done.returncode == 3
    assert week.read_text() == DAYS


def test_an_old_name_that_still_stands_somewhere_is_told(project: Path) -> None:
    (project / "a.py").write_text("OLD = 1\n")
    (project / "b.py").write_text("from a import OLD\nprint(OLD)\n")
    edit = 'tool: edit_file({"path": "b.py", "old_str": "OLD", "new_str": "NEW"})'
    with ScriptedServer(["a.py\n```\nNEW = 1\n```", edit, "All done."]) as server:
        done = task("Rename OLD to NEW.", server, project)
        told = server.requests[1].last
        assert (
            "OLD still stands in:\nb.py:1: from a import OLD\nb.py:2: print(OLD)\n\nUse edit_file on b.py"
            in told
        )
        assert told.endswith("\n\nRename OLD to NEW.")
    assert done.stdout == "All done.\n"
    assert (project / "b.py").read_text() == "from a import NEW\nprint(NEW)\n"
