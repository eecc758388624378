"""A person who waits while a provider is made ready, and remembers what was said."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class SetupRecorder:
    """Answers every question with `answer`."""

    answer: bool = True
    lines: list[str] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    steps: list[tuple[str, int, int]] = field(default_factory=list)

    def say(self, line: str) -> None:
        self.lines.append(line)

    def confirm(self, question: str) -> bool:
        self.questions.append(question)
        return self.answer

    def progress(self, label: str, done: int, total: int) -> None:
        self.steps.append((label, done, total))

    @property
    def said(self) -> str:
        return "\n".join(self.lines)
