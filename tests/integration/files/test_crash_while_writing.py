"""A process that is killed in the middle of a write leaves the old file or the new one."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

WRITER = """
import sys
from pathlib import Path
from text_agent.tools.write_file import write_file
from text_agent.files.workspace import Workspace
workspace = Workspace(Path(sys.argv[1]))
for number in range(200):
    print(number, flush=True)
    workspace.apply(write_file(workspace, "a.txt", f"{number}\\n" * 20_000))
"""


def test_no_half_written_file_after_a_kill(project: Path) -> None:
    chance = random.Random(4)
    seen = set()
    for _ in range(8):
        (project / "a.txt").unlink(missing_ok=True)
        process = subprocess.Popen([sys.executable, "-c", WRITER, str(project)], stdout=subprocess.PIPE)
        assert process.stdout is not None
        with process:
            for _ in range(chance.randint(1, 6)):
                process.stdout.readline()
            time.sleep(chance.uniform(0.0, 0.02))
            process.kill()
        if (project / "a.txt").exists():
            lines = (project / "a.txt").read_text().split("\n")
            assert len(lines) == 20_001
            assert len(set(lines[:-1])) == 1
            seen.add(lines[0])
    assert len(seen) > 1, "the kills came at different moments"
