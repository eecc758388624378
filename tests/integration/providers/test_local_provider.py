"""The `local` provider with a small real model."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import IO

import httpx2
import pytest

from tests.support.command import run_command
from tests.support.described_tools import SEVEN_TOOLS
from tests.support.gbnf import Grammar
from tests.support.setup_recorder import SetupRecorder
from tests.support.small_model import small_model
from text_agent.config.settings import Settings
from text_agent.errors import ConfigError
from text_agent.messages import CompletionRequest, Message, ReplyEnd, ReplyPiece, TextDelta
from text_agent.protocol.grammar.grammar import reply_grammar
from text_agent.providers.local.llama_server import LlamaServer
from text_agent.providers.local.provider import LocalProvider, create_local_provider

# A program that loads the model named on its command line, and then does what is appended.
PROGRAM = """
import sys
from pathlib import Path
from text_agent.messages import CompletionRequest, Message
from text_agent.providers.local.llama_server import LlamaServer
from text_agent.providers.local.provider import LocalProvider

provider = LocalProvider(LlamaServer(Path(sys.argv[1])), "small")
request = CompletionRequest("Be helpful.", (Message("user", "Tell a very long story."),), 4000)
"""


@pytest.fixture(scope="session")
def model() -> Path:
    return small_model()


@pytest.fixture(scope="module")
def server(model: Path) -> Iterator[LlamaServer]:
    server = LlamaServer(model)
    yield server
    server.stop()


@pytest.fixture
def provider(server: LlamaServer) -> LocalProvider:
    """A provider on the shared server, which outlives it."""
    return LocalProvider(server, "small")


def request(*texts: str, system: str = "Answer in one word.", max_tokens: int = 8) -> CompletionRequest:
    messages = [Message("user" if n % 2 == 0 else "assistant", text) for n, text in enumerate(texts)]
    return CompletionRequest(system, tuple(messages), max_tokens)


def text_of(pieces: list[ReplyPiece]) -> str:
    return "".join(piece.text for piece in pieces if isinstance(piece, TextDelta))


def end_of(pieces: list[ReplyPiece]) -> ReplyEnd:
    (end,) = [piece for piece in pieces if isinstance(piece, ReplyEnd)]
    assert end is pieces[-1]
    return end


def run(body: str, model: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM + body, str(model)],
        capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip


class TestReplies:
    def test_a_gguf_file_answers_under_its_name(self, model: Path) -> None:
        listener = SetupRecorder()
        provider = create_local_provider(Settings("local", model=str(model)), listener)
        try:
            pieces = list(provider.complete(request("What is the capital of France?")))
        finally:
            provider.close()
        assert (provider.name, provider.model) == ("local", model.stem)
        assert text_of(pieces).strip()
        usage = end_of(pieces).usage
        assert usage.input_tokens
        assert usage.output_tokens
        assert listener.lines == [f"Loading {model.name} ..."]

    @pytest.mark.parametrize("root", ["before", "call"])
    def test_the_grammar_holds_llama_cpp_to_it(self, server: LlamaServer, root: str) -> None:
        """Of a reply that must begin with a call, and of any; a hot model tries everything."""
        provider = LocalProvider(server, "small", temperature=1.5)
        grammar = reply_grammar(SEVEN_TOOLS).replace("root ::= before", f"root ::= {root}")
        asked = request("Write: tool: make_coffee({'cups': 2})", max_tokens=48)
        text = text_of(list(provider.complete(replace(asked, grammar=grammar))))
        assert text.startswith("tool: ") or root == "before"
        assert Grammar(grammar).accepts_beginning(text), text

    def test_the_limit_ends_a_reply(self, provider: LocalProvider) -> None:
        # A model of random weights may end a reply at once, unless a grammar keeps it from that.
        endless = replace(
            request("Count to a thousand.", max_tokens=5), grammar='root ::= "1, 2, 3, 4, 5, 6, 7, 8, 9"'
        )
        pieces = list(provider.complete(endless))
        assert end_of(pieces).stop_reason == "max_tokens"
        assert end_of(pieces).usage.output_tokens == 5

    def test_the_beginning_of_a_conversation_is_read_once(self, provider: LocalProvider) -> None:
        system = "You are a careful helper who reads files. " * 10
        first = list(provider.complete(request("Hello", system=system)))
        second = list(provider.complete(request("Hello", text_of(first) or ".", "Go on", system=system)))
        before, after = end_of(first).usage, end_of(second).usage
        assert before.input_tokens
        assert after.cached_tokens
        # What is new is only the second question and the marks around it.
        assert after.cached_tokens >= before.input_tokens - 5

    def test_a_reply_that_is_closed_early_frees_the_server(
        self, server: LlamaServer, provider: LocalProvider
    ) -> None:
        pieces = provider.complete(request("Tell a very long story.", system="Be helpful.", max_tokens=4000))
        next(iter(pieces))
        assert is_busy(server)
        pieces.close()
        deadline = time.monotonic() + 10
        while is_busy(server):
            assert time.monotonic() < deadline, "the server goes on with a reply that nobody reads"
            time.sleep(0.05)

    def test_strangers_are_not_served(self, server: LlamaServer) -> None:
        assert httpx2.get(f"{server.address}/v1/models").status_code == 401


def is_busy(server: LlamaServer) -> bool:
    answer = httpx2.get(f"{server.address}/slots", headers={"Authorization": f"Bearer {server.key}"})
    (slot,) = answer.json()
    return bool(slot["is_processing"])


class TestProcess:
    def test_llama_cpp_prints_nothing(self, model: Path) -> None:
        body = "next(provider.complete(request)); provider.close(); print('only this')"
        result = run(body, model)
        assert (result.stdout, result.stderr, result.returncode) == ("only this\n", "", 0)

    def test_closing_in_the_middle_of_a_reply_takes_no_time(self, model: Path) -> None:
        body = """
import time
next(provider.complete(request))
before = time.monotonic()
provider.close()
provider.close()
print(time.monotonic() - before)
"""
        assert float(run(body, model).stdout) < 10

    @pytest.mark.parametrize(
        ("body", "code"),
        [
            ("provider.close(); sys.exit(7)", 7),
            ("sys.exit(7)", 7),
            ("next(provider.complete(request)); sys.exit(7)", 7),
            ("reply = provider.complete(request); next(reply); raise ZeroDivisionError", 1),
        ],
        ids=["closed", "not closed", "reply dropped", "error in mid-reply"],
    )
    def test_the_exit_code_is_kept(self, body: str, code: int, model: Path) -> None:
        before = time.monotonic()
        assert run(body, model).returncode == code
        # Without care llama.cpp waits half a minute for a reader that is gone.
        assert time.monotonic() - before < 25

    def test_ctrl_c_ends_a_reply_and_the_process(self, model: Path) -> None:
        body = """
try:
    for piece in provider.complete(request):
        print("piece", flush=True)
except KeyboardInterrupt:
    provider.close()
    sys.exit(130)
"""
        process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM + body, str(model)], stdout=subprocess.PIPE, text=True
        )
        with process:
            assert lines_of(process).readline() == "piece\n"
            process.send_signal(signal.SIGINT)
            assert process.wait(20) == 130

    def test_ctrl_c_while_loading_ends_the_process(self, model: Path) -> None:
        # Sent from outside, so that only the mask of this process decides when it comes.
        kill = "import os, subprocess; subprocess.Popen(['sh', '-c', f'sleep 0.1; kill -INT {os.getpid()}'])"
        program = PROGRAM.replace("provider = ", f"import xllamacpp\n{kill}\nprovider = ")
        result = subprocess.run(
            [sys.executable, "-c", program + "print('loaded')", str(model)],
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert "KeyboardInterrupt" in result.stderr
        assert (result.stdout, result.returncode) == ("", -signal.SIGINT)

    def test_the_command_answers_with_a_local_model(self, model: Path, project: Path) -> None:
        arguments = ["--provider", "local", "--model", str(model), "--max-steps", "1", "--max-tokens", "16"]
        result = run_command("-p", "Say hello.", *arguments, cwd=project, timeout=100)
        # So small a model rarely comes to an end, and may also talk itself into a call.
        assert result.returncode in (0, 3), result.stderr
        assert result.stderr.startswith(f"Loading {model.name} ...\n")
        assert "srv " not in result.stderr


def lines_of(process: subprocess.Popen[str]) -> IO[str]:
    assert process.stdout
    return process.stdout


class TestBadModels:
    @pytest.mark.parametrize("name", ["missing.gguf", "~/missing.gguf", "~nobody-here/x.gguf", "qwen"])
    def test_a_missing_file(self, name: str) -> None:
        with pytest.raises(ConfigError, match="does not exist") as caught:
            create(name)
        assert "--model is the path of a GGUF file" in caught.value.hint

    def test_a_name_that_is_too_long(self) -> None:
        with pytest.raises(ConfigError, match="cannot be read: File name too long"):
            create("x" * 5000)

    def test_a_folder(self, tmp_path: Path) -> None:
        with pytest.raises(ConfigError, match="is not a file"):
            create(str(tmp_path))

    @pytest.mark.parametrize("content", [b"", b"GGU", b"Hello, I am a text.\n", b"\x89PNG\r\n\x1a\n"])
    def test_another_kind_of_file(self, content: bytes, tmp_path: Path) -> None:
        (tmp_path / "x.gguf").write_bytes(content)
        with pytest.raises(ConfigError, match="is not a GGUF file"):
            create(str(tmp_path / "x.gguf"))

    def test_an_unreadable_file(self, tmp_path: Path) -> None:
        path = tmp_path / "x.gguf"
        path.write_bytes(b"GGUF")
        path.chmod(0)
        if os.access(path, os.R_OK):
            pytest.skip("this user may read every file")
        with pytest.raises(ConfigError, match="cannot be read: Permission denied"):
            create(str(path))

    @pytest.mark.parametrize("size", [4, 100, 1_000_000, 50_000_000])
    def test_a_cut_file(self, size: int, model: Path, tmp_path: Path) -> None:
        with model.open("rb") as file:
            (tmp_path / "cut.gguf").write_bytes(file.read(size))
        with pytest.raises(ConfigError, match=r"llama\.cpp cannot load") as caught:
            create(str(tmp_path / "cut.gguf"))
        assert "\n" not in str(caught.value)

    def test_noise_after_a_right_beginning(self, tmp_path: Path) -> None:
        (tmp_path / "noise.gguf").write_bytes(b"GGUF\x03\0\0\0" + os.urandom(100_000))
        with pytest.raises(ConfigError, match=r"llama\.cpp cannot load"):
            create(str(tmp_path / "noise.gguf"))

    def test_the_default_model_is_not_fetched_without_a_yes(self) -> None:
        listener = SetupRecorder(answer=False)
        with pytest.raises(ConfigError):
            create_local_provider(Settings("local"), listener)
        assert "1.1 GB" in listener.said

    @pytest.mark.parametrize("package", ["xllamacpp", "huggingface_hub"])
    def test_a_missing_extra_is_named(self, package: str, project: Path) -> None:
        program = (
            f"import sys; sys.modules[{package!r}] = None\n"
            "from text_agent.cli.main import main\n"
            "sys.exit(main())"
        )
        result = subprocess.run(
            [sys.executable, "-c", program, "-p", "hello", "--provider", "local"],
            cwd=project, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert result.returncode == 2
        assert "needs the extra [local] of text-agent" in result.stderr
        assert "install 'text-agent[local]'" not in result.stderr


def create(model: str) -> LocalProvider:
    return create_local_provider(Settings("local", model=model), SetupRecorder())
