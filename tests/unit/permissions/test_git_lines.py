"""Reading git commands run no program of the user's or the repository's, with a real git."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.support.surroundings import surroundings_of
from text_agent.files.secrets import Secrets
from text_agent.permissions.command_lines.assessment import assess
from text_agent.permissions.command_lines.git import hardened
from text_agent.permissions.command_lines.system import look_around

LINES = [
    "git status", "git status -s", "git diff", "git diff --stat", "git diff HEAD", "git log -p -1",
    "git log --oneline",
    "git show", "git show HEAD:a.txt", "git blame a.txt", "git grep x", "git stash list", "git stash show",
    "git ls-files -m", "git describe --always", "git diff-index HEAD", "git diff-files -p",
    "git branch -vv",
    "git --no-pager diff", "git cat-file -p HEAD:a.txt", "git shortlog -s HEAD", "git reflog",
]  # fmt: skip


def git(folder: Path, *words: str) -> None:
    identity = ("-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "core.hooksPath=/dev/null")
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(project: Path) -> Path:
    """A repository whose settings start a program wherever git lets them, which leaves a file `ran`."""
    git(project, "init", "-q", "-b", "main")
    (project / "a.txt").write_text("one\n")
    (project / ".gitattributes").write_text("*.txt diff=evil\n")
    git(project, "add", ".")
    git(project, "commit", "-qm", "first")
    (project / "a.txt").write_text("two\n")
    git(project, "stash")
    (project / "a.txt").write_text("three\n")
    evil = project.parent / "evil"
    evil.write_text(f'#!/bin/sh\ntouch "{project.parent}/ran"\n')
    evil.chmod(0o755)
    for name in (
        "core.fsmonitor", "core.pager", "pager.log", "pager.diff", "diff.external", "diff.evil.command",
        "diff.evil.textconv", "core.editor", "core.askPass",
    ):  # fmt: skip
        git(project, "config", name, str(evil))
    hooks = project / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    for name in (
        "post-index-change",
        "pre-commit",
        "post-checkout",
        "reference-transaction",
        "fsmonitor-watchman",
    ):
        (hooks / name).write_text(evil.read_text())
        (hooks / name).chmod(0o755)
    return project


@pytest.mark.parametrize("line", LINES)
def test_nothing_else_runs(repository: Path, line: str) -> None:
    around = look_around(repository, Secrets(repository), os.environ)
    assert assess(line, around).kind == "reads"
    os.utime(repository / "a.txt")
    subprocess.run(["sh", "-c", hardened(line)], cwd=repository, check=True, capture_output=True)
    assert not (repository.parent / "ran").exists()


@pytest.mark.parametrize("line", ["git diff", "git status", "git log -p -1"])
def test_without_it_they_would(repository: Path, line: str) -> None:
    subprocess.run(["sh", "-c", line], cwd=repository, check=False, capture_output=True)
    assert (repository.parent / "ran").exists()


@pytest.mark.parametrize(
    "line",
    ["ls", "git commit -m x", "git diff | cat", "git -c a=b diff", "echo git diff", "git 'unclosed", "git"],
)
def test_other_lines_stay_as_they_are(line: str) -> None:
    assert hardened(line) == line


def test_the_words_of_the_user_stay() -> None:
    assert hardened("git  log   --format='%h  %s' -- src/*.py").endswith(" --format='%h  %s' -- src/*.py")
    assert hardened("git stash show 'stash@{0}'").endswith(" --submodule=short 'stash@{0}'")


def test_a_filter_asks(repository: Path) -> None:
    git(repository, "config", "filter.evil.clean", "evil")
    around = look_around(repository, Secrets(repository), os.environ)
    assert assess("git status", around).kind == "other"
    assert "filter.evil.clean" in assess("git status", around).reason


def test_secrets_that_git_tracks(repository: Path) -> None:
    around = look_around(repository, Secrets(repository), os.environ)
    assert assess("git diff", around).kind == "reads"
    (repository / ".env").write_text("A=1\n")
    assert assess("git diff", around).kind == "reads"
    git(repository, "add", "-f", ".env")
    assert assess("git diff", around).kind == "secret"


def test_a_git_that_cannot_tell(project: Path) -> None:
    missing = project / "missing"
    assert look_around(missing, Secrets(missing), os.environ).git_settings() is None
    assert look_around(project, Secrets(project), {"PATH": "/nowhere"}).git_settings() is None
    around = look_around(project, Secrets(project), {"PATH": "/usr/bin:/bin", "GIT_CONFIG_COUNT": "x"})
    assert assess("git status", around).kind == "other"


def test_an_embedded_bare_repository_is_not_used(project: Path) -> None:
    """A folder that is laid out like a repository brings its own settings; git would take them."""
    for name in ("objects", "refs"):
        (project / name).mkdir()
    (project / "HEAD").write_text("ref: refs/heads/main\n")
    evil = project.parent / "evil"
    evil.write_text(f'#!/bin/sh\ntouch "{project.parent}/ran"\n')
    evil.chmod(0o755)
    (project / "config").write_text(
        f"[core]\nrepositoryformatversion = 0\nbare = false\nworktree = {project}\nfsmonitor = {evil}\n"
    )
    done = subprocess.run(["sh", "-c", hardened("git status")], cwd=project, check=False, capture_output=True)
    assert done.returncode != 0
    assert not (project.parent / "ran").exists()


LOSING = [
    "echo x > {}", "echo x >| {}", ": > {}", "> {}", "cat /dev/null > {}", "ls &> {}", "rm {}", "rm -f ./{}",
    "unlink {}", "rm -rf s*", "truncate -s 0 {}", "echo x | tee {}", "cp b.txt {}", "cp -f b.txt {}",
    "mv b.txt {}", "install b.txt {}", "ls | sponge {}", "f={}; echo x > $f", "for f in {}; do rm $f; done",
    "sh -c 'echo x > {}'", "cp b.txt s*/a.txt", "cd sub; ls > a.txt", "cd sub; ls > ../{}",
    "python -c \"open('{}', 'w')\"", "python -c \"import os; os.remove('{}')\"", "perl -e 'unlink \"{}\"'",
    "node -e \"require('fs').writeFileSync('{}', '')\"", "ls | xargs cat > {}",
    "python3 x.py > {}", "find . > {}", "sort b.txt -o {}", "curl -o {} x", "wget -O {} x",
    "gcc --output={} b.c",
    "ln -sf b.txt {}", "cp x/a.txt .", "cp x/a.txt sub", "mv x/a.txt sub/", "awk '{{print > \"{}\"}}' b.txt",
    "find s* -type f -delete", "env -i sh -c '> {}'", "git show HEAD:b.txt > {}",
    "mv {} ..", "mv b.txt {} /tmp", "mv ./{} ../c.txt", "mv s* /srv/", "mv -f {} ~/",
]  # fmt: skip


@pytest.fixture
def saved(project: Path) -> Path:
    """A repository with one commit, and a folder that it ignores."""
    git(project, "init", "-q", "-b", "main")
    for name in ("a.txt", "b.txt", "sub/a.txt"):
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text("one\n")
    (project / ".gitignore").write_text("build/\n")
    git(project, "add", ".")
    git(project, "commit", "-qm", "first")
    return project


def age(path: Path) -> None:
    """Makes a file one that was there before the session began."""
    os.utime(path, (1, 1))


UNPACKING = [
    "tar xf x.tar", "tar -xzf x.tgz", "tar x < x.tar", "tar --extract --file x.tar", "tar xf x.tar -C sub",
    "bsdtar -xf x.zip -C sub/", "tar xf x.tar --directory=sub", "curl https://a.bc/x | tar xz", "unzip x.zip",
    "unzip -o x.zip -d sub", "7z x x.7z", "7z x -osub x.7z", "cpio -id < x.cpio", "pax -r < x.pax",
]  # fmt: skip


@pytest.mark.parametrize("line", UNPACKING)
def test_what_is_unpacked_loses_nothing_unasked(saved: Path, line: str) -> None:
    around = look_around(saved, Secrets(saved), os.environ)
    assert assess(line, around).kind == "other"
    (saved / "sub/a.txt").write_text("two\n")
    assert assess(line, around).kind == "danger"


@pytest.mark.parametrize(
    "line", ["tar tf x.tar", "tar cf x.tar src", "unzip -l x.zip", "7z l x.7z", "tar xf x.tar -C new"]
)
def test_what_unpacks_nothing_here_loses_nothing(saved: Path, line: str) -> None:
    (saved / "sub/a.txt").write_text("two\n")
    assert assess(line, look_around(saved, Secrets(saved), os.environ)).kind == "other"


@pytest.mark.parametrize("program", ["rm", "unlink", "truncate -s 0", "truncate --size=0"])
@pytest.mark.parametrize(
    "line",
    [
        "{} a.txt", "find . -type f -exec {} {{}} +", "ls | xargs {}", "{} *", 'for f in *; do {} "$f"; done',
        "{} ${{X:-a.txt}}", "X=a.txt; {} $X",
    ],
)  # fmt: skip
def test_what_deletes_or_empties_is_the_same(saved: Path, program: str, line: str) -> None:
    (saved / "a.txt").write_text("two\n")
    assert assess(line.format(program), look_around(saved, Secrets(saved), os.environ)).kind == "danger"


@pytest.mark.parametrize("line", LOSING)
def test_what_no_commit_holds_is_not_lost_unasked(saved: Path, line: str) -> None:
    target = "a.txt" if "{}" in line or line.endswith(" .") else "sub/a.txt"
    line = line.format(target)
    around = look_around(saved, Secrets(saved), os.environ)
    assert assess(line, around).kind == "other"
    (saved / target).write_text("two\n")
    assert assess(line, around).kind == "danger"


@pytest.mark.parametrize(
    "line",
    [
        "echo x >> a.txt",
        "tee -a a.txt",
        "sed -i s/a/b/ a.txt",
        "mv a.txt c.txt",
        "mv a.txt sub/c.txt",
        "mv b.txt ..",
        "cp a.txt c.txt",
        "touch a.txt",
    ],
)
def test_what_stays_is_not_lost(saved: Path, line: str) -> None:
    (saved / "a.txt").write_text("two\n")
    assert assess(line, look_around(saved, Secrets(saved), os.environ)).kind == "other"


def test_a_new_file_is_kept_unless_it_is_the_sessions_own(saved: Path) -> None:
    (saved / "build").mkdir()
    for name in ("old.txt", "build/old.txt"):
        (saved / name).write_text("x\n")
        age(saved / name)
    around = look_around(saved, Secrets(saved), os.environ)
    (saved / "new.txt").write_text("x\n")
    os.utime(saved / "new.txt", (2**32, 2**32))
    assert assess("rm old.txt", around).kind == "danger"
    assert assess("ls > old.txt", around).kind == "danger"
    assert assess("rm build/old.txt", around).kind == "other"
    assert assess("rm -rf build", around).kind == "other"
    assert assess("rm new.txt", around).kind == "other"
    (saved / "b.txt").write_text("")
    assert assess("rm b.txt", around).kind == "other"
    below = look_around(saved / "sub", Secrets(saved / "sub"), os.environ)
    (saved / "sub/a.txt").write_text("two\n")
    assert assess("ls > a.txt", below).kind == "danger"


def test_without_a_repository_nobody_can_say_what_is_kept(project: Path) -> None:
    (project / "a.txt").write_text("one\n")
    assert assess("ls > a.txt", look_around(project, Secrets(project), os.environ)).kind == "other"
    (project / ".git").write_text("gitdir: nowhere")
    assert assess("ls > a.txt", look_around(project, Secrets(project), os.environ)).kind == "danger"


@pytest.mark.parametrize(
    ("value", "kind"),
    [("log -1", "other"), ("reset --hard", "danger"), ("!rm -rf /", "danger"), ("!ls", "other")],
)
def test_an_alias_is_what_it_stands_for(project: Path, value: str, kind: str) -> None:
    around = surroundings_of(project, settings={"alias.nuke": [value]})
    assert assess("git nuke", around).kind == kind
    assert assess("git -C . Nuke", around).kind == kind


def test_a_search_obeys_no_file_that_names_hidden_files(project: Path) -> None:
    assert hardened("rg -n KEY") == "rg --no-config --glob='!.*' -n KEY"
    assert hardened("rg --hidden KEY").startswith("rg --no-config")
