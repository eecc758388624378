"""Records what the agent changes, step by step, so that it can be taken back."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict
from pathlib import Path

from text_agent.config.limits import EDIT_MAX_BYTES
from text_agent.errors import ToolError
from text_agent.files.checkpoints.scanner import Snapshot, TreeScanner
from text_agent.files.checkpoints.states import Change, PathState, Sighting, look_at
from text_agent.files.checkpoints.store import ShadowStore, StoreError
from text_agent.files.problems import readable

Changes = dict[str, Change]


class Checkpoints:
    """What the runner tells before and after everything that may change files; this one records nothing."""

    @property
    def may_have_changed(self) -> bool:
        """Whether something was changed in this step, as far as anybody can tell."""
        return True

    def begin_step(self) -> None:
        """Begins a step: what changes from here on is taken back together."""

    def recording_write(self, target: Path) -> AbstractContextManager[None]:  # noqa: ARG002
        """Records what the body does to one file."""
        return nullcontext()

    def recording_command(self, named: Iterable[Path] = ()) -> AbstractContextManager[None]:  # noqa: ARG002
        """Records what the body does to any files of the workspace; to those `named` even if ignored."""
        return nullcontext()


class Recorder(Checkpoints):
    """The checkpoints of one session in one workspace.

    What cannot be recorded does not stop the work: the user is told, once for each reason.
    """

    def __init__(
        self, root: Path, store: ShadowStore, scanner: TreeScanner, tell: Callable[[str], None]
    ) -> None:
        self.root = root  # the workspace's folder
        self.store = store  # where contents are kept
        # The changes of each step that changed anything, by path relative to the workspace.
        self.steps: list[Changes] = []
        # What stood at each path before the session's first change of it.
        self.originals: dict[str, PathState | None] = {}
        self._scanner = scanner
        self._tell = tell
        self._told: set[str] = set()
        self._covers_commands = True
        self._step: Changes = {}

    @property
    def may_have_changed(self) -> bool:
        """Whether this step has changed something that is recorded, or what commands do is not."""
        return bool(self._step) or not self._covers_commands

    def begin_step(self) -> None:
        """Begins a step."""
        self._step = {}

    @contextlib.contextmanager
    def recording_write(self, target: Path) -> Iterator[None]:
        """Keeps the file's state, and records how the body leaves it and the folders made for it."""
        path = target.relative_to(self.root).as_posix()
        sighting = look_at(str(target), EDIT_MAX_BYTES)
        made = [str(folder) for folder in Path(path).parents if not (self.root / folder).exists()]
        before = {path: sighting.state, **dict.fromkeys(made)}
        kept = self._note(before, [] if sighting.content is None else [sighting.content])
        try:
            yield
        finally:
            if kept:
                self._scanner.touch(path)
                self._add({each: Change(state, self.now(each).state) for each, state in before.items()})

    @contextlib.contextmanager
    def recording_command(self, named: Iterable[Path] = ()) -> Iterator[None]:
        """Keeps the state of the whole tree, and records what the body leaves of it."""
        for target in named:
            self._scanner.touch(target.relative_to(self.root).as_posix())
        before = self._scan()
        try:
            yield
        finally:
            after = self._scan() if before else None
            if before and after:
                self._add_noted(before.changes_to(after))

    def now(self, path: str, former: PathState | None = None) -> Sighting:
        """What stands at a path; a file is not read if the content of the `former` one was not kept."""
        return look_at(str(self.root / path), EDIT_MAX_BYTES if former is None or former.kept else -1)

    def _add(self, changes: Mapping[str, Change]) -> None:
        """Adds changes to those of the step; what is as it was is none."""
        for path, change in changes.items():
            if change.before == change.after:
                continue
            self.originals.setdefault(path, change.before)
            self._step[path] = self._step[path].then(change) if path in self._step else change
        if self._step and not (self.steps and self.steps[-1] is self._step):
            self.steps.append(self._step)

    def _add_noted(self, changes: Mapping[str, Change]) -> None:
        if changes and self._note({path: change.before for path, change in changes.items()}):
            self._add(changes)

    def _note(self, before: Mapping[str, PathState | None], contents: Iterable[bytes] = ()) -> bool:
        """Notes in the store what stood where, with contents that are not in it yet."""
        files = [state.content for state in before.values() if state and state.kind == "file" and state.kept]
        try:
            with self.store.importing() as importer:
                for content in contents:
                    importer.add(content)
                importer.commit(_manifest(before), files)
        except StoreError as error:
            self._warn(f"The next changes cannot be undone: {error}.")
            return False
        return True

    def _scan(self) -> Snapshot | None:
        if not self._covers_commands:
            return None
        try:
            return self._scanner.scan()
        except (StoreError, ToolError) as error:
            self._covers_commands = False
            self._warn(f"What commands change cannot be undone: {str(error).rstrip('.')}.")
            return None

    def _warn(self, text: str) -> None:
        if text not in self._told:
            self._told.add(text)
            self._tell(text)


def _manifest(before: Mapping[str, PathState | None]) -> str:
    """What stood where, in JSON; file names that are not UTF-8 are escaped."""
    return json.dumps({readable(path): state and asdict(state) for path, state in before.items()}, indent=1)
