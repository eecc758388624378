"""Properties of the reader of command lines, and of what is taken for harmless."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.support.command_lines import DANGER, LONGER, READS
from tests.support.surroundings import surroundings_of
from text_agent.permissions.command_lines.assessment import assess
from text_agent.permissions.command_lines.git import hardened
from text_agent.permissions.command_lines.lines import parse_line
from text_agent.permissions.command_lines.words import UnreadableLineError

ADDITIONS = [
    ";", "&", "&&", "||", "|", "|&", ">", ">>", "<", "<<", "<<<", ">&", "&>", "<>", ">|", "2>", "\n", "\r",
    "\t\n",
    "$(id)", "`id`", "$x", "${x}", "$((1))", "<(id)", ">(id)", "$'x'", '$"x"', "(", ")", "{a,b}", "\\\n",
    "; id",
    "&& id", "| id", "|| id", "& id", "> x", ">> x", "2>&1", "< x", "$(", "`", "'", '"', "\x00", "\u202e",
]  # fmt: skip
PIECES = [
    "cat", "ls", "grep", " ", " ", "a", "-n", "--", "'", '"', "\\", "$", "`", "(", ")", "{", "}", ";", "&",
    "|", "<",
    ">", "#", "*", "?", "[", "]", "~", "=", "!", "^", "%", ",", "\n", "\t", "$(", "${", "$((", "<<", "EOF",
    "x=1",
    "/", "..", "é", "\u00a0", "\x1b", "b c",
]  # fmt: skip
hostile_line = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name).resolve()


@given(line=st.sampled_from(READS), addition=st.sampled_from(ADDITIONS), data=st.data())
@settings(max_examples=1500)
def test_an_addition_between_words_never_goes_unasked(
    folder: Path, line: str, addition: str, data: st.DataObject
) -> None:
    ends = [word.end for word in parse_line(line).commands[0].words]
    at = data.draw(st.sampled_from([0, *ends]))
    before, after = data.draw(st.sampled_from(["", " "])), data.draw(st.sampled_from(["", " "]))
    changed = f"{line[:at]}{before}{addition}{after}{line[at:]}"
    assert assess(changed, surroundings_of(folder)).kind != "reads", changed


@given(line=st.sampled_from(DANGER), other=st.sampled_from(["true", "ls -l", "x=1", "echo 'a b'"]))
@settings(max_examples=300)
def test_nothing_around_a_danger_hides_it(folder: Path, line: str, other: str) -> None:
    around = surroundings_of(folder)
    if assess(line, around).kind != "danger":  # it needs the files of the table's own workspace
        return
    for hidden in (
        f"{other}; {line}", f"{other} && {line}", f"{other} | {line}", f"{line} | cat", f"({line})",
        f"{other} & {line} &", f"if {other}; then {line}; fi", f"{{ {line}; }}", f"echo $({line})",
        f'echo "$({line})"',
        f"{other}\n{line}", f"cat <({line})", f"{line} > log 2>&1", f"time {line}",
    ):  # fmt: skip
        assert assess(hidden, around).kind == "danger", hidden


@given(hostile_line)
@settings(max_examples=1000)
def test_any_text_gets_a_decision(folder: Path, line: str) -> None:
    assessment = assess(line, surroundings_of(folder))
    assert bool(assessment.reason) == (assessment.kind != "reads")
    assert hardened(line) == line


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
@given(hostile_line)
@example("cat a\\")
@example("grep '$(a)' \"b\\$c\"")
@settings(max_examples=250)
def test_a_harmless_line_runs_one_program_with_the_words_that_were_read(line: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        bin_folder, root = folder / "bin", folder / "root"
        bin_folder.mkdir()
        root.mkdir()
        (root / "a").touch()
        for program in ("cat", "ls", "grep"):
            script = (
                f'#!/bin/sh\nprintf "%s\\0" {program} "$@" >> {folder}/log\nprintf "\\n" >> {folder}/log\n'
            )
            (bin_folder / program).write_text(script)
            (bin_folder / program).chmod(0o755)
        around = surroundings_of(root)
        if assess(line, around).kind != "reads":
            return
        for shell in ("bash", "sh"):
            (folder / "log").write_bytes(b"")
            environment = {"PATH": f"{bin_folder}:/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
            subprocess.run(
                [shell, "-c", line], cwd=root, env=environment, stdin=subprocess.DEVNULL, check=True
            )
            ran = os.fsdecode((folder / "log").read_bytes())
            words = [
                text for word in parse_line(line).commands[0].words for text in [*around.expand(word)][-1:]
            ]
            assert ran == "".join(f"{text}\0" for text in words) + "\n"
            assert sorted(path.name for path in root.iterdir()) == ["a"]


@given(st.text(alphabet=st.sampled_from("ab 'c\"\\$`(){}<>|&;\n#=*[]~é"), max_size=30))
@settings(max_examples=1000)
def test_what_is_read_is_read_by_the_shell(text: str) -> None:
    """A line that a shell calls broken may be unreadable; whole ones are cut into the same first word."""
    try:
        line = parse_line(text)
    except UnreadableLineError:
        return
    assert all(word.end <= len(text) + 1 for command in line.commands for word in command.words)


def test_longer_lines_never_read() -> None:
    assert "reads" not in LONGER.values()
