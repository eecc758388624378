"""Every setting from every source, and what a project's file may not decide."""

from __future__ import annotations

import base64
import html
import json
import urllib.parse
from pathlib import Path

import pytest

from tests.support.command import run_command, run_here
from tests.support.scripted_server import Fail, ScriptedServer
from text_agent.config.settings import SETTINGS
from text_agent.config.table import Row

CAN_BE_WRONG = [row for row in SETTINGS if row.kind.parse is not str]
WRONG = "no such thing"
SOURCES = ("flag", "environment", "user", "project")
NOBODY_TO_ASK = (
    ("-p", "x"),
    ("-p", "x", "--yes"),
    ("-p", "x", "--permission-mode", "all"),
    ("-p", "x", "--output", "json"),
    (),
    ("doctor",),
)
PROJECTS = [(row, variable) for row in SETTINGS for variable in row.variables() if row.project != "free"]


# What other programs take from the environment, and what could be taken for a permission.
OTHERS = (
    "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy", "OPENAI_API_BASE",
    "OLLAMA_HOST", "LLAMA_ARG_HOST", "HF_ENDPOINT", "OPENAI_PROXY",
)  # fmt: skip
GRANTS = (
    "TEXT_AGENT_PERMISSION_MODE=all", "TEXT_AGENT_YES=1", "TEXT_AGENT_SANDBOX=off",
    "TEXT_AGENT_ALLOW_SECRETS=1",
    "SSL_CERT_FILE=/nowhere", "SSL_CERT_DIR=/nowhere", "REQUESTS_CA_BUNDLE=/nowhere", "HOME=/nowhere",
    "XDG_CONFIG_HOME=/nowhere", "PATH=/nowhere", "PYTHONPATH=/nowhere", "SSLKEYLOGFILE=keys.txt",
)  # fmt: skip


@pytest.fixture(autouse=True)
def every_setting_unset(own_environment: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Takes away what all other tests have set."""
    monkeypatch.delenv("TEXT_AGENT_DISCOVERY")


def configure(home: Path, text: str) -> None:
    folder = home / ".config/text-agent"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.env").write_text(text)


def value_of(row: Row) -> str:
    return row.example or "k-0123456789"


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("row", CAN_BE_WRONG, ids=lambda row: row.name)
def test_a_wrong_value_is_told_in_a_sentence(
    row: Row, source: str, project: Path, own_environment: Path
) -> None:
    flags, environment, line = [], {}, f"{row.variable}={WRONG}\n"
    if source == "flag":
        flags = [f"{row.option}={WRONG}"]
    elif source == "environment":
        environment = {row.variable: WRONG}
    elif source == "user":
        configure(own_environment, line)
    else:
        (project / ".env").write_text(line)
    model = () if row.name == "provider" else ("--provider", "local")
    # The parser of the flags leaves the process by itself.
    run = run_command if flags and row.kind.choices else run_here
    done = run("-p", "x", *model, *flags, cwd=project, environment=environment)
    assert (done.returncode, done.stdout) == (2, "")
    assert (row.option if source == "flag" else row.variable) in done.stderr
    assert len(done.stderr.splitlines()) <= 2


@pytest.mark.parametrize("flags", NOBODY_TO_ASK, ids=" ".join)
@pytest.mark.parametrize(("row", "variable"), PROJECTS, ids=[variable for _, variable in PROJECTS])
def test_what_a_project_decides_is_refused_where_nobody_can_be_asked(
    row: Row, variable: str, flags: tuple[str, ...], project: Path, own_environment: Path
) -> None:
    (project / ".env").write_text(f"{variable}={value_of(row)}\n")
    with ScriptedServer([], strict=False) as server:
        provider = next((owner for owner, name in row.vendors.items() if name == variable), "openai")
        url = server.openai_url if provider == "openai" else server.anthropic_url
        own = f"TEXT_AGENT_PROVIDER={provider}\nTEXT_AGENT_BASE_URL={url}\nTEXT_AGENT_PRICE_IN=1\n"
        configure(own_environment, own)
        done = run_here(*flags, cwd=project)
        assert (server.requests, server.other_requests) == ([], [])
    assert done.returncode == 2
    [sentence] = done.stderr.splitlines()[:1]
    assert variable in sentence
    assert str(project / ".env") in sentence
    assert "k-0123456789" not in done.stderr


def test_what_is_no_setting_of_ours_has_no_effect_in_a_projects_file(
    project: Path, own_environment: Path
) -> None:
    call = 'tool: write_file({"path": "a.txt", "content": "x"})'
    secret = 'tool: read_file({"path": ".env"})'
    with ScriptedServer([], strict=False) as trap, ScriptedServer([call, secret, "Done."]) as server:
        lines = [*(f"{name}={trap.url}" for name in OTHERS), *GRANTS]
        (project / ".env").write_text("\n".join(lines) + "\n")
        configure(
            own_environment, f"TEXT_AGENT_BASE_URL={server.openai_url}\nTEXT_AGENT_MODEL=scripted-model\n"
        )
        done = run_command("-p", "x", cwd=project)
        assert (trap.requests, trap.other_requests) == ([], [])
        results = server.requests[-1].messages[-3:]
    assert done.returncode == 3, done.stderr
    assert "denied" in str(results)
    assert not (project / "a.txt").exists()
    assert not (project / "keys.txt").exists()


@pytest.mark.parametrize(
    "variable", ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "OPENAI_BASE_URL"]
)
def test_what_implies_a_provider_in_a_projects_file_decides_as_well(
    variable: str, project: Path, own_environment: Path
) -> None:
    """The conversation would go to a vendor's host, for the key of a stranger."""
    (project / ".env").write_text(f"{variable}=http://127.0.0.1:9\n")
    configure(own_environment, "TEXT_AGENT_BASE_URL=http://127.0.0.1:9\nTEXT_AGENT_MODEL=m\n")
    done = run_here("-p", "x", "--yes", cwd=project)
    assert done.returncode == 2
    assert variable in done.stderr


def test_what_the_user_says_goes_before_what_a_project_wants(project: Path) -> None:
    (project / ".env").write_text("TEXT_AGENT_BASE_URL=http://127.0.0.1:9\nTEXT_AGENT_MODEL=theirs\n")
    with ScriptedServer(["Yes."]) as server:
        flags = ("--provider", "openai", "--base-url", server.openai_url)
        done = run_command("-p", "x", *flags, cwd=project, environment={"TEXT_AGENT_MODEL": "scripted-model"})
    assert (done.returncode, done.stdout) == (0, "Yes.\n")


def test_a_task_says_where_requests_go_if_the_command_line_does_not(project: Path) -> None:
    with ScriptedServer(["Yes."]) as server:
        environment = {"OPENAI_BASE_URL": server.openai_url, "TEXT_AGENT_MODEL": "scripted-model"}
        done = run_here("-p", "x", cwd=project, environment=environment)
    assert f"endpoint: {server.openai_url} (OPENAI_BASE_URL in the environment), model: " in done.stderr


@pytest.mark.parametrize("source", ["environment", "project", "user"])
def test_a_name_that_is_no_setting_is_told(source: str, project: Path, own_environment: Path) -> None:
    line = "TEXT_AGENT_MODLE=x"
    if source == "project":
        (project / ".env").write_text(line)
    elif source == "user":
        configure(own_environment, line)
    environment = {"TEXT_AGENT_MODLE": "x"} if source == "environment" else {}
    with ScriptedServer(["Yes."]) as server:
        flags = ("--base-url", server.openai_url, "--model", "scripted-model")
        done = run_here("-p", "x", *flags, cwd=project, environment=environment)
    assert done.returncode == 0
    assert "Did you mean TEXT_AGENT_MODEL?" in done.stderr


def test_an_error_of_the_endpoint_says_what_has_set_it(project: Path) -> None:
    environment = {
        "OPENAI_BASE_URL": "http://127.0.0.1:9",
        "TEXT_AGENT_RETRIES": "0",
        "TEXT_AGENT_MODEL": "m",
    }
    done = run_here("-p", "x", cwd=project, environment=environment)
    assert done.returncode == 1
    assert "The endpoint is set by OPENAI_BASE_URL in the environment." in done.stderr


def test_doctor_says_what_has_set_the_endpoint(project: Path) -> None:
    with ScriptedServer(["tool: x"] * 9, strict=False) as server:
        environment = {"OPENAI_BASE_URL": server.openai_url, "TEXT_AGENT_MODEL": "scripted-model"}
        done = run_here("doctor", cwd=project, environment=environment)
    assert f"{server.openai_url} (OPENAI_BASE_URL in the environment) answers." in done.stdout


SECRET_HEADERS = (
    ("Cookie", "session=s3cr3t-session-0123; theme=dark", "s3cr3t-session-0123"),
    ("Authorization", "Basic dXNlcjpwYXNzd29yZC1vZi0yMC1jaGFycw==", "password-of-20-chars"),
    ("X-Api-Key", 'k"ey\\with/odd+signs=', 'k"ey\\with/odd+signs='),
    ("X-Signature", "keyId=abc,signature=c2lnbmF0dXJlLTAxMjM", "c2lnbmF0dXJlLTAxMjM"),
    ("X-Session-Id", "0123456789abcdef-fedc", "0123456789abcdef-fedc"),
)
ECHOES = (
    str,
    lambda text: json.dumps(text)[1:-1],
    lambda text: urllib.parse.quote(text, safe=""),
    urllib.parse.quote_plus,
    lambda text: base64.b64encode(text.encode()).decode(),
    lambda text: "".join(f"\\u{ord(char):04x}" for char in text),
    html.escape,
)


@pytest.mark.parametrize(("name", "value", "key"), SECRET_HEADERS, ids=[name for name, *_ in SECRET_HEADERS])
def test_the_log_holds_no_key_that_an_endpoint_repeats(
    name: str, value: str, key: str, project: Path, tmp_path: Path
) -> None:
    log = tmp_path / "log.jsonl"
    forms = [echo(text) for echo in ECHOES for text in (value, key)]
    echoed = Fail(418, json.dumps({"error": {"message": "I was sent " + " and ".join(forms)}}))
    with ScriptedServer([echoed]) as server:
        # Part of the query, as a signature of a storage service.
        flags = (
            "--base-url",
            f"{server.openai_url}?sig={urllib.parse.quote(key)}",
            "--model",
            "scripted-model",
        )
        done = run_here("-p", "x", *flags, "--header", f"{name}: {value}", "--log", str(log), cwd=project)
    assert done.returncode == 1
    text = log.read_text()
    for form in {value, key, *forms}:
        assert form not in text
        assert json.dumps(form)[1:-1] not in text
    assert key not in done.stderr
    assert '"kind": "body"' in text
