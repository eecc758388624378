"""Which files are secret."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from text_agent.files.secret_names import has_secret_name
from text_agent.files.secrets import IGNORE_FILE, Secrets, secret_paths

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
    "backup.env", "prod.env", "docker/db.env", "PROD.ENV", "prod.env.bak", "prod.env~", ".prod.env.swp",
    ".env.bak", ".envrc", "a/.envrc", ".envrc.local", ".env-prod", ".env_local", ".env.vault",
    ".env.keys", "env.local", "env.production", ".env.example.local", "secrets.yaml", "secrets.yml",
    "secrets.json", "secrets.toml", "secrets.prod.yaml", "app.secrets.json", "prod-secrets.yaml",
    "secrets-prod.yml", "secret.txt", "db_credentials.ini", "credentials.yaml", "credentials.yml.enc",
    "my.creds", "aws_creds.txt", ".secrets", ".credentials", ".streamlit/secrets.toml",
    "config/master.key", "vault.yml", "group_vars/all/vault.yaml", ".vault_pass", ".vault-password.txt",
    "vault_pass.txt", "terraform.tfstate", "terraform.tfstate.backup",
    "terraform.tfstate.1700000000.backup", "prod.tfvars", "terraform.tfvars", "terraform.tfvars.json",
    "kubeconfig", "kubeconfig.yaml", "prod.kubeconfig", "kube-config.yml", "htpasswd",
    "conf/site.htpasswd", "wp-config.php", ".mylogin.cnf", ".smbcredentials", "secrets/db_password",
    "secrets/prod/db.txt", "passwords.csv", "password.txt", "tests/certs/ca.key", "a.ovpn", "a.p8",
    "x.kdb", "id_rsa.bak", "server.key.old", "secrets.env", ".azure/x", "token.json",
    "client_secret_123.apps.googleusercontent.com.json", "my-firebase-adminsdk-abc.json",
    ".mysql_history", ".node_repl_history", "k8s/secret.yaml", "secrets.properties", "Secrets.xcconfig",
    "Secrets.plist", "secrets.production", "local.settings.json", "auth.json", "rclone.conf", ".flaskenv",
    "cookies.txt", "wallet.dat", "api_key.txt", "apikey.txt", "openai-api-key", "prod_api_keys.yaml",
    "private_key.txt", "my-private-key.json", "oauth_token.json", "access-token.txt", ".vaultpass",
    "dev.env.txt", "id_rsa_backup", "old_id_ed25519", "deploy_rsa", "github_deploy_ed25519",
]  # fmt: skip
OTHER_NAMES = [
    ".env.example", ".env.sample", ".env.template", "a/.env.dist", ".environment", "env",
    "id_rsa.pub", ".ssh/known_hosts", ".ssh/id_rsa.pub", "keyboard.py", "pem.py", "a.key.py", "netrc",
    "credentials.py", "account.json", "aws/credentials", "src/kube/config", ".docker/Dockerfile", ".npmrc.md",
    ".config/nvim/init.lua", ".config/git/ignore", ".config/ghostty/config", "bash_history", ".env~x",
    "environment.yaml", "environment.yml", "key.go", "secrets.py", "secrets.ts", "src/secrets.rs",
    "credentials.go", "pkg/secrets/store.go", "src/secrets/README.md", "env.yaml", "env.py",
    "prod.env.js", "environment.prod.ts", "env.d.ts", ".env.example", "example.env", "sample.env",
    "env.example", ".env.dist", ".env.sample", "secrets.example.yaml", "secrets.yaml.example",
    "credentials.sample.json", "terraform.tfvars.example", "example.tfvars", "password-reset.html",
    "passwords.md", "reset-password.json", "tokens.json", "tokenizer.json", "design-tokens.json",
    "package.json", "vault.py", "vault.go", "vault.hcl", "keys.py", "keyboard.json", "monkey.txt",
    "public.txt", "Makefile", "secretary.txt", "credentialed.json", "src/vault/a.txt", "id_rsa.pub",
    "main.tf", "variables.tf", "kubernetes.yaml", "docker-compose.yml", "settings.json", "config.yaml",
    "config.env.ts", "locales/en.json", ".github/workflows/ci.yml", ".envoy", ".environment",
    "envoy.yaml", ".gitignore", ".dockerignore", "a.pub", "key.svg", "secrets.svg", "app/credentials",
    "vault", "history.txt", "api_key.py", "api-keys.md", "api_key.example.txt", "private_key.rs",
    "access-tokens.tsx", "authorization.json", "cookies.py", "monkey_rsa.md", "id_rsa_test.go",
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


KEYS = (
    "AKIA" + "Q3EGVZ7M2KLX5TRD",
    "ghp_" + "a8Kd03mZq1" * 4,
    "github_pat_" + "11ABCDE_x9Z" * 6,
    "xoxb-" + "2048-a9Zk3-q8Lm" * 3,
    "sk-" + "proj-a8Kd03mZq1Lx7-Rt5",
    "sk-ant-api03-" + "Zk3q8Lm-x" * 4,
    "sk_live_" + "4eC39HqLyjWDarjtT1zd",
    "AIza" + "SyD3k9-mQx7L" * 3,
    "glpat-" + "x7Lq-9mZk3-a8Kd03mZ-q",
    "npm_" + "a8Kd03mZq1xR" * 3,
    "hf_" + "a8Kd03mZq1xR" * 3,
)
CONFIGURATIONS = (
    "config.yaml",
    "settings.json",
    "app.toml",
    "my.cnf",
    "deploy.ini",
    "notes.txt",
    "Procfile",
    ".yarnrc.yml",
)


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_a_key_in_a_file_of_settings_makes_it_secret(project: Path, name: str) -> None:
    file, secrets = project / name, Secrets(project)
    for key in KEYS:
        file.write_text(f"# settings\nkey: '{key[:39] if key.startswith('AIza') else key}'\n")
        assert secrets.is_secret(file), key
    for text in (
        '{"type": "service_account", "private_key": "-----BEGIN PRIVATE KEY-----\\nMIIE"}',
        f"users:\n- user:\n    client-key-data: {'LS0tLS1CRUdJTiBSU0E9' * 3}\n",
        f"aws_secret_access_key = {'wJalrXUtnFEMI7K7MDENGbPxRfiCYz9Kq2Lm8Xv4'}\n",
    ):
        file.write_text(text)
        assert secrets.is_secret(file), text
    assert secrets.split([name]) == ([name], 0)


@pytest.mark.parametrize(
    "text",
    [
        "key: AKIAIOSFODNN7EXAMPLE",
        "key: sk-your-key-goes-here-please",
        "key: sk-xxxxxxxxxxxxxxxxxxxxxxxx",
        "class: sk-fading-circle-animated",
        "task-management-for-everybody-12345",
        "key: ghp_" + "x" * 36,
        "hash: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    ],
)
def test_what_only_looks_like_a_key_hides_no_file(project: Path, text: str) -> None:
    (project / "config.yaml").write_text(text)
    assert not Secrets(project).is_secret(project / "config.yaml")


def test_program_text_and_documents_may_speak_of_keys(project: Path) -> None:
    for name in ("test_auth.py", "client.ts", "README.md"):
        (project / name).write_text(f"key = '{KEYS[0]}'\npem = '{KEY}'\n")
        assert not Secrets(project).is_secret(project / name)


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


@given(st.text(st.sampled_from("env.~-_/0159bakold secrets \u0661\u00b2\n")))
def test_any_name_can_be_judged(name: str) -> None:
    assert has_secret_name(name) in (True, False)
    assert has_secret_name(f"a/x{name.replace('/', '')}.env.bak")
