"""A chat of 1,000 turns with a context of 16,000 tokens, against a scripted server that counts.

    python -m bench.session [--turns 1000] [--context 16000]

The server, a process of its own, refuses what is longer than the context, and looks for the first request
and for every agreement so far in each prompt. Here the processor time of each step is measured, without and
with the SDK's, and the memory. Exits with 1 if a limit is exceeded.
"""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.moves import Fail, Say
from tests.support.recorded import RecordedRequest
from tests.support.scripted_server import ScriptedServer
from tests.support.surroundings import surroundings_of
from text_agent.agent.agent import Agent
from text_agent.agent.runner import ToolRunner
from text_agent.config.settings import ProviderName, Settings
from text_agent.events import ConversationCompacted, Event
from text_agent.files.workspace import Workspace
from text_agent.messages import CompletionRequest, ReplyPiece, Usage
from text_agent.permissions.policy import PermissionPolicy, Review, ReviewRequest
from text_agent.protocol.prompt import render_system_prompt
from text_agent.providers.base import Provider
from text_agent.providers.factory import create_provider
from text_agent.providers.masked import MaskedProvider
from text_agent.providers.retries import RetryingProvider
from text_agent.providers.wrapper import ProviderWrapper
from text_agent.text.masking import Masker
from text_agent.tools.registry import default_tools

ROOT = Path(__file__).parents[1]
MAX_OWN_MILLISECONDS = 5.0
MAX_SDK_MILLISECONDS = 10.0
MAX_GROWTH_MEGABYTES = 10.0
# A turn in so many makes an agreement.
AGREEMENT_EVERY = 50
FIRST_REQUEST = "Write a long poem about the sea, and never rhyme on -ation."
CHARS_PER_TOKEN = 3.6


def request_of(turn: int) -> str:
    """What the user says in a turn, counted from 0."""
    if turn == 0:
        return FIRST_REQUEST
    if turn % AGREEMENT_EVERY == 1:
        return f"agreement {turn}: from now on, verse {turn} stays as it is."
    return f"Look at notes.txt again and go on with verse {turn}."


@dataclass
class Model:
    """What the server says, and what it finds wrong with what it is asked."""

    context: int
    longest: int = 0
    summaries: int = 0
    problems: list[str] = field(default_factory=list)
    agreements: set[str] = field(default_factory=set)

    def reply(self, request: RecordedRequest) -> Say | Fail:
        text = "\n".join([request.system, *(message.content for message in request.messages)])
        tokens = round(len(text) / CHARS_PER_TOKEN)
        self.longest = max(self.longest, tokens + int(request.body["max_tokens"]))
        self._check(request, text, tokens)
        if tokens + request.body["max_tokens"] > self.context:
            return Fail(400, f"request ({tokens} tokens) exceeds the context size ({self.context} tokens)")
        answer = self._answer(request, text)
        return Say(answer, chunks=20, usage=Usage(tokens, len(answer) // 4, 0))

    def _check(self, request: RecordedRequest, text: str, tokens: int) -> None:
        if tokens + request.body["max_tokens"] > self.context:
            self.problems.append(f"{tokens} tokens and {request.body['max_tokens']} for the reply")
        if FIRST_REQUEST not in text:
            self.problems.append("the first request is not there word for word")
        if "## Agreements" in request.last:
            return  # what is kept word for word is not in a request for a summary
        self.agreements.update(re.findall(r"agreement \d+:[^\n]*", request.last))
        self.problems += [f"{each!r} is not there" for each in self.agreements if each not in text]

    def _answer(self, request: RecordedRequest, text: str) -> str:
        if "## Agreements" in request.last:
            self.summaries += 1
            agreements = sorted(set(re.findall(r"agreement \d+:[^\n]*", text)))
            return "\n".join(["## Goal", "A poem.", "## Agreements", *agreements])
        if "Look at notes.txt" in request.last and "tool_result" not in request.last:
            return 'I look.\ntool: read_file({"path": "notes.txt"})'
        return "The waves go on, and so does this verse of the poem. " * 8


class Nobody:
    def review(self, request: ReviewRequest) -> Review:
        raise AssertionError(f"nobody can be asked: {request}")


class TimedProvider(ProviderWrapper):
    """Passes everything on, and adds up the processor time that it takes below."""

    def __init__(self, provider: Provider) -> None:
        super().__init__(provider)
        self.seconds = 0.0

    def complete(self, request: CompletionRequest) -> Generator[ReplyPiece, None, None]:
        with closing(self._provider.complete(request)) as pieces:
            while True:
                before = time.thread_time()
                try:
                    piece = next(pieces)
                except StopIteration:
                    return
                finally:
                    self.seconds += time.thread_time() - before
                yield piece


@dataclass(frozen=True)
class Turn:
    """The milliseconds of a step of one turn, without and with what the SDK takes."""

    own: float
    sdk: float


class Chat:
    """A chat with the server at `url`."""

    def __init__(self, folder: Path, url: str, context: int, api: ProviderName = "openai") -> None:
        (folder / "notes.txt").write_text("\n".join(f"note {n}: salt, wind and foam" for n in range(80)))
        settings = Settings(
            api,
            "scripted-model",
            url,
            api_key="sk-" + "0" * 40,
            max_tokens=1_000,
            context_tokens=context,
        )
        mask = Masker([settings.api_key or ""])
        self.provider = TimedProvider(create_provider(settings, listener=None))  # type: ignore[arg-type]
        workspace = Workspace(folder)
        tools = default_tools(workspace)
        policy = PermissionPolicy(surroundings_of(folder), "ask")
        runner = ToolRunner(tools, workspace, policy, Nobody(), None, mask)
        self.compactions = 0
        self.agent = Agent(
            RetryingProvider(MaskedProvider(self.provider, mask)),
            runner,
            render_system_prompt(tools.values()),
            settings,
            self._note,
        )

    def turns(self, count: int) -> Iterator[Turn]:
        for number in range(count):
            self.provider.seconds, before = 0.0, time.thread_time()
            finished = self.agent.run_turn(request_of(number))
            if finished.status != "answered":
                raise AssertionError(f"turn {number}: {finished.message}")
            total = time.thread_time() - before
            sdk = self.provider.seconds
            yield Turn(1000 * (total - sdk) / finished.steps, 1000 * sdk / finished.steps)

    def _note(self, event: Event) -> None:
        self.compactions += isinstance(event, ConversationCompacted)


def memory_megabytes() -> float:
    fields = Path("/proc/self/statm").read_text().split()
    return int(fields[1]) * 4096 / 1e6


def serve(context: int) -> int:
    """Serves until standard input ends; tells the URL first, and what was wrong at the end."""
    model = Model(context)
    with ScriptedServer([model.reply] * 1_000_000, strict=False) as server:
        print(server.openai_url, flush=True)
        for _ in sys.stdin:
            pass
        print(f"longest {model.longest}, summaries {model.summaries}")
        print("\n".join([*model.problems, *server.violations][:10]))
    return 0


def measure(turns: int, context: int) -> bool:
    command = [sys.executable, "-m", "bench.session", "--serve", "--context", str(context)]
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as server,
    ):
        assert server.stdin
        assert server.stdout
        chat = Chat(Path(folder), server.stdout.readline().strip(), context)
        times: list[Turn] = []
        memory = 0.0
        for turn in chat.turns(turns):
            times.append(turn)
            memory = memory_megabytes() if len(times) == turns // 10 else memory
        growth = memory_megabytes() - memory
        server.stdin.close()
        summary, *problems = server.stdout.read().splitlines()
        chat.provider.close()
    return report(times, summary, [each for each in problems if each], growth)


def report(times: list[Turn], summary: str, problems: list[str], growth: float) -> bool:
    ok = not problems
    print(f"{len(times)} turns; {summary}; problems: {problems or 'none'}")
    for name, window in (("turn 10", times[5:15]), (f"turn {len(times)}", times[-10:])):
        own = statistics.median(turn.own for turn in window)
        sdk = statistics.median(turn.sdk for turn in window)
        ok &= own <= MAX_OWN_MILLISECONDS and sdk <= MAX_SDK_MILLISECONDS
        print(f"{name:<12} {own:6.2f} ms our own a step (limit {MAX_OWN_MILLISECONDS:g}), {sdk:.2f} ms below")
    ok &= growth <= MAX_GROWTH_MEGABYTES
    print(f"memory grew by {growth:.1f} MB after the first tenth (limit {MAX_GROWTH_MEGABYTES:g})")
    return ok


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--turns", type=int, default=1_000)
    parser.add_argument("--context", type=int, default=16_000)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        return serve(arguments.context)
    return 0 if measure(arguments.turns, arguments.context) else 1


if __name__ == "__main__":
    sys.exit(main())
