"""What an endpoint sends without end is not kept without end: it has a limit, a sentence and an exit code."""

from __future__ import annotations

import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

import pytest

from tests.support.command import TEXT_AGENT
from tests.support.endpoints import HELLO, SPEAKERS, Speaker, provider
from tests.support.flood import EVENT_STREAM, MOST_BYTES, Flood, delta, flooding, packed
from text_agent.config.limits import ANSWER_MAX_BYTES, REPLY_MAX_BYTES
from text_agent.errors import ProviderError
from text_agent.providers.transport import Patience

each = pytest.mark.parametrize("api", SPEAKERS)
GZIP = "Content-Encoding: gzip"
CHUNKED = "Transfer-Encoding: chunked"
JSON = "Content-Type: application/json"
CALM = Patience(idle_seconds=20)
BRIEF = Patience(idle_seconds=20, total_seconds=0.5)

# What goes on without end inside an answer, whatever its API.
FLOODS = {
    "a line of data": Flood(b'data: {"x": "', b"a"),
    "a line without a colon": Flood(b"data", b"a"),
    "a comment": Flood(b":", b"a"),
    "an event's name": Flood(b"event: ", b"a"),
    "the data of one event": Flood(b"", b"data: %b\n" % (b"a" * 500)),
    "an object": Flood(b'{"choices": [', b"{}, ", header=JSON),
    "a list": Flood(b"", b"[", header=JSON),
    "a page": Flood(b"<html>", b"<p>", header="Content-Type: text/html"),
    "one packed line": Flood(*packed(b'data: {"x": "', b"a" * 1_000_000), header=GZIP),
    "a packed object": Flood(*packed(b'{"choices": [', b"{}, " * 250_000), header=GZIP),
    "headers": Flood(b"", b"X-More: and more\r\n", has_headers=False),
    "a header": Flood(b"X-Long: ", b"a", has_headers=False),
    "the length of a chunk": Flood(b"", b"1", header=CHUNKED),
    "what stands beside the length of a chunk": Flood(b"1;", b"a", header=CHUNKED),
    "trailers": Flood(b"0\r\n", b"X-More: and more\r\n", header=CHUNKED),
}


# What holds nothing, and keeps the connection alive.
EMPTY_FLOODS = {
    "comments": Flood(b"", b": ping\n\n"),
    "packed comments": Flood(*packed(b"", b": ping\n\n" * 100_000), header=GZIP),
    "events that are no JSON": Flood(b"", b"data: ping\n\n"),
    "unknown events": Flood(b"", b'data: {"type": "ping", "choices": []}\n\n'),
    "white space": Flood(b"", b"\n"),
    "carriage returns": Flood(b"data: a", b"\r"),
    "empty blocks": Flood(packed(b"", b"")[0], b"\x00\x00\x00\xff\xff", header=GZIP),
}


def failure(flood: Flood, api: Speaker, patience: Patience = CALM) -> ProviderError:
    """What a reply without end ends in; of what it is made, only a small part is ever in memory."""
    tracemalloc.start()
    with flooding(flood) as server:
        speaker = provider(server.url, api, patience=patience)
        try:
            with pytest.raises(ProviderError) as caught:
                for _ in speaker.complete(HELLO):
                    pass
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            speaker.close()
            tracemalloc.stop()
    assert server.sent < MOST_BYTES
    assert peak < 8 * REPLY_MAX_BYTES
    assert "\n" not in str(caught.value)
    assert server.url in str(caught.value)
    return caught.value


@each
@pytest.mark.parametrize("flood", FLOODS.values(), ids=FLOODS)
def test_what_has_no_end_is_given_up(api: Speaker, flood: Flood) -> None:
    error = failure(flood, api)
    assert not error.retryable or not flood.has_headers or flood.header == CHUNKED


@each
def test_a_reply_without_end_is_given_up(api: Speaker) -> None:
    error = failure(Flood(b"", delta(api, "and so on, " * 50)), api)
    assert "more than 8 MB" in str(error)
    assert "--max-tokens" in error.hint


@each
@pytest.mark.parametrize("status", [302, 400, 401, 404, 429, 500, 503])
@pytest.mark.parametrize(
    ("start", "again", "header"),
    [(b"why: ", b"a", EVENT_STREAM), (*packed(b"why: ", b"a" * 1_000_000), GZIP)],
    ids=["plain", "packed"],
)
def test_a_refusal_without_end_is_still_a_refusal(
    api: Speaker, status: int, start: bytes, again: bytes, header: str
) -> None:
    error = failure(Flood(start, again, status=f"{status} No", header=header), api)
    assert (error.status, f"({status})" in str(error)) == (status, True)
    assert "why: aaa" in str(error)


@each
@pytest.mark.parametrize("flood", EMPTY_FLOODS.values(), ids=EMPTY_FLOODS)
def test_signs_of_life_alone_end_with_the_time_for_a_reply(api: Speaker, flood: Flood) -> None:
    began = time.monotonic()
    error = failure(flood, api, BRIEF)
    assert time.monotonic() - began < 30
    assert "did not end its reply within" in str(error) or "more than 128 MB" in str(error)
    assert not error.retryable


# Started by the tests themselves, a program would count their memory as its own at its beginning.
MEASURING = """
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
sys.exit(code)
"""


@pytest.mark.parametrize(
    "name", ["a line of data", "the data of one event", "an object", "a packed object", "headers"]
)
def test_the_command_says_it_in_one_sentence(name: str, project: Path) -> None:
    with flooding(FLOODS[name]) as server:
        where = ["--provider", "openai", "--base-url", server.url, "--model", "m", "--retries", "0"]
        program = subprocess.run(
            [sys.executable, "-c", MEASURING, str(TEXT_AGENT), "-p", "Hello", *where],
            cwd=project, capture_output=True, text=True, check=False,
        )  # fmt: skip
    *errors, kilobytes = program.stderr.splitlines()
    assert (program.returncode, program.stdout) == (1, "")
    assert len(errors) == 2
    assert server.url in errors[0]
    assert int(kilobytes) < 300_000


def test_the_limits_leave_room_for_every_reply() -> None:
    most_tokens, most_chars_a_token, event_bytes_a_token = 200_000, 6, 500
    assert most_tokens * most_chars_a_token < REPLY_MAX_BYTES / 4
    assert most_tokens * event_bytes_a_token < ANSWER_MAX_BYTES
