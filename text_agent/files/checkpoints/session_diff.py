"""All changes of a session in one diff."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from text_agent.config.limits import DIFF_MAX_BYTES
from text_agent.files.checkpoints.recorder import Recorder
from text_agent.files.checkpoints.states import PathState, Sighting
from text_agent.files.lines import render_diff
from text_agent.files.problems import readable
from text_agent.protocol.types import FileFate


def render_session_diff(recorder: Recorder) -> str:
    """Compares what stood at each path before its first change with what stands now. Raises `StoreError`."""
    if not recorder.originals:
        return ""
    with recorder.store.reading() as read:
        parts = [
            line
            for path, before in sorted(recorder.originals.items())
            if (now := recorder.now(path, before)).state != before
            for line in render_difference(path, before, now, read)
        ]
    return "\n".join(parts)


def changed_files(recorder: Recorder) -> dict[str, FileFate]:
    """What has become of each file that is not as it was before the session; without folders."""
    fates: dict[str, FileFate] = {}
    for path, before in sorted(recorder.originals.items()):
        after = recorder.now(path, before).state
        if before != after and not _is_or_was_folder(before, after):
            fates[readable(path)] = "created" if before is None else "modified" if after else "deleted"
    return fates


def render_difference(
    path: str, before: PathState | None, sighting: Sighting, read: Callable[[str], bytes]
) -> Iterator[str]:
    """The lines that show what has become of a path; none for a folder. `read` gives former contents."""
    after, shown = sighting.state, readable(path)
    if _is_or_was_folder(before, after):
        return
    if not (_has_text(before) and _has_text(after)):
        yield f"{shown}: {_described(before)} becomes {_described(after)}"
        return
    old = read(before.content) if before else None
    new = sighting.content
    if len(old or b"") + len(new or b"") > DIFF_MAX_BYTES:
        yield f"{shown}: {len(old or b''):,} bytes become {len(new or b''):,} bytes"
    elif old != new:
        yield render_diff(shown, old, new)
    if before and after and before.mode != after.mode:
        yield f"{shown}: mode {before.mode:o} becomes {after.mode:o}"


def _is_or_was_folder(before: PathState | None, after: PathState | None) -> bool:
    kinds = {state.kind for state in (before, after) if state}
    return kinds == {"folder"}


def _has_text(state: PathState | None) -> bool:
    return state is None or (state.kind == "file" and state.kept)


def _described(state: PathState | None) -> str:
    if state is None:
        return "nothing"
    if state.kind == "link":
        return f"a link to {readable(state.content)}"
    return "a file whose content was not kept" if state.kind == "file" else f"a {state.kind}"
