"""Every way out of a real sandbox fails."""

from __future__ import annotations

import os
import shlex
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.support.commands import SECRET, outcome, sandboxed, tree
from tests.support.processes import Mark
from text_agent.files.workspace import Workspace
from text_agent.tools.run_command import CommandHost

OUTSIDE = [
    "echo x > ../outside.txt",
    "echo x > '{home}/outside.txt'",
    "echo x >> '{home}/notes.txt'",
    "rm -f '{home}/notes.txt'",
    "mv '{home}/notes.txt' .",
    "touch /etc/outside.txt",
    "touch /usr/local/outside.txt",
    "touch /var/tmp/outside.txt",
    "ln -s '{home}' link; echo x > link/outside.txt",
    "ln '{home}/notes.txt' hard; echo x >> hard",
    "cd /; cd '{home}'; echo x > outside.txt",
    "cd sub; echo x > ../../outside.txt",
    "echo x > /proc/self/root{home}/outside.txt",
    "echo x > /proc/1/root{home}/outside.txt",
    "echo x > /proc/self/cwd/../outside.txt",
    "chmod 777 '{home}/notes.txt'",
    "mount -o remount,rw / && echo x > '{home}/outside.txt'",
    "mount -o remount,rw,bind '{home}' && echo x > '{home}/outside.txt'",
    "unshare -Urm sh -c \"mount -o remount,rw / && echo x > '{home}/outside.txt'\"",
    "unshare -m sh -c \"mount --bind . '{home}' && echo x > '{home}/outside.txt'\"",
    "nsenter -t 1 -m sh -c \"echo x > '{home}/outside.txt'\"",
    "chroot / sh -c \"echo x > '{home}/outside.txt'\"",
    "mknod disk b 8 0 && cat disk",
    "bash -c 'echo x > {home}/outside.txt' & wait $!",
    "env -i /bin/sh -c 'echo x > {home}/outside.txt'",
    "python3 -c \"open('{home}/outside.txt', 'w').write('x')\"",
    "mkdir -p up/../../x; printf x | tee {home}/outside.txt ../outside.txt",
    "ln -s ../../outside.txt l && tar cf t.tar l && rm l && tar xf t.tar && echo x > l",
    "tar cPf t.tar --transform 's,^,../,' a.txt; tar xPf t.tar",
    "git init -q --separate-git-dir='{home}/repo' r",
    # These write what stands there anyway.
    "now=$(cat /proc/sys/kernel/core_pattern); echo \"$now\" > /proc/sys/kernel/core_pattern",
    "now=$(cat /proc/sys/vm/swappiness); echo \"$now\" > /proc/1/root/proc/sys/vm/swappiness",
    "now=$(cat /sys/kernel/mm/ksm/run); echo \"$now\" > /sys/kernel/mm/ksm/run",
    "echo h > /proc/sysrq-trigger",
]  # fmt: skip


@pytest.mark.parametrize("command", OUTSIDE)
def test_nothing_outside_can_be_changed(host: CommandHost, home: Path, project: Path, command: str) -> None:
    watched = (home, Path("/etc/outside.txt"), Path("/usr/local/outside.txt"))
    before = [tree(path) if path.is_dir() else path.exists() for path in watched]
    result = outcome(host, f"set -e; {command.replace('{home}', str(home))}")
    assert [tree(path) if path.is_dir() else path.exists() for path in watched] == before
    assert not (project.parent / "outside.txt").exists()
    assert not (project.parent / "a.txt").exists()
    assert not Path("/var/tmp/outside.txt").exists()
    assert not result.startswith("exit code 0"), result


MASKED = [
    "cat .env",
    "cat sub/key.pem",
    "cat '{home}/.ssh/id_ed25519'",
    "cat ~/.aws/credentials ~/.netrc",
    "cat '{home}/.config/text-agent/config.env'",
    "cp .env copy; cat copy",
    "ln -s .env other; cat other",
    "ln .env other; cat other",
    "mv .env other; cat other",
    "rm -f .env; cat .env",
    "tar c . | strings",
    "cat /proc/self/root$PWD/.env",
    "cat /proc/1/root$PWD/.env",
    "cat /proc/1/cwd/.env",
    "cat $(find . -name '.e*')",
    "grep -r SECRET . '{home}'",
    "umount .env; cat .env",
    "unshare -Urm sh -c 'umount -l .env; cat .env'",
    "unshare -Urm sh -c 'mount --bind . /tmp; cat /tmp/.env'",
    "python3 -c \"print(open('.env').read())\"",
    "git diff --no-index /dev/null .env",
    "cat < .env",
    "dd if=.env",
    "env; cat /proc/*/environ",
    "strings /proc/*/mem",
]


@pytest.mark.parametrize("command", MASKED)
def test_no_secret_can_be_read(host: CommandHost, home: Path, project: Path, command: str) -> None:
    environment = {**host.environment, "HOME": str(home), "MY_API_KEY": SECRET}
    host = CommandHost(host.workspace, environment=environment, sandbox=host.sandbox)
    assert SECRET not in outcome(host, command.replace("{home}", str(home)))
    assert (project / ".env").read_text() == SECRET
    assert SECRET not in "".join(path.read_text() for path in project.glob("copy"))


@pytest.mark.parametrize(
    "command",
    [
        "echo '[core] fsmonitor = ./owned' >> .git/config",
        "echo 'touch owned' > .git/hooks/pre-commit",
        "rm -rf .git",
        "mv .git old",
        "mv .git old; mkdir .git; touch .git/config",
        "git config core.hooksPath /tmp/x",
    ],
)
def test_the_repository_is_read_only(host: CommandHost, project: Path, command: str) -> None:
    before = tree(project / ".git")
    assert not outcome(host, f"set -e; {command}").startswith("exit code 0")
    assert tree(project / ".git") == before


@pytest.mark.parametrize(
    "command",
    [
        "echo 'touch owned' > sub/.git/hooks/pre-commit",
        "echo '[core] fsmonitor = ./owned' >> deep/er/.git",
        "git -C sub config core.fsmonitor ./owned",
        "rm -rf sub/.git",
        "mv sub/.git sub/old",
        "mv sub moved; echo x > moved/.git/hooks/pre-commit",
        "echo '' > .text-agent-ignore",
        "rm .text-agent-ignore",
        "mv .text-agent-ignore old",
        "echo x > .text-agent/settings",
    ],
)
def test_what_programs_take_code_from_is_read_only_anywhere(
    host: CommandHost, project: Path, command: str
) -> None:
    for folder in ("sub/.git/hooks", "deep/er", ".text-agent"):
        (project / folder).mkdir(parents=True)
    (project / "sub/.git/config").write_text("[core]\n")
    (project / "deep/er/.git").write_text("gitdir: ../../.git\n")
    (project / ".text-agent-ignore").write_text("notes\n")
    before = tree(project)
    assert not outcome(host, f"set -e; {command}").startswith("exit code 0")
    if (project / "moved").exists():
        (project / "moved").rename(project / "sub")
    assert tree(project) == before


@pytest.mark.parametrize(
    ("command", "made"),
    [
        ("git init -q new", "new/.git.made"),
        ("mkdir -p new/.git/hooks; echo 'touch owned' > new/.git/hooks/pre-commit", "new/.git.made"),
        ("mkdir -p x; touch x/.git.made; echo 'gitdir: evil' > x/.git", "x/.git.made2"),
        ("mkdir x; ln -s /tmp/evil x/.git", "x/.git.made"),
        ("mkdir x; mkdir x/.GIT", "x/.GIT.made"),
        ("mkdir .text-agent; exit 3", ".text-agent.made"),
        ("mkdir sub/.git; (setsid sleep 300 &); sleep 300", "sub/.git.made"),
        ("mv sub/inner.git sub/.git", "sub/.git.made"),
    ],
)
def test_no_repository_is_made(host: CommandHost, project: Path, command: str, made: str) -> None:
    (project / "sub/inner.git").mkdir()
    text = outcome(host, command, 1)
    assert f"[it made a repository, which commands must not: it is called {made} now]" in text
    assert os.path.lexists(project / made)
    assert not os.path.lexists((project / made).with_suffix(""))
    assert (project / ".git/config").exists()


def test_a_repository_that_is_moved_is_no_new_one(host: CommandHost, project: Path) -> None:
    (project / "sub/.git").mkdir()
    assert outcome(host, "mv sub moved; ls -d moved/.git") == "exit code 0\nmoved/.git"
    assert (project / "moved/.git").exists()


def test_a_folder_without_a_repository_gets_none(host: CommandHost, project: Path) -> None:
    shutil.rmtree(project / ".git")
    assert "it is called .git.made now" in outcome(host, "git init -q && git status --short | head -1")
    assert not (project / ".git").exists()


@pytest.fixture
def server() -> Iterator[int]:
    """The port of a server on this machine that says hello."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=_serve, args=(listening,), daemon=True).start()
        yield listening.getsockname()[1]


def _serve(listening: socket.socket) -> None:
    try:
        while True:
            connection, _ = listening.accept()
            with connection:
                connection.sendall(b"hello from outside\n")
    except OSError:
        return


CONNECT = "exec 3<>/dev/tcp/127.0.0.1/{port}; cat <&3"


def test_there_is_no_network(host: CommandHost, server: int) -> None:
    assert "hello" not in outcome(host, CONNECT.replace("{port}", str(server)))
    assert "lo" in outcome(host, "cat /proc/net/dev")
    assert outcome(host, "tail -n +3 /proc/net/dev | grep -v lo:").startswith("exit code 1\n(no output)")


def test_there_is_a_network_if_the_user_wants_it(
    workspace: Workspace, home: Path, mark: Mark, server: int
) -> None:
    host = sandboxed(workspace, home, mark, network=True)
    assert outcome(host, CONNECT.replace("{port}", str(server))) == "exit code 0\nhello from outside"
    assert "network" not in outcome(host, "exit 1")


@contextmanager
def server_socket(path: Path, kind: socket.SocketKind = socket.SOCK_STREAM) -> Iterator[None]:
    """A server of this machine, outside of any sandbox, that takes connections or messages at a path."""
    with socket.socket(socket.AF_UNIX, kind) as listening:
        listening.bind(str(path))
        if kind != socket.SOCK_DGRAM:
            listening.listen()
        try:
            yield
        finally:
            path.unlink()


def knock(path: str | Path, kind: str = "SOCK_STREAM") -> str:
    """The command that reaches a socket."""
    program = (
        "import socket, sys; socket.socket(1, getattr(socket, sys.argv[2])).connect(sys.argv[1]); print(1)"
    )
    return shlex.join(["python3", "-c", program, str(path), kind])


@pytest.mark.parametrize("folder", ["/tmp", "/run", "/dev/shm"])
def test_sockets_in_folders_of_the_system_cannot_be_seen(host: CommandHost, folder: str) -> None:
    path = Path(folder, f"text-agent-test-{os.getpid()}")
    if not os.access(folder, os.W_OK):
        pytest.skip(f"{folder} cannot be written here")
    with server_socket(path):
        assert "FileNotFoundError" in outcome(host, knock(path))


@pytest.mark.parametrize("network", [False, True])
@pytest.mark.parametrize("kind", ["SOCK_STREAM", "SOCK_DGRAM", "SOCK_SEQPACKET"])
def test_sockets_of_other_programs_cannot_be_reached(
    workspace: Workspace, home: Path, mark: Mark, network: bool, kind: str
) -> None:
    host = sandboxed(workspace, home, mark, network=network)
    outside = CommandHost(workspace, environment=host.environment)
    (home / "in a link").mkdir()
    (workspace.root / "linked").symlink_to(home / "in a link")
    folders = [
        home,
        home / "in a link",
        workspace.root,
        workspace.root / "sub",
        *map(Path, ("/var/lib", "/opt")),
    ]
    with ExitStack() as stack:
        for folder in filter(lambda folder: os.access(folder, os.W_OK), folders):
            path = folder / f"a 'b\n{os.getpid()}: $\N{EURO SIGN}"
            stack.enter_context(server_socket(path, socket.SocketKind[kind]))
            assert outcome(outside, knock(path, kind)) == "exit code 0\n1"
            assert "ConnectionRefusedError" in outcome(host, knock(path, kind))
        hidden = "\n".join(knock(path, kind) for path in workspace.root.glob("linked/*"))
        assert "ConnectionRefusedError" in outcome(host, hidden)
    assert not list(workspace.root.glob("a *"))


def test_a_socket_whose_server_gave_no_whole_path_cannot_be_reached(
    host: CommandHost, project: Path, mark: Mark
) -> None:
    server = (
        "import socket; s = socket.socket(1); s.bind('named'); s.listen(); print(1, flush=True); s.accept()"
    )
    (project / "sub").mkdir(exist_ok=True)
    argv = [sys.executable, "-c", server]
    with subprocess.Popen(argv, cwd=project / "sub", stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout
            assert process.stdout.readline() == b"1\n"
            assert "ConnectionRefusedError" in outcome(host, knock("sub/named"))
        finally:
            process.kill()


def test_a_commands_own_sockets_can_be_used(host: CommandHost, project: Path) -> None:
    server = "import socket; s = socket.socket(1); s.bind('own'); s.listen(); s.accept()"
    wait = "for i in $(seq 100); do [ -S own ] && break; sleep 0.05; done"
    command = f"{shlex.join(['python3', '-c', server])} & {wait}; sleep 0.1; {knock('own')}"
    assert outcome(host, command) == "exit code 0\n1"


def test_other_processes_are_out_of_reach(host: CommandHost) -> None:
    assert outcome(host, f"kill -9 {os.getpid()}").startswith("exit code 1\n")
    assert outcome(host, "ls -d /proc/[0-9]* | wc -l; kill -9 -1; kill -9 1; kill -9 $PPID").startswith(
        "exit code 137"
    )
    assert outcome(host, "echo still here") == "exit code 0\nstill here"
