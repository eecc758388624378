"""What the user has answered about the settings in projects' files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from text_agent.config.sources import Wish
from text_agent.files.atomic_write import write_atomically
from text_agent.files.problems import reason_of


class ProjectAnswers:
    """The answers for one project, by what exactly was asked; kept in a file of the user's.

    A file that lies in the project is neither read nor written: whoever writes the project's files could
    answer in the user's place. One that is damaged holds no answer.

    Args:
        root: the project's folder.
        file: where the answers of all projects are kept; a JSON object.

    Attributes:
        notices: what went wrong when an answer was to be kept.
    """

    def __init__(self, root: Path, file: Path) -> None:
        self._root = str(root)
        self._file = None if file.resolve().is_relative_to(root) else file
        self._answers = {**self._read().get(self._root, {})}
        self.notices: list[str] = []

    def find(self, wish: Wish) -> bool | None:
        """The answer about a wish; None: it was never asked."""
        answer = self._answers.get(wish.digest)
        return answer if isinstance(answer, bool) else None

    def keep(self, wishes: Iterable[Wish], *, agreed: bool) -> None:
        """Keeps the answer about some wishes."""
        self._answers.update((wish.digest, agreed) for wish in wishes)
        if self._file is None:
            return
        try:
            # Read once more: another start may have written meanwhile.
            text = json.dumps({**self._read(), self._root: self._answers}, indent=2) + "\n"
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_atomically(self._file, text.encode(), mode=0o600)
        except OSError as error:
            self.notices.append(
                f"The answer holds for this start only: cannot write {self._file}: {reason_of(error)}."
            )

    def _read(self) -> Mapping[str, Mapping[str, Any]]:
        try:
            content = json.loads(self._file.read_bytes()) if self._file else {}
        except (OSError, ValueError, RecursionError):
            return {}
        if not isinstance(content, dict):
            return {}
        return {root: answers for root, answers in content.items() if isinstance(answers, dict)}
