"""Secret files are neither shown to the model by themselves, nor read without the user's yes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command import run_here
from tests.support.scripted_server import ScriptedServer

MARK = "Zq8Lm2Xv7Rt4-not-for-a-model"
BY_NAME = (
    "backup.env", "prod.env", ".envrc", "secrets.yaml", "secrets.prod.json", "prod-credentials.ini",
    "app.tfvars", "terraform.tfstate", "kubeconfig", ".htpasswd", "secrets/db_password", "passwords.txt",
    "prod.env.bak", "a.ovpn", "tests/certs/ca.key", ".pgpass", "vault.yml", "wp-config.php",
)  # fmt: skip
BY_CONTENT = {
    "config.yaml": f"key: ghp_{'a8Kd03mZq1' * 4}\nother: {MARK}\n",
    "gcp.json": f'{{"private_key": "-----BEGIN PRIVATE KEY-----\\nMIIE", "other": "{MARK}"}}\n',
    "deploy": f"-----BEGIN OPENSSH PRIVATE KEY-----\n{MARK}\n",
}
PUBLIC = {"secrets.py": "def load(): ...\n", "example.env": "PASSWORD=\n", "environment.yaml": "name: x\n"}


def call(name: str, **arguments: object) -> str:
    return f"tool: {name}({json.dumps(arguments)})"


def put(project: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text)


@pytest.mark.parametrize("small", ["on", "off"])
def test_no_secret_is_in_the_first_request(project: Path, small: str) -> None:
    put(project, {name: f"password: {MARK}\n" for name in BY_NAME} | BY_CONTENT | PUBLIC)
    with ScriptedServer(["Done."] * 9, strict=False) as server:
        flags = ("--base-url", server.openai_url, "--model", "scripted-model", "--small-model", small)
        run_here("-p", "Say what is in this project.", *flags, cwd=project)
        sent = str(server.requests[0].messages)
    assert MARK not in sent
    assert not [name for name in BY_NAME if f"{name}\n" in sent or f"\\n{name}\\n" in sent]
    assert all(name in sent for name in PUBLIC)


@pytest.mark.parametrize("name", [*BY_NAME, *BY_CONTENT])
def test_no_secret_is_read_listed_or_found_unasked(project: Path, name: str) -> None:
    text = f"password: {MARK}\n" if name in BY_NAME else BY_CONTENT[name]
    put(project, {name: text, "a.txt": "alpha\n"})
    calls = [call("list_files"), call("read_file", path=name), call("search", pattern="not-for"), "Done."]
    with ScriptedServer(calls) as server:
        flags = ("--base-url", server.openai_url, "--model", "scripted-model", "--yes")
        run_here("-p", "x", *flags, cwd=project)
        sent = str(server.requests[-1].messages)
    assert MARK not in sent
    assert "denied" in sent
    assert "a.txt" in sent
