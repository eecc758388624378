"""Which files are secret."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from text_agent.files.secrets import IGNORE_FILE, Secrets, has_secret_name, secret_paths

KEY = "-----BEGIN OPENSSH PRIVATE KEY-----\nxyz\n"
CERTIFICATE = "-----BEGIN CERTIFICATE-----\nxyz\n-----END CERTIFICATE-----\n"

SECRET_NAMES = [
    ".env", ".env.local", ".env.production", "a/.env", "a/b/.env.test", ".ENV", ".netrc", "_netrc", ".npmrc",
    "web/.npmrc", ".pypirc", "id_rsa", "keys/id_ed25519", "id_ecdsa_sk", "server.pem", "tls/server.KEY",
    "a.p12", "a.pfx", "a.jks", "a.keystore", "a.ppk", "a.kdbx", ".aws/credentials", "home/.aws/config",
    ".kube/config", ".docker/config.json", ".cargo/credentials.toml", ".azure/accessTokens.json",
    ".config/gcloud/credentials.db", "application_default_credentials.json", "credentials.json",
    "client_secret.json", "my-service-account.json", "service_account_prod.json", ".ssh/config",
    ".ssh/deploy", ".gnupg/secring.gpg", ".git-credentials", ".pgpass", ".my.cnf", ".htpasswd",
    ".config/text-agent/config.env", ".config/gh/hosts.yml", ".config/git/credentials", ".bash_history",
    ".password-store/a/b.gpg", ".env~", "a/.env~",
]  # fmt: skip
OTHER_NAMES = [
    ".env.example", ".env.sample", ".env.template", "a/.env.dist", ".environment", "my.env", "env", ".envrc",
    "id_rsa.pub", ".ssh/known_hosts", ".ssh/id_rsa.pub", "keyboard.py", "pem.py", "a.key.py", "netrc",
    "credentials.py", "account.json", "aws/credentials", "src/kube/config", ".docker/Dockerfile", ".npmrc.md",
    ".config/nvim/init.lua", ".config/git/ignore", ".config/ghostty/config", "bash_history", ".env~x",
]  # fmt: skip


@pytest.mark.parametrize("name", SECRET_NAMES)
def test_secret_names(name: str) -> None:
    assert has_secret_name(name)


@pytest.mark.parametrize("name", SECRET_NAMES)
def test_secret_names_are_left_out_of_listings(project: Path, name: str) -> None:
    folder, _, last = name.rpartition("/")
    paths = ["a.py", f"sub/{name}", name, "b/İ.py"]
    assert Secrets(project).split(paths) == (["a.py", "b/İ.py"], 2)
    assert Secrets(project).split(paths[:3]) == (["a.py"], 2)
    if folder:
        assert Secrets(project).split([last], f"{folder}/") == ([], 1)


@pytest.mark.parametrize("name", OTHER_NAMES)
def test_other_names(name: str) -> None:
    assert not has_secret_name(name)


def test_a_certificate_is_no_secret_and_a_key_is(project: Path) -> None:
    (project / "ca.pem").write_text(CERTIFICATE)
    (project / "tls.pem").write_text(CERTIFICATE + "-----BEGIN PRIVATE KEY-----\n")
    (project / "odd.pem").write_text("who knows")
    (project / "huge.pem").write_text(CERTIFICATE * 50_000)
    secrets = Secrets(project)
    assert not secrets.is_secret(project / "ca.pem")
    assert secrets.is_secret(project / "tls.pem")
    assert secrets.is_secret(project / "odd.pem")
    assert secrets.is_secret(project / "huge.pem")
    assert secrets.split(["ca.pem", "tls.pem"]) == (["ca.pem"], 1)


def test_a_key_is_known_whatever_its_name(project: Path) -> None:
    (project / "deploy").write_text(KEY)
    (project / "doc.md").write_text(f"A key begins with {KEY}")
    secrets = Secrets(project)
    assert secrets.is_secret(project / "deploy")
    assert not secrets.is_secret(project / "doc.md")


def test_a_hard_link_to_a_secret_is_secret(project: Path) -> None:
    (project / ".env").write_text("A=1\n")
    (project / "plain.txt").write_text("x\n")
    os.link(project / ".env", project / "notes.txt")
    os.link(project / "plain.txt", project / "other.txt")
    secrets = Secrets(project)
    assert secrets.is_secret(project / "notes.txt")
    assert not secrets.is_secret(project / "other.txt")


def test_the_ignore_file_is_written_as_gitignore_is(project: Path) -> None:
    (project / IGNORE_FILE).write_text("# mine\n/data/\n*.log\n!keep.log\n[z-a]\n!\n[[:x:]]\n")
    secrets = Secrets(project)
    paths = ["data/a", "src/data/a", "a.log", "src/b.log", "keep.log", "a.py"]
    assert secrets.split(paths) == (["src/data/a", "keep.log", "a.py"], 3)
    assert secrets.split(["a", "b"], "data/") == ([], 2)
    assert secrets.is_secret(project / "data")
    assert secrets.is_secret(project / "data" / "a")


def test_a_changed_ignore_file_counts_at_once(project: Path) -> None:
    secrets = Secrets(project)
    assert not secrets.is_secret(project / "a.log")
    (project / IGNORE_FILE).write_text("*.log\n")
    assert secrets.is_secret(project / "a.log")
    (project / IGNORE_FILE).unlink()
    assert not secrets.is_secret(project / "a.log")


def test_an_ignore_file_that_cannot_be_read_hides_everything(project: Path) -> None:
    (project / IGNORE_FILE).symlink_to(project / IGNORE_FILE)
    assert Secrets(project).split(["a.py"]) == ([], 1)


def test_files_finds_both_kinds(project: Path) -> None:
    (project / "sub").mkdir()
    for name in (".env", "sub/x.log", "sub/a.py", "sub/.netrc"):
        (project / name).write_text("x\n")
    assert {path.name for path in Secrets(project).files(project)} == {".env", ".netrc"}
    (project / IGNORE_FILE).write_text("*.log\n")
    assert {path.name for path in Secrets(project).files(project / "sub")} == {".netrc", "x.log"}


def test_files_finds_all_names_of_a_secret(project: Path) -> None:
    (project / "sub").mkdir()
    for name in (".env", "a.txt"):
        (project / name).write_text("x\n")
    os.link(project / ".env", project / "sub/plain.txt")
    os.link(project / "a.txt", project / "b.txt")
    (project / "dangling.pem").symlink_to("nowhere")
    assert {path.name for path in Secrets(project).files(project)} == {".env", "plain.txt", "dangling.pem"}


def test_secret_paths_leaves_out_other_peoples_code(project: Path) -> None:
    for name in (".env", "node_modules/x/key.pem", ".git/id_rsa", "a/.env.local"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text("x\n")
    assert set(secret_paths(project)) == {project / ".env", project / "a/.env.local"}


def test_what_is_no_file_is_no_secret_by_content(project: Path) -> None:
    os.mkfifo(project / "pipe")
    assert not Secrets(project).is_secret(project / "pipe")
    assert not Secrets(project).is_secret(project / "missing")
    assert Secrets(project).is_secret(project / ".env")
    assert not Secrets(project).is_secret(Path("/etc/hostname"))
