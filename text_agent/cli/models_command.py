"""`text-agent models`: which models there are, at the configured endpoint or on this machine."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, replace
from typing import TextIO

from text_agent.config.settings import Settings
from text_agent.config.table import without_credentials
from text_agent.errors import ConfigError
from text_agent.providers.base import SetupListener
from text_agent.providers.factory import create_provider
from text_agent.providers.models import Model, told_of
from text_agent.providers.servers import PRODUCTS, Server, find_servers, product_of
from text_agent.text.sanitize import sanitize


def list_servers(settings: Settings, listener: SetupListener, environment: Mapping[str, str]) -> list[Server]:
    """The server that is configured, or else all that answer on this machine, with their models.

    Raises:
        ConfigError: the settings are wrong, or nothing is configured and no server answers.
        ProviderError: the configured one cannot be asked.
    """
    if settings.provider != "local":
        provider = create_provider(replace(settings, model=settings.model or "none"), listener)
        with closing(provider):
            models = provider.listed_models()
        url = settings.base_url or f"the host of {settings.provider}"
        return [Server(product_of(models, url).name, without_credentials(url), models)]
    if found := find_servers(environment) if settings.discovery else ():
        return list(found)
    looked = ", ".join(product.name for product in PRODUCTS if product.ports)
    raise ConfigError(
        "no endpoint is configured, and no model server answers on this machine.",
        hint=f"Start one ({looked}), or name an endpoint with --base-url.",
    )


def write_models(servers: Sequence[Server], stdout: TextIO, *, as_json: bool) -> None:
    """Writes the models, a line each under their server, or as a JSON array of the servers."""
    if as_json:
        stdout.write(json.dumps([asdict(server) for server in servers], indent=2) + "\n")
        return
    for server in servers:
        stdout.write(f"{server.product} at {sanitize(server.base_url)}{_colon(server)}\n")
        width = max((len(model.name) for model in server.models), default=0)
        stdout.writelines(f"  {_line(model, width)}\n" for model in server.models)


def _colon(server: Server) -> str:
    return f": {server.problem}" if server.problem else ":" if server.models else ": it lists no model"


def _line(model: Model, width: int) -> str:
    return sanitize(f"{model.name:<{width}}  {told_of(model)}").rstrip()
