"""What `doctor` found out about endpoints, kept so that a start has not to learn it again."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

from text_agent.files.kept_file import KeptFile
from text_agent.providers.endpoint import Endpoint
from text_agent.providers.shape import RequestShape


@dataclass(frozen=True, slots=True)
class KnownEndpoint:
    """What is known of a model at an endpoint; as it is made, nothing.

    What a user has to be told each time is not part of it: a temperature that is set, and not taken.

    Attributes:
        context_tokens: what prompt and reply may have together.
        limit_name: what the limit of a reply is called.
        has_stream_options: it may be asked for the usage of a stream.
        has_stop: it takes stop texts, and obeys them.
        has_system: it takes a system prompt apart from the conversation.
        has_cache_marks: it takes marks that say what of a prompt is worth keeping.
        has_grammar: it obeys a grammar, by a model that does not think first.
    """

    context_tokens: int | None = None
    limit_name: str | None = None
    has_stream_options: bool = True
    has_stop: bool = True
    has_system: bool = True
    has_cache_marks: bool = True
    has_grammar: bool = False

    def applied(self, shape: RequestShape) -> RequestShape:
        """The shape without what the endpoint is known to refuse."""
        names = shape.limit_names
        if self.limit_name in names:
            names = (self.limit_name, *(name for name in names if name != self.limit_name))
        return replace(
            shape,
            limit_names=names,
            has_stream_options=shape.has_stream_options and self.has_stream_options,
            has_stop=shape.has_stop and self.has_stop,
            has_system=shape.has_system and self.has_system,
            has_cache_marks=shape.has_cache_marks and self.has_cache_marks,
        )


NOTHING_KNOWN = KnownEndpoint()


class KnownEndpoints:
    """What is known of all endpoints, by their URL without credentials, and the model.

    A file that is missing, damaged or not ours holds nothing.

    Args:
        file: where it is kept; a JSON object.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self._kept = KeptFile(file)

    def find(self, endpoint: Endpoint) -> KnownEndpoint:
        """What is known of an endpoint and its model."""
        return _known(self._kept.read().get(_key(endpoint)))

    def remember(self, endpoint: Endpoint, known: KnownEndpoint) -> None:
        """Keeps what is known, in the place of what was known before. Raises `OSError`."""
        self._kept.keep(_key(endpoint), asdict(known))


def _key(endpoint: Endpoint) -> str:
    return f"{endpoint.tried} {endpoint.model}"


def _known(entry: object) -> KnownEndpoint:
    """What an entry says, as far as it makes sense."""
    if not isinstance(entry, dict):
        return NOTHING_KNOWN
    kept = {field.name: entry[field.name] for field in fields(KnownEndpoint) if field.name in entry}
    return KnownEndpoint(**{name: value for name, value in kept.items() if _is_sensible(name, value)})


def _is_sensible(name: str, value: object) -> bool:
    if name == "limit_name":
        return isinstance(value, str)
    if name == "context_tokens":
        return isinstance(value, int) and not isinstance(value, bool) and value > 0
    return isinstance(value, bool)
