"""What an endpoint takes in a request, learnt from what it refuses."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from text_agent.lazy_regex import late_pattern
from text_agent.messages import CompletionRequest, Message
from text_agent.providers import overflow
from text_agent.providers.error_bodies import naming

# A refusal of a parameter's value, not of the parameter.
_ABOUT_VALUE = late_pattern(
    r"too (large|high|big)|at most|at least|exceed|(less|greater) than|maximum|range|<=|>", re.IGNORECASE
)
# A smaller limit than this is no limit of a reply: the number stands for something else.
_LEAST_LIMIT = 16
_STREAM_OPTIONS = late_pattern(r"stream_options|include_usage")
_STOP = late_pattern(r"\bstop(_sequences|_strings)?\b")
_TEMPERATURE = late_pattern(r"\btemperature\b", re.IGNORECASE)
_GRAMMAR = late_pattern(r"\bgrammar\b|structured.?outputs?\b", re.IGNORECASE)
_CACHE_MARKS = late_pattern(
    r"cache_control|(\bstr|string)\b[\s\S]*\b(expected|type)|\b(valid|be a) string", re.IGNORECASE
)
_LIMIT = late_pattern(r"\bmax_(completion_)?tokens\b")
# Refusals of the system role, by servers and by the chat templates that they render.
_SYSTEM = late_pattern(
    r"\bsystem\b[\s\S]*\b(role|prompt|message|instruction|template|permitted|support)"
    r"|\b(role|roles|template|permitted)\b[\s\S]*\bsystem\b"
    r"|developer instruction"
    r"|roles must alternate"
    r"|only user,? (and )?assistant\b.*\broles"
    r"|\b(?:user|assistant)\b\W{1,8}(?:(?:and|or)\b\W{1,4})?\b(?:user|assistant)\b",
    re.IGNORECASE,
)
# Where a refusal is about the role of one message: of the first one it can be but the system prompt's.
_ROLE = late_pattern(r"\bmessages?\b\W{0,3}(?P<number>\d*)\W{0,3}(?:\w+\W)?role\b", re.IGNORECASE)
# What fails on a server's own side because of a role is its chat template.
_TEMPLATE = late_pattern(r"jinja|template|\broles?\b", re.IGNORECASE)
_REFUSED = (400, 422)
_FAILED = (500, 501)


@dataclass(frozen=True, slots=True)
class RequestShape:
    """What an endpoint takes, as far as its refusals have shown.

    Attributes:
        limit_names: what the reply's limit may be called; the first one is used, and if it is empty, none.
        limit_max: the most tokens that a reply may have; None: not known.
        has_stream_options: it may be asked for the usage of a stream.
        has_stop: it takes stop texts.
        has_temperature: it takes a temperature.
        has_system: it takes a system prompt apart from the conversation.
        has_cache_marks: it takes marks that say up to where the prompt is worth keeping, in lists of blocks.
        has_grammar: it takes a grammar that replies must keep to.
    """

    limit_names: tuple[str, ...] = ("max_tokens", "max_completion_tokens", "")
    limit_max: int | None = None
    has_stream_options: bool = True
    has_stop: bool = True
    has_temperature: bool = True
    has_system: bool = True
    has_cache_marks: bool = False
    has_grammar: bool = True

    def after(self, status: int | None, body: str, request: CompletionRequest) -> RequestShape:
        """The shape to try after a refusal of `request`; the same if it names nothing of it.

        Args:
            status: of the refusal.
            body: of the refusal.
            request: what was refused.
        """
        said = naming(body)
        if status in _FAILED:
            return self._without_system(said) if _TEMPLATE.search(said) else self
        if status not in _REFUSED or overflow.is_overflow(said):
            return self
        return self._without(said, request) or self._without_system(said)

    def reply_limit(self, wanted: int) -> int:
        """The most tokens to ask for."""
        return wanted if self.limit_max is None else min(wanted, self.limit_max)

    def conversation(self, request: CompletionRequest) -> tuple[str, tuple[Message, ...]]:
        """The system prompt and the messages as the endpoint takes them.

        Where it refuses the system role, the prompt stands at the beginning of the first message.
        """
        first, *rest = request.messages
        if self.has_system or not request.system:
            return request.system, request.messages
        return "", (Message(first.role, f"{request.system}\n\n{first.content}"), *rest)

    def _without(self, said: str, request: CompletionRequest) -> RequestShape | None:
        """The shape without the one parameter that the refusal names, if it was sent."""
        if self.has_grammar and request.grammar and _GRAMMAR.search(said):
            return replace(self, has_grammar=False)
        if self.has_stream_options and _STREAM_OPTIONS.search(said):
            return replace(self, has_stream_options=False)
        if self.has_cache_marks and _CACHE_MARKS.search(said):
            return replace(self, has_cache_marks=False)
        if self.has_stop and request.stop and _STOP.search(said):
            return replace(self, has_stop=False)
        if self.has_temperature and _TEMPERATURE.search(said) and not _ABOUT_VALUE.search(said):
            return replace(self, has_temperature=False)
        return self._with_other_limit(said, request) if _LIMIT.search(said) else None

    def _with_other_limit(self, said: str, request: CompletionRequest) -> RequestShape | None:
        if not _ABOUT_VALUE.search(said):
            return self._with_other_limit_name(said)
        if self.limit_max is not None:
            return None
        sent = request.max_tokens
        numbers = [number.replace(",", "") for number in re.findall(r"\d[\d,]*", said)]
        # Only what has no more digits is read: `int` refuses thousands of them.
        short = [int(number) for number in numbers if len(number) <= len(str(sent))]
        limits = [number for number in short if _LEAST_LIMIT <= number < sent]
        return replace(self, limit_max=max(limits)) if limits else None

    def _with_other_limit_name(self, said: str) -> RequestShape | None:
        sent, *others = self.limit_names
        named = [name[0] for name in _LIMIT.finditer(said)]
        # A refusal of one name may give the other as advice; only one that names ours leaves none.
        if not others or (not others[0] and sent not in named):
            return None
        return replace(self, limit_names=tuple(others))

    def _without_system(self, said: str) -> RequestShape:
        role = _ROLE.search(said)
        is_refused = int(role["number"] or 0) == 0 if role else bool(_SYSTEM.search(said))
        return replace(self, has_system=False) if self.has_system and is_refused else self
