"""A model that does not come on ends its turn, and nothing claims that the work was done."""

from __future__ import annotations

from itertools import cycle, islice
from pathlib import Path

from tests.support.scripted_server import ScriptedServer
from tests.support.turns import setting

EDIT = 'tool: edit_file({"path": "a.py", "old_str": "no such line", "new_str": "x"})'
TEST = 'tool: run_command({"command": "echo 1 failed; exit 1"})'
READ = 'All tests pass now.\ntool: read_file({"path": "a.py"})'


def test_a_circle_of_three_calls_ends_with_exit_code_3(project: Path) -> None:
    (project / "a.py").write_text("one\n")
    with ScriptedServer(islice(cycle([EDIT, TEST, READ]), 12), strict=False) as server:
        outcome = setting(project, server, "openai").turn("fix it")
        assert len(server.requests) <= 8
    assert (outcome.code, outcome.stdout) == (3, "")
    assert "stopped: no progress: the model repeats the same call" in outcome.stderr
