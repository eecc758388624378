"""What odd endpoints need to be told: headers, queries, certificates; and the log of what they are told."""

from __future__ import annotations

import io
import json
import stat
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import run_command
from tests.support.endpoints import APIS, HASTE, SPEAKERS, Api, Speaker, endpoint, provider, whole_reply
from tests.support.gbnf import Grammar
from tests.support.recorded import text_of
from tests.support.scripted_server import Drop, Fail, Say, ScriptedServer
from tests.support.turns import Setting
from text_agent.cli.assembly.streams import Streams
from text_agent.cli.main import run
from text_agent.errors import ConfigError, OverloadedError
from text_agent.providers.anthropic import AnthropicProvider
from text_agent.providers.known import KnownEndpoint, KnownEndpoints
from text_agent.providers.openai_compatible import OpenAIProvider
from text_agent.providers.request_log import RequestLog
from text_agent.text.masking import MASK, Masker

both = pytest.mark.parametrize("api", APIS)
KEY = "sk-0123456789abcdef"


@dataclass
class Done:
    code: int
    stdout: str
    stderr: str


def task(
    server: ScriptedServer, api: Api, folder: Path, *flags: str, query: str = "", **environment: str
) -> Done:
    """One task through the command line, in this process."""
    url = (server.openai_url if api == "openai" else server.anthropic_url) + query
    streams = Streams(io.StringIO(), io.StringIO(), io.StringIO(), environment)
    where = ("--provider", api, "--base-url", url, "--model", "m", "-C", str(folder), "--sandbox", "off")
    code = run(["-p", "Hello", *where, *flags], streams)
    assert isinstance(streams.stdout, io.StringIO)
    assert isinstance(streams.stderr, io.StringIO)
    return Done(code, streams.stdout.getvalue(), streams.stderr.getvalue())


@both
def test_headers_query_and_temperature_are_sent(api: Api, project: Path) -> None:
    flags = ("--header", "X-Team: blue", "--header", "Authorization: Bearer mine", "--temperature", "0.25")
    with ScriptedServer(["Fine."]) as server:
        done = task(server, api, project, *flags, query="?api-version=2&a=b")
    assert (done.code, done.stdout) == (0, "Fine.\n"), done.stderr
    (request,) = server.requests
    assert request.headers["x-team"] == "blue"
    assert request.headers["authorization"] == "Bearer mine"
    assert request.path.endswith("?api-version=2&a=b")
    assert request.body["temperature"] == 0.25


@both
@pytest.mark.parametrize(
    ("flags", "asked"),
    [
        (("--small-model", "off"), None),
        (("--small-model", "on"), 0.0),
        (("--small-model", "on", "--temperature", "0.7"), 0.7),
    ],
)
def test_a_small_model_is_asked_for_its_likeliest_words(
    api: Api, flags: tuple[str, ...], asked: float | None, project: Path
) -> None:
    with ScriptedServer(["Fine."]) as server:
        done = task(server, api, project, *flags)
    assert done.code == 0, done.stderr
    assert [request.body.get("temperature") for request in server.requests] == [asked]


@pytest.mark.parametrize(
    ("flags", "environment", "is_sent"),
    [
        ((), {}, False),
        (("--grammar",), {}, True),
        ((), {"TEXT_AGENT_GRAMMAR": "on"}, True),
        (("--no-grammar",), {"TEXT_AGENT_GRAMMAR": "on"}, False),
    ],
)
def test_a_grammar_is_sent_where_it_is_asked_for(
    project: Path, flags: tuple[str, ...], environment: dict[str, str], is_sent: bool
) -> None:
    with ScriptedServer(["Fine."]) as server:
        done = task(server, "openai", project, *flags, **environment)
    assert (done.code, done.stdout) == (0, "Fine.\n"), done.stderr
    body = server.requests[0].body
    assert ("grammar" in body) is ("structured_outputs" in body) is is_sent
    if is_sent:
        assert Grammar(body["grammar"]).accepts('tool: read_file({"path": "a"})')


@pytest.mark.parametrize(("flags", "is_sent"), [((), True), (("--no-grammar",), False)])
def test_a_grammar_is_sent_where_it_is_known_to_be_obeyed(
    project: Path, own_environment: Path, flags: tuple[str, ...], is_sent: bool
) -> None:
    with ScriptedServer(["Fine."]) as server:
        known = KnownEndpoints(own_environment / ".cache" / "text-agent" / "endpoints.json")
        known.remember(endpoint(server.url, "openai", model="m"), KnownEndpoint(has_grammar=True))
        task(server, "openai", project, *flags)
    assert ("grammar" in server.requests[0].body) is is_sent


def test_a_refused_grammar_is_left_out_with_a_notice(project: Path) -> None:
    with ScriptedServer([Fail(400, "Failed to parse grammar"), "Fine."]) as server:
        done = task(server, "openai", project, "--grammar")
    assert (done.code, done.stdout) == (0, "Fine.\n")
    assert done.stderr.count("takes no grammar") == 1
    assert ["grammar" in request.body for request in server.requests] == [True, False]


def test_a_grammar_that_the_api_has_no_field_for_is_told_of(project: Path) -> None:
    with ScriptedServer(["Fine."]) as server:
        done = task(server, "anthropic", project, "--grammar")
    assert done.stderr.count("--grammar has no effect here") == 1
    assert "grammar" not in server.requests[0].body


@both
@pytest.mark.parametrize("name", ["api-key", "AUTHORIZATION", "x-Api-Key"])
def test_a_key_in_a_header_stands_alone(api: Api, name: str, project: Path) -> None:
    with ScriptedServer(["Fine."]) as server:
        task(server, api, project, "--header", f"{name}: {KEY}")
    headers = server.requests[0].headers
    keys = {each: headers[each] for each in ("authorization", "x-api-key", "api-key") if each in headers}
    assert keys == {name.lower(): KEY}


@both
def test_a_header_beside_the_key(api: Api, project: Path) -> None:
    with ScriptedServer(["Fine."], key=KEY) as server:
        task(server, api, project, "--header", "X-Auth-Team: blue", TEXT_AGENT_API_KEY=KEY)
    assert server.requests[0].headers["x-auth-team"] == "blue"


@both
def test_headers_of_the_environment(api: Api, project: Path) -> None:
    with ScriptedServer(["Fine."]) as server:
        task(server, api, project, TEXT_AGENT_HEADERS="X-Team: blue; X-Other: 1")
    assert (server.requests[0].headers["x-team"], server.requests[0].headers["x-other"]) == ("blue", "1")


@both
@pytest.mark.parametrize("tail", ["/v1/messages", "/v1/chat/completions/", "/v1", ""])
def test_a_pasted_url_of_either_api_will_do(api: Api, tail: str, project: Path) -> None:
    with ScriptedServer(["Fine."]) as server:
        streams = Streams(io.StringIO(), io.StringIO(), io.StringIO(), {})
        where = ("--provider", api, "--base-url", server.url + tail, "--model", "m", "-C", str(project))
        assert run(["-p", "Hello", *where], streams) == 0
    assert {(each.method, each.path) for each in server.other_requests} == {("GET", "/v1/models")}


def test_a_pasted_url_tells_the_api(project: Path) -> None:
    with ScriptedServer(["Fine."]) as server:
        streams = Streams(io.StringIO(), io.StringIO(), io.StringIO(), {})
        where = ("--base-url", f"{server.url}/v1/messages", "--model", "m", "-C", str(project))
        assert run(["-p", "Hello", *where], streams) == 0
    assert server.requests[0].api == "anthropic"


def test_a_list_of_models_without_v1_tells_where_the_endpoint_is(project: Path) -> None:
    with ScriptedServer(["Fine."], paths=("/chat/completions",), models_path="/models") as server:
        streams = Streams(io.StringIO(), io.StringIO(), io.StringIO(), {})
        assert run(["-p", "Hello", "--base-url", server.url, "-C", str(project)], streams) == 0
    assert isinstance(streams.stderr, io.StringIO)
    assert f"The endpoint is at {server.url}." in streams.stderr.getvalue()
    assert server.requests[0].model == "scripted-model"


@both
def test_retries_may_be_forbidden(api: Api, project: Path) -> None:
    with ScriptedServer([Fail(503, "busy")]) as server:
        done = task(server, api, project, "--retries", "0")
    assert (done.code, done.stderr.count("\n")) == (1, 2)
    assert "(503): busy" in done.stderr


# Nothing is asked of the model before the first request.
PLAIN = ("--small-model", "off")


def entries(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_text("utf-8").splitlines()]


@both
def test_the_log_holds_requests_and_answers_without_keys(api: Api, project: Path, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.touch(0o644)
    flags = ("--log", str(log), "--header", f"X-Api-Key: {KEY}2", "--context-tokens", "9000", *PLAIN)
    busy = Fail(503, f"busy with {KEY}", headers={"retry-after": "0"})
    with ScriptedServer([busy, Say(f"Fine: {KEY}")]) as server:
        done = task(server, api, project, *flags, query="?token=secret&a=b", TEXT_AGENT_API_KEY=KEY)
    assert done.code == 0, done.stderr
    assert KEY not in log.read_text() + done.stderr + done.stdout
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    kinds = ["request", "answer", "body"]
    assert [entry["kind"] for entry in entries(log)] == kinds * 2
    request, answer, body = entries(log)[:3]
    assert text_of(request["body"]["messages"][-1]["content"]).endswith("Hello")
    assert request["headers"]["authorization"] == request["headers"]["x-api-key"] == MASK
    assert "secret" not in request["url"]
    assert "a=b" in request["url"]
    assert answer["status"] == 503
    assert f"busy with {MASK}" in body["text"]
    assert entries(log)[4]["status"] == 200
    assert "Fine" in entries(log)[5]["text"]


@both
def test_the_log_holds_no_part_of_a_cookie_or_of_a_signed_address(
    api: Api, project: Path, tmp_path: Path
) -> None:
    log = tmp_path / "log.jsonl"
    flags = (
        "--log",
        str(log),
        "--header",
        "Cookie: session=Zk3q8LmX9; theme=dark",
        "--context-tokens",
        "9000",
    )
    headers = {
        "retry-after": "0",
        "set-cookie": "sid=Qq8xLmZ7; Path=/",
        "location": "/v2?x=1&sig=f00D%2Bfeed9",
    }
    parts = ("Zk3q8LmX9", "Qq8xLmZ7", "f00D%2Bfeed9", "f00D+feed9")
    with ScriptedServer([Fail(503, f"busy: {' | '.join(parts)}", headers=headers), "Fine."]) as server:
        assert task(server, api, project, *flags).code == 0
    text = log.read_text("utf-8")
    assert not [part for part in parts if part in text]
    assert "theme" not in text
    assert "x=1" in text


@both
def test_the_log_holds_what_came_of_a_reply_that_broke(api: Api, project: Path, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    flags = ("--log", str(log), "--retries", "0", "--context-tokens", "9000", *PLAIN)
    with ScriptedServer([Drop(1, "This breaks off."), Drop(0)]) as server:
        task(server, api, project, *flags)
        task(server, api, project, *flags)
    assert [entry["kind"] for entry in entries(log)] == ["request", "answer", "body", "request", "body"]
    assert "This br" in entries(log)[2]["text"]
    assert "broke off" in entries(log)[4]["text"] or "cannot reach" in entries(log)[4]["text"]


@both
def test_a_log_that_cannot_be_written_is_a_wrong_setting(api: Api, project: Path, tmp_path: Path) -> None:
    with ScriptedServer() as server:
        done = task(server, api, project, "--log", str(tmp_path / "no" / "log"))
    assert (done.code, done.stdout) == (2, "")
    assert "cannot be written: No such file or directory" in done.stderr


@both
def test_a_log_that_can_no_longer_be_written_stops_nothing(
    api: Api, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    log = RequestLog(str(folder / "log"), Masker())
    (folder / "log").unlink()
    folder.rmdir()
    with ScriptedServer(["Fine."]) as server:
        kind = AnthropicProvider if api == "anthropic" else OpenAIProvider
        speaker = kind(endpoint(server.url, api), patience=HASTE, log=log)
        assert whole_reply(speaker).text == "Fine."
        speaker.close()
    assert "is not written: No such file or directory" in caplog.text


@both
def test_a_url_that_has_answered_is_right(api: Api, project: Path) -> None:
    with ScriptedServer(["Fine.", Fail(404, "gone")]) as server:
        place = Setting(project, provider(server, api))
        assert place.turn().stdout == "Fine.\n"
        outcome = place.turn()
        place.close()
    assert "nothing is served at" in outcome.stderr
    assert not [request for request in server.other_requests if request.method == "POST"]


PEM = Path(__file__).parents[2] / "support" / "self_signed.pem"


@both
def test_a_proxy_is_not_asked_for_this_machine(
    api: Api, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with ScriptedServer(["Fine."]) as server:
        assert task(server, api, project).stdout == "Fine.\n"


@both
def test_a_proxy_that_lets_nobody_through(api: Api, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedServer() as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        place = Setting(project, provider("https://example.invalid", api))
        outcome = place.turn()
        place.close()
    assert (outcome.code, outcome.waits) == (1, [])
    assert "the proxy does not let us through to https://example.invalid" in outcome.stderr
    assert "NO_PROXY" in outcome.stderr


@both
def test_https_where_there_is_none(api: Api, project: Path) -> None:
    with ScriptedServer(strict=False) as server:
        place = Setting(project, provider(server.url.replace("http:", "https:"), api))
        outcome = place.turn()
        place.close()
        server.violations.clear()  # what came was no HTTP
    assert (outcome.code, outcome.waits) == (1, [])
    assert "does not speak https" in outcome.stderr
    assert "with http://" in outcome.stderr


@both
def test_a_redirect_gets_no_key(api: Api, project: Path) -> None:
    with ScriptedServer() as other:
        base, path = (
            (other.url, "/v1/messages") if api == "anthropic" else (other.openai_url, "/chat/completions")
        )
        with ScriptedServer([Fail(307, headers={"location": base + path})]) as server:
            done = task(server, api, project, TEXT_AGENT_API_KEY=KEY)
        assert done.code == 1
        assert done.stderr.splitlines()[-1] == f"If that is right, use --base-url {base}"
        assert not other.requests


@both
def test_a_certificate_that_is_not_trusted_is_not_tried_again(
    api: Api, project: Path, untrusted_server: str
) -> None:
    place = Setting(project, provider(untrusted_server, api))
    outcome = place.turn()
    place.close()
    assert (outcome.code, outcome.waits) == (1, [])
    assert "--ca-file" in outcome.stderr


@both
def test_a_ca_file_is_trusted(api: Api, untrusted_server: str) -> None:
    where = replace(endpoint(untrusted_server, api), ca_file=str(PEM))
    speaker = (AnthropicProvider if api == "anthropic" else OpenAIProvider)(where, patience=HASTE)
    with pytest.raises(OverloadedError, match="501"):  # the server answers
        whole_reply(speaker)
    speaker.close()


@both
def test_a_ca_file_that_cannot_be_used(api: Api, project: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.pem").write_text("nothing")
    with ScriptedServer() as server:
        for name, reason in (("empty.pem", "no certificate"), ("none.pem", "No such file")):
            done = task(server, api, project, "--ca-file", str(tmp_path / name))
            assert done.code == 2
            assert reason in done.stderr


@both
def test_a_host_that_is_down_is_tried_three_times(api: Api, project: Path) -> None:
    with ScriptedServer() as server:
        url = server.url
    place = Setting(project, provider(url, api))
    outcome = place.turn()
    place.close()
    assert (outcome.code, outcome.waits) == (1, [1.0, 2.0])
    assert "cannot reach" in outcome.stderr


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("ALL_PROXY", "socks5://me:hunter2@127.0.0.1:9", "a SOCKS proxy needs the package socksio"),
        ("HTTPS_PROXY", "gopher://me:hunter2@127.0.0.1:9", "the URL of the proxy cannot be used"),
        ("HTTPS_PROXY", "::::", "the URL of the proxy cannot be used"),
        ("SSL_CERT_FILE", "/no/such/file", "in SSL_CERT_FILE cannot be used: No such file or directory"),
    ],
)
@pytest.mark.parametrize("speaker", SPEAKERS)
def test_an_environment_that_cannot_be_used_is_a_wrong_setting(
    speaker: Speaker, name: str, value: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ConfigError) as caught:
        provider("https://example.invalid", speaker)
    assert reason in str(caught.value)
    assert "hunter2" not in f"{caught.value} {caught.value.hint}"


@both
def test_the_command_says_so(api: Api, project: Path) -> None:
    where = ["--provider", api, "--base-url", "https://example.invalid", "--model", "m"]
    done = run_command("-p", "Hello", *where, cwd=project, environment={"ALL_PROXY": "socks5://127.0.0.1:9"})
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 2
