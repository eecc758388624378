"""What commands change of files that grant power later: it is found afterwards, and taken back.

A person may then say that it is to stay, as with a change that a tool proposes.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from text_agent.commands.power.view import PowerView, look_for_power
from text_agent.commands.sandbox.repositories import set_aside
from text_agent.files.checkpoints.session_diff import render_difference
from text_agent.files.checkpoints.states import PathState
from text_agent.files.checkpoints.undo import Restorer
from text_agent.files.problems import readable


@dataclass(frozen=True, slots=True)
class PowerChanges:
    """What a command has changed of files that grant power, and what was taken back of it."""

    paths: tuple[str, ...]  # the files, as the user knows them
    diff: str  # what was changed in them
    failed: Mapping[str, str]  # what could not be taken back, and why
    aside: Mapping[str, str]  # the new names of what was moved there: to remove it would lose it
    _after: PowerView
    _states: Mapping[str, PathState | None]

    def put_back(self) -> None:
        """Makes the changes again: a person has agreed."""
        root, contents = Path(self._after.root), self._after.contents()
        for path, name in self.aside.items():
            (root / name).rename(root / path)
        Restorer(root, contents.__getitem__).restore(self._states)


class PowerWatch:
    """Watches the files of a workspace that grant power, from the moment on that it is made."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._before = look_for_power(str(root))
        for link in self._before.links:
            self._before.follow(link)

    def take_back(self) -> PowerChanges | None:
        """Makes these files what they were, and tells what had become of them; None if nothing had."""
        before, after = self._before, look_for_power(str(self._root))
        for link in before.links & after.links:
            # Behind a new link lies what was there before: to take the link away is enough.
            if before.state(link) == after.state(link):
                after.follow(link)
        for path in before.sightings.keys() - after.sightings.keys():
            after.add(path)
        after.settings.update(before.settings)
        before.settings.update(after.settings)
        paths = sorted(before.sightings.keys() | after.sightings.keys())
        changed = [path for path in paths if before.power(path) != after.power(path)]
        if not changed:
            return None
        aside = self._set_aside(changed, after)
        restorer = Restorer(self._root, before.contents().__getitem__)
        restorer.restore({path: before.state(path) for path in changed})
        return PowerChanges(
            tuple(readable(path) for path in changed if not self._is_folder(path, after)),
            "\n".join(self._differences(changed, after)),
            restorer.failed,
            aside,
            after,
            {path: after.state(path) for path in changed if path not in aside},
        )

    def _set_aside(self, changed: Iterable[str], after: PowerView) -> dict[str, str]:
        known = {
            inode
            for path, inode in self._before.inodes.items()
            if (state := self._before.state(path)) and state.kept
        }
        would_be_lost = self._before.all_inodes - known
        aside: dict[str, str] = {}
        for path in changed:
            if after.inodes.get(path) in would_be_lost and os.path.lexists(self._root / path):
                aside[path] = set_aside(self._root / path).relative_to(self._root).as_posix()
        return aside

    def _is_folder(self, path: str, after: PowerView) -> bool:
        states = {state.kind for view in (self._before, after) if (state := view.state(path))}
        return states == {"folder"}

    def _differences(self, changed: Iterable[str], after: PowerView) -> Iterator[str]:
        read = self._before.contents().__getitem__
        for path in changed:
            yield from render_difference(path, self._before.state(path), after.sighting(path), read)
