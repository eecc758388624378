"""The shadow git repository: contents by their id, outside the workspace.

Only plumbing is used, on a repository of its own, with nothing of the user's configuration: no
attributes, filters, line-ending conversion or hooks see the bytes, and the user's repository is not
touched. Every state that is kept is also a commit, whose message says in JSON what stood where, so
that it can be brought back by hand after a crash.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO

from text_agent.config.limits import CHECKPOINT_STORE_DAYS
from text_agent.files.checkpoints.states import blob_id
from text_agent.own_programs.git import GIT_VARIABLES, own_flags
from text_agent.own_programs.processes import own_environment, start

_DAY = 24 * 60 * 60
_SETTINGS = {
    "core.compression": "1",  # speed counts more than the size of what lives for weeks
    "gc.auto": "0",  # whatever is kept stays; old stores go as a whole
    "core.logAllRefUpdates": "false",
}


class StoreError(Exception):
    """The store did not take or give a content; the text says why."""


class ShadowStore:
    """The contents that are kept for one workspace; made when the first one comes."""

    def __init__(self, data_folder: Path, root: Path, git: str) -> None:
        stores = data_folder / "checkpoints"
        key = hashlib.sha256(os.fsencode(root)).hexdigest()[:24]
        self.folder = stores / f"{key}.git"  # the bare repository
        self.index = self.folder / "kept.json"  # a file beside it for what was kept of which path
        self._root = root
        self._git = git
        self._ref = f"refs/sessions/{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(4)}"
        self._committed = False
        self._prepared = False

    @contextlib.contextmanager
    def importing(self) -> Iterator[Importer]:
        """Opens the store for new contents, kept when the body ends. Raises `StoreError`: they are not."""
        self._prepare()
        arguments = ("fast-import", "--quiet", "--done", "--depth=0")
        with self._process(*arguments) as (stdin, _):
            importer = Importer(stdin, self._ref, begun=self._committed)
            yield importer
            stdin.write(b"done\n")
        self._committed = importer.begun

    @contextlib.contextmanager
    def reading(self) -> Iterator[Callable[[str], bytes]]:
        """Opens the store; the function gives the content of an id. Raises `StoreError`: it is not kept."""
        with self._process("cat-file", "--batch") as (stdin, stdout):

            def read(identity: str) -> bytes:
                stdin.write(identity.encode() + b"\n")
                stdin.flush()
                header = stdout.readline().split()
                if header[1:2] != [b"blob"]:
                    raise StoreError("its former content is no longer kept")
                return stdout.read(int(header[2]) + 1)[:-1]

            yield read

    def _prepare(self) -> None:
        try:
            if not self._prepared:
                self._remove_old_stores()
                self._prepared = True
            if not self.folder.exists():
                self.folder.mkdir(mode=0o700, parents=True)
                self._call("init", "--quiet", "--bare", "--template=", "--object-format=sha1")
                for name, value in _SETTINGS.items():
                    self._call("config", name, value)
                (self.folder / "description").write_text(repr(str(self._root)), encoding="utf-8")
            os.utime(self.folder)
        except OSError as error:
            raise StoreError(error.strerror or str(error)) from error

    def _remove_old_stores(self) -> None:
        """Removes stores made too long ago, unless a session may still use them."""
        now = time.time()
        for head in self.folder.parent.glob("*.git/HEAD"):  # it never changes
            age, idle = now - head.stat().st_mtime, now - head.parent.stat().st_mtime
            if age > CHECKPOINT_STORE_DAYS * _DAY and idle > _DAY:
                shutil.rmtree(head.parent, ignore_errors=True)

    def _environment(self) -> dict[str, str]:
        own = {"GIT_DIR": str(self.folder), "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
        return {**own_environment(os.environ, self._root), **GIT_VARIABLES, **own}

    def _call(self, *arguments: str) -> None:
        with self._process(*arguments):
            pass

    @contextlib.contextmanager
    def _process(self, *arguments: str) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
        """Runs git while the body lasts; it must end well."""
        try:
            process = start(
                [self._git, *own_flags(), *arguments], self._environment(), self.folder, piped=True
            )
        except OSError as error:
            raise StoreError(f"git cannot be run: {error.strerror or error}") from error
        assert process.stdin
        assert process.stdout
        assert process.stderr
        with process:
            try:
                with contextlib.suppress(BrokenPipeError):  # it has ended too early; why, it says itself
                    yield process.stdin, process.stdout
                with contextlib.suppress(BrokenPipeError):
                    process.stdin.close()
            except BaseException:
                process.kill()
                raise
            problem = process.stderr.read().decode("utf-8", "replace").strip()
        if process.returncode:
            raise StoreError(problem.splitlines()[0] if problem else f"git ended with {process.returncode}")


class Importer:
    """Takes contents into the store; `begun`: the session has a commit."""

    def __init__(self, stdin: IO[bytes], ref: str, *, begun: bool) -> None:
        self._stdin = stdin
        self._ref = ref.encode()
        self.begun = begun

    def add(self, content: bytes) -> str:
        """Takes one content and returns its id."""
        self._stdin.write(b"blob\ndata %d\n" % len(content))
        self._stdin.write(content)
        self._stdin.write(b"\n")
        return blob_id(content)

    def commit(self, message: str, identities: Iterable[str]) -> None:
        """Adds a commit that says what stood where, and holds the contents by their ids."""
        text = message.encode("utf-8", "surrogatepass")
        now = int(time.time())
        lines = [
            b"commit " + self._ref,
            b"committer text-agent <text-agent@localhost> %d +0000" % now,
            b"data %d" % len(text),
            text,
            *([b"from " + self._ref + b"^0"] if self.begun else []),
            b"deleteall",
            *(b"M 100644 %b %b" % (name, name) for name in sorted({each.encode() for each in identities})),
            b"",
        ]
        self._stdin.write(b"\n".join(lines) + b"\n")
        self.begun = True
