"""Takes a model server of this machine where no endpoint is configured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from text_agent.cli.assembly.streams import Streams
from text_agent.config.settings import Settings
from text_agent.config.sources import Source, nearest
from text_agent.errors import ConfigError
from text_agent.providers.models import Model, find_model, told_of
from text_agent.providers.servers import PRODUCTS, Server, find_servers
from text_agent.text.sanitize import sanitize

_LISTED = 20
_LOCAL = "a small model inside this program"


@dataclass(frozen=True, slots=True)
class Offer:
    """A model that a server on this machine offers."""

    server: Server
    model: Model

    @property
    def line(self) -> str:
        """The offer, for its user."""
        told = told_of(self.model)
        return sanitize(f"{self.model.name}{f' ({told})' if told else ''}, {self.server.product}")

    @property
    def source(self) -> Source:
        """The settings that take it."""
        return Source(
            f"{self.server.product}, found on this machine",
            {
                "TEXT_AGENT_PROVIDER": "openai",
                "TEXT_AGENT_BASE_URL": self.server.base_url,
                "TEXT_AGENT_MODEL": self.model.name,
            },
            is_found=True,
        )


def find_source(streams: Streams, settings: Settings, *, is_chat: bool) -> Source | None:
    """The settings that take a model of a server on this machine; None for the one inside this program.

    A single one is taken. Of several the user chooses, where he can be asked.

    Args:
        streams: of the process; the environment may name where Ollama is.
        settings: without an endpoint; they may name the model.
        is_chat: there is somebody to ask, if the streams are a terminal.

    Raises:
        ConfigError: there are several, or none, and nobody can be asked; or none has the wanted model.
    """
    servers = find_servers(streams.environment) if settings.discovery else ()
    offers = _offers(servers, settings.model)
    if settings.model and not offers:
        raise _missing(settings.model, servers)
    if len(offers) == 1:
        return offers[0].source
    if is_chat and streams.stdin.isatty() and streams.stderr.isatty():
        return _chosen(offers, streams) if offers else None
    if offers:
        raise ConfigError(
            "no model is configured, and several answer on this machine.",
            hint=f"{_lines(offers)}\nChoose one with --model, and with --base-url where two servers have it.",
        )
    raise ConfigError(
        "no model is configured: no provider, no key and no base URL is set, and no model server answers on "
        f"this machine.{_problems(servers)}",
        hint="Try --provider local for a model inside this program, or set TEXT_AGENT_BASE_URL, "
        "ANTHROPIC_API_KEY or OPENAI_API_KEY.",
    )


def _offers(servers: Sequence[Server], wanted: str | None) -> list[Offer]:
    if wanted is None:
        return [Offer(server, model) for server in servers for model in server.chat_models]
    found = ((server, find_model(server.models, wanted)) for server in servers)
    return [Offer(server, model) for server, model in found if model]


def _chosen(offers: Sequence[Offer], streams: Streams) -> Source | None:
    from text_agent.terminal.input.choosing import choose

    question = "No endpoint is configured. These models answer on this machine; which one?"
    lines = [*(offer.line for offer in offers), _LOCAL]
    chosen = choose(question, lines, streams.stdin, streams.stderr, streams.environment)
    return replace(offers[chosen].source, is_chosen=True) if chosen < len(offers) else None


def _missing(wanted: str, servers: Sequence[Server]) -> ConfigError:
    offers = _offers(servers, None)
    near = nearest(wanted, [offer.model.name for offer in offers])
    meant = f" Did you mean {sanitize(near)}?" if near else ""
    if offers:
        return ConfigError(
            f"no server on this machine has the model {wanted!r}, and no endpoint is configured.{meant}",
            hint="There are:\n" + _lines(offers),
        )
    looked = ", ".join(product.name for product in PRODUCTS if product.ports)
    return ConfigError(
        f"no endpoint is configured for the model {wanted!r}, and no server on this machine has it.",
        hint=f"Start the server ({looked}), or name another one with --base-url.{_problems(servers)}",
    )


def _lines(offers: Sequence[Offer]) -> str:
    more = [f"  ... and {len(offers) - _LISTED} more"] if len(offers) > _LISTED else []
    return "\n".join([f"  {offer.line}, {offer.server.base_url}" for offer in offers[:_LISTED]] + more)


def _problems(servers: Sequence[Server]) -> str:
    told = [f" {server.product} answers at {server.base_url}, but {server.problem}." for server in servers]
    return "".join(line for line, server in zip(told, servers, strict=True) if server.problem)
