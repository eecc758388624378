"""Commands in a real sandbox: what must work does, and every way out fails."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.bubblewrap import need_bubblewrap
from tests.support.processes import Mark
from text_agent.errors import ConfigError, ToolError
from text_agent.files.scratch import ScratchFolder
from text_agent.sandbox import Bubblewrap, Confinement, Seatbelt, find_sandbox, home_secrets
from text_agent.tools.run_command import CommandHost, run_command
from text_agent.workspace import Workspace

SECRET = "TOP-SECRET-VALUE"


@pytest.fixture
def mark() -> Iterator[Mark]:
    """Fails a test that leaves a process behind."""
    made = Mark()
    yield made
    assert made.wait_until_none_runs() == []


@pytest.fixture
def base() -> Iterator[Path]:
    """A folder that is not in `/tmp`, of which a sandbox has its own."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        yield Path(folder)


@pytest.fixture
def project(base: Path) -> Path:
    folder = base / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def home(base: Path) -> Path:
    """A home folder with keys in it."""
    folder = base / "home"
    for name in (".ssh/id_ed25519", ".aws/credentials", ".config/text-agent/config.env", ".netrc"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(SECRET)
    (folder / "notes.txt").write_text("harmless")
    return folder


@pytest.fixture
def workspace(project: Path, tmp_path: Path) -> Workspace:
    (project / ".env").write_text(SECRET)
    (project / "sub").mkdir()
    (project / "sub" / "key.pem").write_text(f"-----BEGIN PRIVATE KEY-----\n{SECRET}\n")
    (project / "a.txt").write_text("alpha\n")
    (project / ".git" / "hooks").mkdir(parents=True)
    (project / ".git" / "config").write_text("[core]\n")
    return Workspace(project, ScratchFolder(tmp_path / "cache"))


def confine(workspace: Workspace, home: Path, *, network: bool = False) -> Confinement:
    hidden = home_secrets(home, [home / ".config" / "text-agent"])
    return Confinement(
        workspace.root,
        workspace.scratch,
        lambda: [*hidden, *workspace.secrets.files(workspace.root)],
        network,
    )


def sandboxed(workspace: Workspace, home: Path, mark: Mark, *, network: bool = False) -> CommandHost:
    need_bubblewrap()
    sandbox, _ = find_sandbox("require", confine(workspace, home, network=network))
    return CommandHost(workspace, environment=mark.environment, sandbox=sandbox)


@pytest.fixture
def host(workspace: Workspace, home: Path, mark: Mark) -> CommandHost:
    return sandboxed(workspace, home, mark)


def run(host: CommandHost, command: str, timeout: int = 20) -> str:
    """The result's text, whatever the exit code."""
    try:
        return run_command(host, command, timeout)
    except ToolError as error:
        return str(error)


def test_the_workspace_can_be_worked_in(host: CommandHost, project: Path) -> None:
    assert (
        run(host, "cat a.txt; echo beta > b.txt; mkdir c; mv b.txt c/; pwd")
        == f"exit code 0\nalpha\n{project}"
    )
    assert (project / "c" / "b.txt").read_text() == "beta\n"
    assert run(host, "python3 -c 'print(6*7)'; id -u").startswith(f"exit code 0\n42\n{os.getuid()}")


def test_a_failure_says_that_it_was_in_a_sandbox(host: CommandHost) -> None:
    text = run(host, "echo out; exit 3")
    assert text.startswith("exit code 3\nout\n[it ran in a sandbox: no network, only the workspace")


def test_the_temporary_folder_is_the_sessions_own(host: CommandHost) -> None:
    outside = Path("/tmp") / f"outside-{os.getpid()}"
    outside.write_text(SECRET)
    try:
        assert SECRET not in run(host, f"cat {outside}; echo kept > /tmp/mine; mktemp")
        assert run(host, "cat /tmp/mine") == "exit code 0\nkept"
        assert not Path("/tmp/mine").exists()
    finally:
        outside.unlink()


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


def tree(folder: Path) -> dict[str, tuple[int, bytes]]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path): (path.stat().st_mode, path.read_bytes()) for path in files}


@pytest.mark.parametrize("command", OUTSIDE)
def test_nothing_outside_can_be_changed(host: CommandHost, home: Path, project: Path, command: str) -> None:
    watched = (home, Path("/etc/outside.txt"), Path("/usr/local/outside.txt"))
    before = [tree(path) if path.is_dir() else path.exists() for path in watched]
    result = run(host, f"set -e; {command.replace('{home}', str(home))}")
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
    assert SECRET not in run(host, command.replace("{home}", str(home)))
    assert (project / ".env").read_text() == SECRET
    assert SECRET not in "".join(path.read_text() for path in project.glob("copy"))


def test_without_a_sandbox_all_that_would_be_there(host: CommandHost, home: Path) -> None:
    outside = CommandHost(host.workspace, environment=host.environment)
    files = f".env sub/key.pem '{home}/.ssh/id_ed25519' '{home}/.config/text-agent/config.env'"
    assert run(outside, f"cat {files}").count(SECRET) == 4


def test_other_files_of_the_home_folder_can_be_read(host: CommandHost, home: Path) -> None:
    assert run(host, f"cat '{home}/notes.txt'") == "exit code 0\nharmless"


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
    assert not run(host, f"set -e; {command}").startswith("exit code 0")
    assert tree(project / ".git") == before


def test_git_can_look_at_the_repository(host: CommandHost, project: Path) -> None:
    shutil.rmtree(project / ".git")
    outside = CommandHost(host.workspace, environment=host.environment)
    run_command(
        outside, "git init -q && git add a.txt && git -c user.name=a -c user.email=a@b commit -qm one"
    )
    run_command(outside, "echo more >> a.txt")
    assert "M a.txt" in run(host, "git status --short")
    assert "+more" in run(host, "git diff")
    assert "one" in run(host, "git log --oneline")


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
    assert "hello" not in run(host, CONNECT.replace("{port}", str(server)))
    assert "lo" in run(host, "cat /proc/net/dev")
    assert run(host, "tail -n +3 /proc/net/dev | grep -v lo:").startswith("exit code 1\n(no output)")


def test_there_is_a_network_if_the_user_wants_it(
    workspace: Workspace, home: Path, mark: Mark, server: int
) -> None:
    host = sandboxed(workspace, home, mark, network=True)
    assert run(host, CONNECT.replace("{port}", str(server))) == "exit code 0\nhello from outside"
    assert "network" not in run(host, "exit 1")


def test_a_server_and_its_client_in_one_command(host: CommandHost) -> None:
    command = (
        "python3 -m http.server 8765 --bind 127.0.0.1 >/dev/null 2>&1 & "
        "for i in $(seq 50); do (echo > /dev/tcp/127.0.0.1/8765) 2>/dev/null && break; sleep 0.1; done; "
        "python3 -c \"import urllib.request as r; print(r.urlopen('http://127.0.0.1:8765/a.txt').read())\""
    )
    assert run(host, command) == "exit code 0\nb'alpha\\n'"


@pytest.mark.parametrize("folder", ["/tmp", "/run"])
def test_sockets_of_other_programs_cannot_be_reached(host: CommandHost, folder: str) -> None:
    path = f"{folder}/text-agent-test-{os.getpid()}"
    if not os.access(folder, os.W_OK):
        pytest.skip(f"{folder} cannot be written here")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        listening.listen()
        try:
            connect = f"import socket; socket.socket(socket.AF_UNIX).connect('{path}')"
            assert "FileNotFoundError" in run(host, f'python3 -c "{connect}"')
        finally:
            Path(path).unlink()


def test_other_processes_are_out_of_reach(host: CommandHost) -> None:
    assert run(host, f"kill -9 {os.getpid()}").startswith("exit code 1\n")
    assert run(host, "ls -d /proc/[0-9]* | wc -l; kill -9 -1; kill -9 1; kill -9 $PPID").startswith(
        "exit code 137"
    )
    assert run(host, "echo still here") == "exit code 0\nstill here"


@pytest.mark.parametrize(
    "command",
    [
        "sleep 300",
        "trap '' TERM; sleep 300; sleep 300",
        "setsid sh -c 'trap \"\" TERM HUP; sleep 300' & sleep 300",
        "env -i setsid sleep 300 & sleep 300",
    ],
)
def test_a_time_out_ends_everything(host: CommandHost, mark: Mark, command: str) -> None:
    assert run(host, f"echo before; {command}", 1).startswith("ended after 1 seconds")
    assert mark.wait_until_none_runs() == []


def test_nothing_runs_on_afterwards(host: CommandHost) -> None:
    assert run(host, "(setsid sleep 300 &); echo done") == "exit code 0\ndone"


def test_a_workspace_in_a_hidden_folder(tmp_path: Path, home: Path, mark: Mark) -> None:
    inside = home / ".config" / "text-agent" / "project"
    inside.mkdir()
    host = sandboxed(Workspace(inside, ScratchFolder(tmp_path / "cache")), home, mark)
    assert SECRET not in run(host, "echo x > made; cat ../config.env")
    assert (inside / "made").read_text() == "x\n"


def test_the_root_folder_as_workspace_hides_its_secrets_too(tmp_path: Path, home: Path, mark: Mark) -> None:
    workspace = Workspace(Path("/"), ScratchFolder(tmp_path / "cache"))
    hidden = home_secrets(home, [])
    sandbox = Bubblewrap("bwrap", Confinement(Path("/"), workspace.scratch, lambda: hidden))
    argv = sandbox.argv(["true"])
    root, keys = argv.index("--bind"), argv.index(str(home / ".ssh"))
    assert argv[root : root + 3] == ["--bind", "/", "/"]
    assert root < argv.index("--dev") < argv.index("--proc") < keys


def test_a_secret_link_hides_what_it_leads_to(host: CommandHost, project: Path, home: Path) -> None:
    (home / "real").write_text(SECRET)
    (project / ".env").unlink()
    (project / ".env").symlink_to(home / "real")
    assert SECRET not in run(host, f"cat .env '{home}/real'")


def test_names_with_odd_characters_are_hidden_too(host: CommandHost, project: Path) -> None:
    odd = project / "a 'b\" $(x)\n"
    odd.mkdir()
    (odd / ".env").write_text(SECRET)
    assert SECRET not in run(host, "cat */.env")


def confinement(folder: Path) -> Confinement:
    (folder / ".env").touch()
    return Confinement(folder, ScratchFolder(folder / "cache"), lambda: [folder / ".env", folder / "none"])


def test_a_machine_without_a_sandbox(tmp_path: Path) -> None:
    def nothing(_: str) -> None:
        return None

    for platform, words in (
        ("linux", "bwrap is missing"),
        ("darwin", "sandbox-exec"),
        ("win32", "this system"),
    ):
        sandbox, problem = find_sandbox("auto", confinement(tmp_path), platform=platform, which=nothing)
        assert sandbox is None
        assert words in problem
        assert find_sandbox("off", confinement(tmp_path), platform=platform, which=nothing) == (None, "")
        with pytest.raises(ConfigError, match=words):
            find_sandbox("require", confinement(tmp_path), platform=platform, which=nothing)


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("echo 'bwrap: No permissions to create new namespace' >&2; exit 1", "No permissions to create"),
        (None, "cannot be started"),
    ],
)
def test_a_bubblewrap_that_does_not_work(tmp_path: Path, script: str | None, words: str) -> None:
    program = tmp_path / "bwrap"
    program.write_text(f"#!/bin/sh\n{script}\n" if script else "no program")
    program.chmod(0o755)
    sandbox, problem = find_sandbox(
        "auto", confinement(tmp_path), platform="linux", which=lambda _: str(program)
    )
    assert sandbox is None
    assert words in problem


def test_the_profile_for_macos(tmp_path: Path) -> None:
    sandbox, _ = find_sandbox(
        "auto", confinement(tmp_path), platform="darwin", which=lambda _: "/usr/bin/sandbox-exec"
    )
    assert isinstance(sandbox, Seatbelt)
    argv = sandbox.argv(["sh", "-c", "ls"])
    assert (argv[:2], argv[3:]) == (["/usr/bin/sandbox-exec", "-p"], ["sh", "-c", "ls"])
    rules = argv[2].splitlines()
    assert rules.index("(deny file-write*)") < rules.index(f'(allow file-write* (subpath "{tmp_path}"))')
    assert f'(deny file-write* (subpath "{tmp_path}/.git"))' in rules
    assert f'(deny file* (subpath "{tmp_path}/.env"))' in rules
    assert not any("none" in rule for rule in rules)
    assert rules[-1] == "(deny network*)"
    assert "untested" in sandbox.name
    assert sandbox.environment["TMPDIR"] == str(
        tmp_path / "cache" / sandbox.confinement.scratch.path.name / "tmp"
    )
    assert "network" in sandbox.limits
