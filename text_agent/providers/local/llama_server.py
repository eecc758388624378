"""llama.cpp's server in this process, on a free loopback port."""

from __future__ import annotations

import os
import secrets
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2

from text_agent.config.limits import IDLE_TIMEOUT_SECONDS, LOCAL_CONTEXT_TOKENS
from text_agent.errors import ConfigError

_MAGIC = b"GGUF"
# Below the lowest level that llama.cpp logs at: nothing of it comes between us and the screen.
_SILENT = -1
_LOOPBACK = "127.0.0.1"


class LlamaServer:
    """A model in memory, and the server that answers for it until `stop`.

    Attributes:
        address: the server's URL, without a path.
        key: the key that it asks for, so that no page in a browser can use it.
        context_tokens: what a prompt and its reply may have together.
    """

    def __init__(self, path: Path, context_tokens: int = LOCAL_CONTEXT_TOKENS) -> None:
        """Loads the model; a Ctrl-C in the meantime counts when that is done.

        Raises:
            ConfigError: llama.cpp cannot load it.
        """
        self.key = secrets.token_urlsafe()
        self.context_tokens = context_tokens
        with _interrupts_held():
            self._server: Any = _start(path, self.key, context_tokens)
            self.address: str = self._server.listening_address
            _await_loop(self.address, self.key)

    def stop(self) -> None:
        """Ends the server and frees the model; connections must be closed before, or it waits for them."""
        # The server has no method for it: its end is the end of the object.
        self._server = None


def check_gguf(path: Path) -> None:
    """Checks that there is a file, and that it begins as a GGUF file does.

    Raises:
        ConfigError: it does not.
    """
    hint = "For the local provider --model is the path of a GGUF file; without it the default model is taken."
    try:
        if not path.exists():
            raise ConfigError(f"the model file {str(path)!r} does not exist.", hint=hint)
        if not path.is_file():
            raise ConfigError(f"the model {str(path)!r} is not a file.", hint=hint)
        with path.open("rb") as file:
            magic = file.read(len(_MAGIC))
    except OSError as error:
        raise ConfigError(f"the model file {str(path)!r} cannot be read: {error.strerror}.") from error
    if magic != _MAGIC:
        raise ConfigError(f"the model file {str(path)!r} is not a GGUF file.", hint=hint)


def _start(path: Path, key: str, context_tokens: int) -> Any:
    import xllamacpp

    try:
        parameters = _parameters(xllamacpp.CommonParams(), path, key)
        parameters.n_ctx = context_tokens
        return xllamacpp.Server(parameters)
    except RuntimeError as error:
        raise ConfigError(
            f"llama.cpp cannot load the model file {str(path)!r}: it is damaged or cut, of a kind that this "
            "version does not know, or too large for the memory.",
            hint="Try another GGUF file, or a newer xllamacpp.",
        ) from error


def _parameters(parameters: Any, path: Path, key: str) -> Any:
    parameters.model.path = str(path)
    parameters.verbosity = _SILENT
    parameters.port = 0
    parameters.api_keys = [key]
    parameters.ui = False
    # One conversation: a second slot would halve the context, and a store of other prompts takes gigabytes.
    # The slot itself keeps the conversation's beginning from one request to the next.
    parameters.n_parallel = 1
    parameters.cache_ram_mib = 0
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = os.cpu_count() or 1
    return parameters


def _await_loop(address: str, key: str) -> None:
    """Waits until the server's loop runs: a server that ends before its loop began never ends."""
    # The list of slots is answered by the loop, unlike `/health`.
    with httpx2.Client(trust_env=False, timeout=IDLE_TIMEOUT_SECONDS) as client:
        client.get(f"{address}/slots", headers={"Authorization": f"Bearer {key}"}).raise_for_status()


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Holds Ctrl-C back until the end.

    Threads that are started inside never receive it: it reaches the main thread, and ends its waiting.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
