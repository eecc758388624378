"""What every test gets: an environment of its own, and no network but this machine's."""

from __future__ import annotations

import contextlib
import importlib
import os
import pkgutil
import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from platformdirs import user_cache_path

import text_agent
from text_agent.config.settings import VARIABLES

# Where no bytecode may be written beside the source, each start of the program would compile it all anew.
if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):
    os.environ["PYTHONPYCACHEPREFIX"] = str(user_cache_path("text-agent-tests") / "bytecode")
# A run is as the one before, and none fails because the machine is busy.
settings.register_profile(
    "project", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("project")


# What holds the coverage of 100 %. Elsewhere nothing is measured: a measured test takes twice the time.
_MEASURED = tuple(
    str(Path(__file__).parent / name) for name in ("architecture", "unit", "integration/commands")
)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Traces the import of the program alone, and not that of the tests."""
    if sys.gettrace():
        for module in pkgutil.walk_packages(text_agent.__path__, "text_agent."):
            importlib.import_module(module.name)
    with _untraced():
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Traces only the tests that the coverage needs."""
    is_measured = str(item.path).startswith(_MEASURED) and not item.get_closest_marker("untraced")
    with contextlib.nullcontext() if is_measured else _untraced():
        return (yield)


@contextlib.contextmanager
def _untraced() -> Iterator[None]:
    """Keeps the coverage from tracing; its own pause does not: a worker has two, and one takes over."""
    here, in_threads = sys.gettrace(), threading.gettrace()
    sys.settrace(None)
    threading.settrace(None)
    try:
        yield
    finally:
        sys.settrace(here)
        threading.settrace(in_threads)


def pytest_xdist_auto_num_workers() -> int:
    """Starts more workers than there are processors, as tests wait for processes, terminals and sockets."""
    return 3 * (os.cpu_count() or 1) // 2


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Empty home folders: the same one again, until a test leaves something in it."""
    return _homes(tmp_path_factory)


def _homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    while True:
        home = tmp_path_factory.mktemp("home")
        while home.is_dir() and not any(home.iterdir()):
            yield home


@pytest.fixture(autouse=True)
def own_environment(homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without settings, so that no key or file of the developer's reaches a test."""
    home = next(homes)
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name in [name for name in os.environ if name.startswith("XDG_")]:
        monkeypatch.delenv(name)
    # A model server of the developer's is none of a test's, either.
    monkeypatch.setenv("TEXT_AGENT_DISCOVERY", "off")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return home


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """An empty folder to work in."""
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture(scope="session", autouse=True)
def only_loopback() -> Iterator[None]:
    """Fails a test of this process that connects to anything but this machine."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: object) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6):
            host = address[0] if isinstance(address, tuple) else address
            assert host in ("127.0.0.1", "::1", "localhost"), f"a test connects to {host}"
        connect(self, address)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", guarded)
        yield
