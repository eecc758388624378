"""What a command changes of files that grant power later is taken back, unless a person wants it."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.bubblewrap import need_bubblewrap
from tests.support.command import run_command
from tests.support.scripted_server import ScriptedServer
from tests.support.terminal import Chat
from text_agent.agent.execution import TakenBackError, run_watched
from text_agent.commands.power.watch import PowerChanges
from text_agent.errors import ToolError
from text_agent.files.power_paths import GRANTING, grants_power
from text_agent.permissions.policy import Review
from text_agent.tools.tool import Outcome

# Commands that install programs make these by the hundred.
INSTALLED = "programs that are started by name"
# Of the folder in which git keeps its things, the parts that run something count.
NAMED = {place for kind, places in GRANTING.items() if kind != INSTALLED for place in places.split()} - {
    ".git"
}


def tree(folder: Path) -> Mapping[str, tuple[int, object]]:
    """All that stands in a folder: modes, contents, and where links lead."""
    found: dict[str, tuple[int, object]] = {}
    for path in folder.rglob("*"):
        content = path.readlink() if path.is_symlink() else path.read_bytes() if path.is_file() else None
        found[str(path.relative_to(folder))] = (path.lstat().st_mode, content)
    return found


COMMIT = "git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x"


class Person:
    """Answers always the same, and remembers what was shown.

    Attributes:
        seen: the changes of each question.
    """

    def __init__(self, *, approves: bool = False) -> None:
        self.seen: list[PowerChanges] = []
        self._approves = approves

    def ask(self, changes: PowerChanges) -> Review:
        self.seen.append(changes)
        return Review(approved=self._approves, unattended=not self._approves)


def bash(folder: Path, command: str) -> Outcome:
    run = subprocess.run(["bash", "-ec", command], cwd=folder, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return Outcome(run.stdout)


def watched(folder: Path, command: str, person: Person) -> str:
    try:
        return run_watched(folder, lambda: bash(folder, command), person.ask).text
    except TakenBackError as error:
        return str(error)


@pytest.mark.parametrize("path", [f"{place}/tool" for place in GRANTING[INSTALLED].split()])
def test_installed_programs_are_left_alone(project: Path, path: str) -> None:
    (project / path).parent.mkdir(parents=True)
    watched(project, f"echo x > {path}", Person())
    assert (project / path).read_text() == "x\n"


@pytest.mark.parametrize("path", [".env", *sorted(NAMED), *(f"sub/deep/{place}" for place in sorted(NAMED))])
def test_every_place_is_watched(project: Path, path: str) -> None:
    (project / path).parent.mkdir(parents=True, exist_ok=True)
    (project / "other.txt").write_text("before")
    before = tree(project)
    person = Person()
    text = watched(project, f"echo x > '{path}'; echo done", person)
    assert person.seen[0].paths == (path,)
    assert f"What the command changed in {path} was taken back" in text
    assert text.endswith("done\n")
    assert tree(project) == before
    if path == ".env":
        return
    person = Person()
    watched(project, f"mkdir '{path}'; echo x > '{path}/inner'; echo y > other.txt", person)
    assert person.seen[0].paths == (f"{path}/inner",)
    assert tree(project) == {**before, "other.txt": (before["other.txt"][0], b"y\n")}


@pytest.mark.parametrize(
    "place", [".envrc", ".vscode/tasks.json", ".husky/pre-commit", ".claude/settings.json"]
)
@pytest.mark.parametrize(
    "command",
    [
        "echo more >> {place}",
        "rm {place}",
        "chmod +x {place}",
        "sed -i s/first/second/ {place}",
        "ln -sf ../plain {place}",
        "cp plain {place}",
        "rm {place}; mkdir {place}; echo x > {place}/x",
        "ln {place} other; echo x >> other; rm other",
        "echo x > new; mv new {place}",
        "python3 -c \"import os; os.truncate('{place}', 0)\"",
    ],
)
def test_what_stood_there_comes_back(project: Path, place: str, command: str) -> None:
    (project / place).parent.mkdir(exist_ok=True)
    (project / place).write_text("first\n")
    (project / "plain").write_text("plain\n")
    before, person = tree(project), Person()
    watched(project, command.replace("{place}", place), person)
    assert person.seen
    assert tree(project) == before


@pytest.mark.parametrize(
    ("command", "aside"),
    [
        ("mv plain .envrc", {".envrc": ".envrc.made"}),
        ("ln plain .envrc", {".envrc": ".envrc.made"}),
        ("mv folder .husky", {".husky": ".husky.made"}),
        ("mkdir .vscode; mv plain .vscode/tasks.json", {".vscode/tasks.json": ".vscode/tasks.json.made"}),
        (
            "mv folder .vscode; mv .vscode/hook .vscode/tasks.json",
            {".vscode/tasks.json": ".vscode/tasks.json.made"},
        ),
        ("ln -s plain .envrc", {}),
        ("ln -s folder .husky", {}),
        ("mv folder/hook folder/tasks.json; ln -s folder .vscode", {}),
        ("mv folder/hook folder/config.toml; mkdir sub; ln -s ../folder sub/.cargo", {}),
    ],
)
def test_what_was_moved_there_is_not_lost(project: Path, command: str, aside: Mapping[str, str]) -> None:
    (project / "plain").write_text("mine\n")
    (project / "folder").mkdir()
    (project / "folder/hook").write_text("mine, too\n")
    person = Person()
    text = watched(project, command, person)
    assert person.seen[0].aside == aside
    assert all(f"is called {name} now" in text for name in aside.values())
    texts = [path.read_text() for path in project.rglob("*") if path.is_file()]
    assert {"mine\n", "mine, too\n"} <= set(texts)
    assert not any(
        grants_power(path.relative_to(project).as_posix()) for path in project.rglob("*") if path.is_file()
    )


def test_what_a_link_leads_to_is_watched(project: Path) -> None:
    for name in ("hooks", "editor", "big"):
        (project / name).mkdir()
    (project / ".vscode").symlink_to("editor")
    (project / ".ssh").symlink_to("..")
    (project / ".zed").symlink_to("big")
    (project / "editor/tasks.json").write_text("{}\n")
    (project / "hooks/pre-commit").write_text("echo\n")
    (project / "settings").write_text("{}\n")
    (project / ".husky").symlink_to("hooks")
    (project / ".mcp.json").symlink_to(project / "settings")
    before, person = tree(project), Person()
    watched(project, "echo evil >> hooks/pre-commit; echo evil >> settings; echo x > editor/other", person)
    assert person.seen[0].paths == ("hooks/pre-commit", "settings")
    (project / "editor/other").unlink()
    assert tree(project) == before
    watched(
        project, "rm .vscode; echo evil > editor/tasks.json; echo > big/tasks.json; touch hooks/new", person
    )
    assert person.seen[1].paths == (".vscode", "big/tasks.json", "editor/tasks.json", "hooks/new")
    assert tree(project) == before
    watched(project, "echo x > big/launch; ln -sfn big .vscode", person)
    assert person.seen[2].paths == (".vscode",)
    (project / "big/launch").unlink()
    assert tree(project) == before


GIT_FOLDERS = [
    "git init -q --bare evil",
    "git init -q .; mv .git evil",
    "git init -q sub",
    "mkdir -p evil/objects evil/refs; echo 'ref: refs/heads/x' > evil/HEAD",
    "mkdir evil; echo 'ref: refs/heads/x' > evil/HEAD; echo .. > evil/commondir",
]


@pytest.mark.parametrize("made", GIT_FOLDERS)
@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize(
    "change",
    [
        "printf '[core]\\n fsmonitor = ./x\\n' >> {git}/config",
        "printf '[core] fsmonitor = ./x\\n' > {git}/config",
        "printf '[include]\\n\\tpath = ../x\\n' >> {git}/config",
        "printf '[alias]\\n\\tst = !x\\n' >> {git}/config.worktree",
        "printf '[remote \"a\"]\\n\\turl = ext::sh -c x\\n' >> {git}/config",
        "mkdir -p {git}/hooks; echo x > {git}/hooks/pre-commit",
        "rm -rf {git}/hooks; ln -s ../scripts {git}/hooks",
        "echo ../other > {git}/commondir",
    ],
)
def test_git_folders_are_watched_whatever_they_are_called(
    project: Path, made: str, known: bool, change: str
) -> None:
    git = "sub/.git" if made.endswith("sub") else "evil"
    (project / "scripts").mkdir()
    if known:
        bash(project, made)
    person = Person()
    command = change.replace("{git}", git)
    watched(project, command if known else f"{made}; {command}", person)
    assert person.seen
    assert all(path.startswith(git) for path in person.seen[0].paths)
    for name in ("config", "config.worktree", "commondir"):
        file = project / git / name
        assert not file.exists() or not re.search("fsmonitor|include|alias|ext::|other", file.read_text())
    assert not (project / git / "hooks/pre-commit").exists()
    assert not (project / git / "hooks").is_symlink()


@pytest.mark.parametrize(
    "link",
    [
        "echo 'gitdir: ../evil' > b/.git",
        "echo 'gitdir: /nowhere' > b/.git",
        "echo '../evil' > .git/worktrees/b/commondir",
        "cp -r .git/worktrees/b c; echo 'gitdir: ../c' > b/.git",
        "mkdir d; ln -s ../b/.git d/.git; mv b/.git b/x",
    ],
)
def test_work_trees_lead_nowhere_else(project: Path, link: str) -> None:
    bash(project, f"git init -q .; {COMMIT}; git worktree add -q b; git init -q --bare evil")
    person = Person()
    watched(project, link, person)
    assert person.seen


@pytest.mark.parametrize(
    "command",
    [
        "git init -q .",
        "git init -q --bare x.git; git clone -q x.git y",
        "git init -q .; git config user.name a; git config user.email a@b; {commit}",
        "git init -q .; git remote add origin /nowhere; git config branch.x.remote origin",
        "git init -q .; {commit}; git worktree add -q b",
        "git init -q a; cd a; {commit}; cd ..; git init -q .;"
        " git -c protocol.file.allow=always submodule --quiet add ./a sub",
        "echo x > .env.example; echo x > envrc; mkdir -p src/.envrcs; echo > src/.envrcs/x",
        "mkdir -p node_modules/x/.vscode; echo x > node_modules/x/.vscode/tasks.json",
        "mkdir .github; echo x > .github/CODEOWNERS; mkdir .vscode; echo x > .vscode/cspell.json",
    ],
)
def test_daily_work_is_not_asked_about(project: Path, command: str) -> None:
    person = Person()
    watched(project, command.replace("{commit}", COMMIT), person)
    assert person.seen == []


def test_a_person_may_keep_it(project: Path) -> None:
    (project / "plain").write_text("mine\n")
    (project / ".envrc").write_text("first\n")
    person = Person(approves=True)
    hook = "mkdir .husky; echo x > .husky/pre-commit; chmod +x .husky/*"
    command = f"echo second > .envrc; {hook}; mv plain .npmrc; ln -s a .exrc; echo done"
    assert watched(project, command, person) == "done\n"
    assert "-first\n+second" in person.seen[0].diff
    assert ".exrc: nothing becomes a link to a" in person.seen[0].diff
    assert (project / ".envrc").read_text() == "second\n"
    assert (project / ".husky/pre-commit").stat().st_mode & 0o111
    assert (project / ".npmrc").read_text() == "mine\n"
    assert (project / ".exrc").readlink() == Path("a")
    assert not list(project.glob("*.made"))


def test_a_failure_and_an_interrupt_take_back_too(project: Path) -> None:
    def fail() -> Outcome:
        (project / ".envrc").write_text("x")
        raise ToolError("exit code 3")

    def stop() -> Outcome:
        (project / ".envrc").write_text("x")
        raise KeyboardInterrupt("it was ended.")

    def break_down() -> Outcome:
        (project / ".envrc").write_text("x")
        raise RuntimeError

    with pytest.raises(TakenBackError, match=r"(?s)taken back.*exit code 3"):
        run_watched(project, fail, Person().ask)
    with pytest.raises(ToolError, match="exit code 3"):
        run_watched(project, fail, Person(approves=True).ask)
    (project / ".envrc").unlink()
    with pytest.raises(KeyboardInterrupt, match=r"it was ended\. What the command changed in \.envrc"):
        run_watched(project, stop, Person().ask)
    with pytest.raises(RuntimeError):
        run_watched(project, break_down, Person().ask)
    assert list(project.iterdir()) == []


def test_what_cannot_be_taken_back_is_told(project: Path) -> None:
    (project / ".envrc").write_bytes(b"x" * 11_000_000)
    text = watched(project, "echo y > .envrc", Person())
    assert ".envrc could not be taken back: it was too large to be kept" in text


def test_a_folder_that_is_gone_holds_nothing(project: Path) -> None:
    person = Person()
    assert watched(project, f"rmdir {project}; echo done", person) == "done\n"
    assert person.seen == []


CHANGE = "echo export A=1 > .envrc; mkdir -p .husky; echo evil > .husky/pre-commit; echo ok > plain.txt"
CALL = f"tool: run_command({json.dumps({'command': 'bash x.sh'})})"


@pytest.mark.parametrize("sandbox", ["off", "require"])
def test_a_task_takes_it_back_and_says_so(project: Path, sandbox: str) -> None:
    if sandbox == "require":
        need_bubblewrap()
    (project / "x.sh").write_text(CHANGE)
    with ScriptedServer([CALL, "Done."]) as server:
        flags = server.flags("--yes", "--sandbox", sandbox)
        done = run_command("-p", "go", *flags, cwd=project)
        told = server.requests[1].last
    assert sorted(path.name for path in project.iterdir()) == ["plain.txt", "x.sh"]
    assert done.returncode == 3
    assert "#1 denied: What the command changed in .envrc, .husky/pre-commit was taken back" in done.stderr
    assert "there is no terminal to ask in" in told
    assert "exit code 0" in told


@pytest.mark.parametrize("answer", ["y", "n"])
def test_the_chat_asks_with_the_diff(project: Path, answer: str) -> None:
    (project / "x.sh").write_text(CHANGE)
    with (
        ScriptedServer([CALL, "Done."]) as server,
        Chat(*server.flags("--yes", "--sandbox", "off"), cwd=project, size=(40, 120)) as chat,
    ):
        chat.send("go")
        chat.expect("+export A=1")
        chat.expect("the command changed .envrc, .husky/pre-commit, which may grant power later")
        chat.expect("Apply it all the same? [y]es, [n]o:")
        assert not (project / ".envrc").exists()
        chat.send(answer)
        if answer == "n":
            chat.expect("Why not?")
            chat.send("not this way")
        chat.expect("Done.")
        told = server.requests[1].last
    assert (project / ".envrc").exists() == (answer == "y")
    assert ("The user said no: not this way" in told) == (answer == "n")
