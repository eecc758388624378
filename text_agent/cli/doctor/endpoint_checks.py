"""What answers tell of the endpoint that gave them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from text_agent.cli.doctor.findings import Finding, failure, ok, warning
from text_agent.cli.doctor.prober import Answer
from text_agent.config.limits import CONTEXT_TOKENS, SLOW_SECONDS, SMALL_CONTEXT_TOKENS
from text_agent.errors import (
    AuthenticationError,
    ConnectionFailedError,
    ContextWindowExceededError,
    InvalidResponseError,
    ModelMissingError,
    ProviderError,
    ProviderTimeoutError,
)
from text_agent.providers.endpoint import Endpoint
from text_agent.providers.servers import larger_context
from text_agent.providers.shape import RequestShape

STOP_AT = "6"
"""The number at which the model is to be stopped when it counts to nine."""
_BEFORE_STOP = "5"
# As many pieces come of an answer that is not streamed: its text, and what was held back of its end.
_UNSTREAMED_PIECES = 2
_LISTED = 5


def refused_question(error: ProviderError, models: Iterable[str]) -> Finding:
    """Why there is no answer to the first question."""
    match error:
        case AuthenticationError():
            return failure("key", error)
        case ModelMissingError():
            return failure("model", error, remedy=_choose(list(models)) or error.hint)
        case ContextWindowExceededError():
            return failure("context", error, remedy=_LARGER)
        case ConnectionFailedError():
            return failure("reachable", error)
        case ProviderTimeoutError():
            return failure("speed", error)
        case _ if error.nothing_here or isinstance(error, InvalidResponseError):
            return failure("API", error)
        case _:
            return failure("reply", error)


def check_key(*, is_set: bool) -> Finding:
    """The key, after an answer came."""
    return ok("key", "It is accepted." if is_set else "None is set, and none is asked for.")


def check_model(model: str, models: Iterable[str]) -> Finding:
    """The model's name, after an answer came."""
    listed = list(models)
    if not listed:
        return ok("model", f"{model} answers; the endpoint has no list of its models.")
    if model in listed:
        return ok("model", f"{model} is listed, and answers.")
    sentence = f"{model} is not listed, but something answers: perhaps another model."
    return warning("model", sentence, _choose(listed))


def check_url(written: Endpoint, right: Endpoint) -> Iterator[Finding]:
    """The form of the URL, if it is another one than the user's."""
    if right.tried == written.tried:
        return
    sentence = f"Nothing is served at {written.tried}; {right.tried} is used."
    remedy = f"Set --base-url {right.shown}." if right.base_url != written.base_url else ""
    yield warning("URL", sentence, remedy)


def check_context(told: int | None, setting: int | None) -> Finding:
    """The size of the context.

    Args:
        told: by the endpoint.
        setting: by the user.
    """
    if setting and told and setting > told:
        sentence = f"It is set to {setting:,} tokens, but the endpoint gives the model {told:,}."
        return warning("context", sentence, f"Set --context-tokens {told}. {_LARGER}")
    size = setting or told
    if size is None:
        sentence = f"The endpoint does not tell its size; {CONTEXT_TOKENS:,} tokens are assumed."
        return warning("context", sentence, "If it is less, set --context-tokens.")
    sentence = f"{size:,} tokens" + (", as is set." if setting else ".")
    if size < SMALL_CONTEXT_TOKENS:
        return warning("context", f"{sentence[:-1]}: that is little.", _LARGER)
    return ok("context", sentence)


def check_streaming(answer: Answer) -> Finding:
    """Whether an answer came bit by bit."""
    if answer.pieces > _UNSTREAMED_PIECES:
        return ok("streaming", "Replies come as they are written.")
    sentence = "The reply came in one piece: the endpoint, or a proxy before it, does not stream."
    return warning("streaming", sentence, "It works, but nothing is seen before a reply's end.")


def check_speed(answer: Answer) -> Finding:
    """How long the first word took."""
    sentence = f"The first word came after {answer.first_seconds:.1f} seconds"
    if answer.first_seconds < SLOW_SECONDS:
        return ok("speed", f"{sentence}.")
    remedy = "All text that is new to it takes as long: take a smaller model, or a faster machine."
    return warning("speed", f"{sentence}: that is slow.", remedy)


def check_roles(shape: RequestShape | None) -> Finding:
    """Which roles are taken, after a conversation with all of them was answered."""
    if shape is None or shape.has_system:
        return ok("roles", "The system prompt is taken, and replies in the conversation.")
    sentence = "A system prompt is refused; it stands in the first message instead."
    return warning("roles", sentence, "Nothing is to be done; other models keep to a system prompt better.")


def obeys_stop(answer: Answer) -> bool | None:
    """Whether the answer ended at `STOP_AT`; None if the model did not count so far."""
    if STOP_AT in answer.parsed.prose:
        return False
    return True if _BEFORE_STOP in answer.parsed.prose else None


def check_stop(obeyed: bool | None, shape: RequestShape | None) -> Finding:
    """Whether stop texts are obeyed."""
    nothing = "They are only there to save time."
    if shape and not shape.has_stop:
        return warning("stop texts", "They are refused, and left out.", nothing)
    if obeyed is None:
        return warning("stop texts", "The model did not count, so they were not tried.", nothing)
    if not obeyed:
        return warning("stop texts", "They are taken, but not obeyed; they are left out.", nothing)
    return ok("stop texts", "They are obeyed.")


def check_grammar(problem: str, *, is_used: bool = False) -> Finding:
    """Whether a grammar can be used.

    Args:
        problem: what speaks against it; empty: nothing.
        is_used: it is used from now on.
    """
    if problem:
        return warning("grammar", problem, "Nothing depends on it.")
    if is_used:
        return ok("grammar", "It is obeyed, and used from now on: calls are well-formed.")
    return ok("grammar", "It is obeyed: with --grammar, calls are well-formed.")


def check_parameters(shape: RequestShape, before: RequestShape) -> Iterator[Finding]:
    """What had to be named in another way, or left out."""
    told = []
    if shape.limit_names[0] != before.limit_names[0]:
        name = shape.limit_names[0]
        told.append(f"The limit of a reply is called {name}." if name else "No limit of a reply is taken.")
    if shape.has_stream_options != before.has_stream_options:
        told.append("The usage of a stream cannot be asked for: tokens are estimated.")
    if shape.has_cache_marks != before.has_cache_marks:
        told.append("Marks for the prompt cache are not taken.")
    if shape.has_temperature != before.has_temperature:
        told.append("No temperature is taken.")
    if told:
        yield ok("parameters", " ".join(told))


def _choose(models: list[str]) -> str:
    more = ", ..." if len(models) > _LISTED else ""
    return f"Choose one with --model: {', '.join(models[:_LISTED])}{more}." if models else ""


_LARGER = f"{larger_context()}, or take another one."
