"""`text-agent doctor`, over both APIs."""

from __future__ import annotations

import json
import signal
import stat
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import Run, run_command, run_here, start_command
from tests.support.endpoints import APIS, Api
from tests.support.moves import Fail, Hang, Html, Move, Say
from tests.support.recorded import RecordedRequest
from tests.support.scripted_server import ScriptedServer

both = pytest.mark.parametrize("api", APIS)
KEY = "sk-0123456789abcdef"
READ = 'tool: read_file({"path": "README.md"})'
WRITE = 'tool: write_file({"path": "hello.txt"})\n```\nhello\n```'
COUNTED = "1 2 3 4 5 6 7 8 9"
CHECKS = [
    "reachable",
    "key",
    "model",
    "context",
    "streaming",
    "speed",
    "roles",
    "stop texts",
    "format",
    "fences",
    "thinking",
]
PAGES = {"/v1/models": {"data": [{"id": "scripted-model", "max_model_len": 32768}]}}
Behaviour = Callable[[RecordedRequest], "str | Move"]


def has_stop(request: RecordedRequest) -> bool:
    return bool(request.body.get("stop") or request.body.get("stop_sequences"))


def model(
    *,
    read: str = READ,
    write: str = WRITE,
    count: str = COUNTED,
    stopped: str = "1 2 3 4 5 ",
    shown: Callable[[str], Say] = Say,
) -> Behaviour:
    """A model by its answers; as it is, it keeps to the protocol, and its endpoint obeys."""

    def answer(request: RecordedRequest) -> Move:
        if "README" in request.last:
            return shown(read)
        if "hello.txt" in request.last:
            return shown(write)
        return shown(stopped if has_stop(request) else count)

    return answer


@dataclass
class Diagnosis:
    code: int
    stdout: str
    stderr: str

    @property
    def statuses(self) -> dict[str, str]:
        """The status of every check."""
        *lines, _ = self.stdout.splitlines()
        return {line[9:].partition(":")[0]: line[:9].strip() for line in lines}

    def line(self, check: str) -> str:
        """The one line of a check."""
        (line,) = [line for line in self.stdout.splitlines() if line[9:].startswith(f"{check}:")]
        return line


def doctor(
    server: ScriptedServer | str, api: Api, folder: Path, *flags: str, run: Run = run_here, **environment: str
) -> Diagnosis:
    done = run("doctor", *where(server, api), *flags, cwd=folder, environment=environment)
    assert "Traceback" not in done.stderr
    return Diagnosis(done.returncode, done.stdout, done.stderr)


def where(server: ScriptedServer | str, api: Api) -> tuple[str, ...]:
    url = server if isinstance(server, str) else server.url
    url += "/v1" if api == "openai" else ""
    return "--provider", api, "--base-url", url, "--model", "scripted-model"


def file_of(home: Path) -> Path:
    return home / ".cache" / "text-agent" / "endpoints.json"


def kept(home: Path) -> dict[str, Any]:
    """What is kept of the only endpoint."""
    assert stat.S_IMODE(file_of(home).stat().st_mode) == 0o600
    ((name, entry),) = json.loads(file_of(home).read_text()).items()
    assert name.endswith(" scripted-model")
    assert isinstance(entry, dict)
    return entry


@both
def test_a_healthy_endpoint(api: Api, project: Path, own_environment: Path) -> None:
    with ScriptedServer([model()] * 4, key=KEY, pages=PAGES) as server:
        found = doctor(server, api, project, run=run_command, TEXT_AGENT_API_KEY=KEY)
    assert (found.code, found.stderr) == (0, ""), found.stdout
    assert found.statuses == dict.fromkeys(CHECKS, "ok"), found.stdout
    assert found.line("context") == "ok       context:    32,768 tokens."
    assert found.stdout.splitlines()[-1] == "text-agent can work with it."
    assert all(request.body["max_tokens"] <= 100 and len(request.last) < 100 for request in server.requests)
    assert KEY not in found.stdout + file_of(own_environment).read_text()
    assert kept(own_environment)["context_tokens"] == 32768
    assert not list(project.iterdir())


@both
def test_a_wrong_key(api: Api, project: Path, own_environment: Path) -> None:
    with ScriptedServer(key=KEY) as server:
        found = doctor(server, api, project, TEXT_AGENT_API_KEY="sk-another-one-0123")
    assert found.code == 1
    assert found.statuses == {"reachable": "ok", "key": "failed"}
    assert "refused access (401)" in found.line("key")
    assert "Check the key" in found.line("key")
    assert not file_of(own_environment).exists()


@both
def test_no_such_model(api: Api, project: Path) -> None:
    missing = Fail(404, "model 'scripted-model' not found")
    with ScriptedServer([missing], models=["small", "large"]) as server:
        found = doctor(server, api, project)
    assert (found.code, found.statuses) == (1, {"reachable": "ok", "model": "failed"})
    assert found.line("model").endswith("Choose one with --model: small, large.")


@both
def test_a_model_that_is_not_listed_but_answers(api: Api, project: Path) -> None:
    with ScriptedServer([model()] * 4, models=["small"]) as server:
        found = doctor(server, api, project)
    assert found.code == 0
    assert found.statuses["model"] == "warning"


@both
def test_a_page_instead_of_an_api(api: Api, project: Path) -> None:
    with ScriptedServer([Html()] * 2, models=Html(), strict=False) as server:
        found = doctor(server, api, project)
    assert (found.code, found.statuses) == (1, {"reachable": "ok", "API": "failed"})
    assert "an HTML page ('Sign in')" in found.line("API")
    assert "Check the base URL" in found.line("API")


@both
def test_the_other_form_of_a_url(api: Api, project: Path) -> None:
    path = "/chat/completions" if api == "openai" else "/messages"
    with ScriptedServer([model()] * 4, paths=[path], models_path="/models") as server:
        found = doctor(server, api, project)
    assert (found.code, found.statuses["URL"]) == (0, "warning")
    assert f"{server.url}{path} is used." in found.line("URL")
    assert (f"Set --base-url {server.url}." in found.line("URL")) == (api == "openai")


def test_a_terminal_that_knows_ascii_only(project: Path) -> None:
    with ScriptedServer([model()] * 4, models=["mod\u00e8le\u202e"]) as server:
        found = doctor(server, "openai", project, run=run_command, LC_ALL="C")
    assert found.code == 0
    assert found.stdout.isascii()
    assert "mod?le<U+202E>" in found.line("model")


@both
def test_an_endpoint_that_is_down(api: Api, project: Path) -> None:
    with ScriptedServer() as server:
        url = server.url
    found = doctor(url, api, project)
    assert (found.code, found.statuses) == (1, {"reachable": "failed"})
    assert "Is the server running" in found.line("reachable")


@both
def test_an_endpoint_that_does_not_stream(api: Api, project: Path) -> None:
    def whole(text: str) -> Say:
        return Say(text, streamed=False)

    with ScriptedServer([model(shown=whole)] * 4) as server:
        found = doctor(server, api, project)
    assert found.code == 0
    assert {name for name, status in found.statuses.items() if status != "ok"} == {"context", "streaming"}


@both
def test_a_system_role_that_is_refused_is_not_tried_by_the_next_start(
    api: Api, project: Path, own_environment: Path
) -> None:
    def picky(request: RecordedRequest) -> str | Move:
        return Fail(400, "System role not supported") if request.system else model()(request)

    with ScriptedServer([picky] * 5) as server:
        found = doctor(server, api, project)
        assert (found.code, found.statuses["roles"]) == (0, "warning"), found.stdout
        server.add("Fine.")
        done = run_here("-p", "Hello", *where(server, api), cwd=project)
    assert (done.returncode, done.stdout) == (0, "Fine.\n"), done.stderr
    assert not server.requests[-1].system
    assert server.requests[-1].last.startswith("You are text-agent")
    assert not kept(own_environment)["has_system"]


@both
def test_stop_texts_that_are_not_obeyed_are_not_sent_by_the_next_start(api: Api, project: Path) -> None:
    with ScriptedServer([model(stopped=COUNTED)] * 4) as server:
        found = doctor(server, api, project)
        assert (found.code, found.statuses["stop texts"]) == (0, "warning")
        server.add("Fine.")
        assert run_here("-p", "Hello", *where(server, api), cwd=project).returncode == 0
    assert not has_stop(server.requests[-1])


@both
def test_stop_texts_that_are_refused(api: Api, project: Path, own_environment: Path) -> None:
    def picky(request: RecordedRequest) -> str | Move:
        refusal = Fail(400, "Unsupported parameter: 'stop'")
        return refusal if has_stop(request) else model()(request)

    with ScriptedServer([picky] * 5) as server:
        found = doctor(server, api, project)
    assert "They are refused" in found.line("stop texts")
    assert not kept(own_environment)["has_stop"]


def test_other_names_and_missing_options_are_known_to_the_next_start(project: Path) -> None:
    def picky(request: RecordedRequest) -> str | Move:
        if "stream_options" in request.body:
            return Fail(400, "Unrecognized request argument supplied: stream_options")
        if "max_tokens" in request.body:
            return Fail(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
        return model()(request)

    with ScriptedServer([picky] * 6) as server:
        found = doctor(server, "openai", project)
        assert found.code == 0, found.stdout
        assert "called max_completion_tokens" in found.line("parameters")
        server.add(picky)
        assert run_here("-p", "Hello", *where(server, "openai"), cwd=project).returncode == 0
    assert "max_completion_tokens" in server.requests[-1].body


@both
def test_a_size_that_is_told_once_is_known_to_the_next_start(api: Api, project: Path) -> None:
    with ScriptedServer([model()] * 4, pages=PAGES) as server:
        assert doctor(server, api, project).code == 0
        server.pages = {}
        server.add("Fine.", "Fine.")
        chat = run_here(*where(server, api), cwd=project, stdin="Hello\n/usage\n")
        set_by_flag = run_here(
            *where(server, api), "--context-tokens", "9000", cwd=project, stdin="Hello\n/usage\n"
        )
    assert "of 32,768 tokens" in chat.stdout
    assert "of 9,000 tokens" in set_by_flag.stdout


@both
def test_a_damaged_file_of_what_is_known_is_ignored(api: Api, project: Path, own_environment: Path) -> None:
    file = file_of(own_environment)
    file.parent.mkdir(parents=True)
    file.write_text("{")
    with ScriptedServer(["Fine."]) as server:
        done = run_here("-p", "Hello", *where(server, api), cwd=project)
    assert (done.returncode, done.stdout) == (0, "Fine.\n"), done.stderr


@both
def test_what_cannot_be_kept_is_told(api: Api, project: Path, own_environment: Path) -> None:
    (own_environment / ".cache").write_text("a file where a folder should be")
    with ScriptedServer([model()] * 4) as server:
        found = doctor(server, api, project)
    assert (found.code, found.statuses["memory"]) == (0, "warning")


@both
def test_a_model_that_writes_prose_only(api: Api, project: Path) -> None:
    words = "I would have to look at that file first."
    with ScriptedServer([model(read=words, write=words)] * 4) as server:
        found = doctor(server, api, project)
    assert (found.code, found.statuses["format"]) == (1, "failed")
    assert "(2 without a call, 1 well-formed)" in found.line("format")
    assert "Take another model" in found.line("format")


@both
def test_calls_that_are_repaired_malformed_or_not_asked_for(api: Api, project: Path) -> None:
    odd = model(read="tool: read_file('README.md')", write='tool: write_file({"path": })', count=READ)
    with ScriptedServer([odd] * 4) as server:
        found = doctor(server, api, project)
    assert (found.code, found.statuses["format"]) == (0, "warning")
    assert "Of 3 replies: 1 repaired, 1 malformed, 1 unasked call." in found.line("format")


@both
def test_a_model_that_fences_its_calls(api: Api, project: Path) -> None:
    with ScriptedServer([model(read=f"```\n{READ}\n```")] * 4) as server:
        found = doctor(server, api, project)
    assert found.code == 0
    assert found.statuses["format"] == "ok"
    assert "puts calls into fences" in found.line("fences")


@both
def test_a_model_that_thinks_in_tags(api: Api, project: Path) -> None:
    def thinking(request: RecordedRequest) -> Move:
        if request.body["max_tokens"] <= 100:
            return Say("<think>\nThe user wants", stop_reason="max_tokens")
        return Say(f"<think>\nWell.\n</think>\n{plain(request)}")

    def plain(request: RecordedRequest) -> str:
        said = model()(request)
        assert isinstance(said, Say)
        return said.text

    with ScriptedServer([thinking] * 5) as server:
        found = doctor(server, api, project)
    assert found.code == 0, found.stdout
    assert found.statuses["format"] == "ok"
    assert "in tags" in found.line("thinking")


@both
def test_thinking_that_is_reported_apart(api: Api, project: Path) -> None:
    def thoughtful(text: str) -> Say:
        return Say(text, reasoning="Well.")

    with ScriptedServer([model(shown=thoughtful)] * 4) as server:
        found = doctor(server, api, project)
    assert "apart" in found.line("thinking")


@pytest.mark.parametrize("owner", ["llamacpp", "vllm"])
@pytest.mark.parametrize("obeys", [True, False])
def test_a_grammar_where_the_server_should_know_such(
    project: Path, own_environment: Path, owner: str, obeys: bool
) -> None:
    def llama(request: RecordedRequest) -> str | Move:
        return "text-agent" if obeys and "grammar" in request.body else model()(request)

    pages = {
        "/v1/models": {"data": [{"id": "scripted-model", "owned_by": owner}]},
        "/props": {"default_generation_settings": {"n_ctx": 4096}},
    }
    with ScriptedServer([llama] * 5, pages=pages) as server:
        found = doctor(server, "openai", project)
    assert found.statuses["grammar"] == ("ok" if obeys else "warning")
    assert kept(own_environment)["has_grammar"] is obeys
    assert ("4,096 tokens: that is little" in found.line("context")) == (owner == "llamacpp")
    assert ["grammar" in request.body for request in server.requests] == [False] * 4 + [True]
    (*_, last) = server.requests
    assert last.body["structured_outputs"] == {"grammar": last.body["grammar"]}


def test_a_grammar_is_not_used_where_the_model_thinks_first(project: Path, own_environment: Path) -> None:
    def llama(request: RecordedRequest) -> str | Move:
        say = model(shown=lambda text: Say(text, reasoning="Well."))(request)
        return "text-agent" if "grammar" in request.body else say

    pages = {"/v1/models": {"data": [{"id": "scripted-model", "owned_by": "llamacpp"}]}}
    with ScriptedServer([llama] * 5, pages=pages) as server:
        found = doctor(server, "openai", project)
    assert "with --grammar" in found.line("grammar")
    assert kept(own_environment)["has_grammar"] is False


def test_a_refused_grammar_is_told(project: Path, own_environment: Path) -> None:
    def strict(request: RecordedRequest) -> str | Move:
        return Fail(400, "grammar: unknown field") if "grammar" in request.body else model()(request)

    pages = {"/v1/models": {"data": [{"id": "scripted-model", "owned_by": "vllm"}]}}
    with ScriptedServer([strict] * 6, pages=pages) as server:
        found = doctor(server, "openai", project)
    assert "refused" in found.line("grammar")
    assert kept(own_environment)["has_grammar"] is False


def test_no_grammar_is_tried_where_the_api_has_none(project: Path) -> None:
    pages = {"/v1/models": {"data": [{"id": "scripted-model", "owned_by": "llamacpp"}]}}
    with ScriptedServer([model()] * 4, pages=pages) as server:
        assert "grammar" not in doctor(server, "anthropic", project).statuses


@both
def test_a_failure_in_between_is_told_with_its_remedy(api: Api, project: Path) -> None:
    with ScriptedServer([model(), Fail(500, "out of memory")]) as server:
        found = doctor(server, api, project, "--retries", "0")
    assert (found.code, found.statuses["reply"]) == (1, "failed")
    assert "out of memory" in found.line("reply")


@both
def test_wrong_configuration(api: Api, project: Path) -> None:
    assert run_command("doctor", cwd=project).returncode == 2
    assert run_command("doctor", "--nonsense", cwd=project).returncode == 2
    assert doctor("ftp://nowhere", api, project).code == 2


@both
def test_ctrl_c_ends_it(api: Api, project: Path) -> None:
    with ScriptedServer([Hang(60)]) as server:
        process = start_command("doctor", *where(server, api), cwd=project, stdout=subprocess.PIPE, text=True)
        server.wait_for_requests(1)
        process.send_signal(signal.SIGINT)
        stdout, _ = process.communicate(timeout=30)
    assert process.returncode == 130
    assert stdout.startswith("ok       reachable:")
