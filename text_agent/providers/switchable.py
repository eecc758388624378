"""A provider in whose place another one can be put while a chat goes on."""

from __future__ import annotations

from text_agent.providers.base import Provider
from text_agent.providers.wrapper import ProviderWrapper


class SwitchableProvider(ProviderWrapper):
    """Asks whichever provider was put in last."""

    def switch(self, provider: Provider) -> None:
        """Takes `provider` from now on, and closes the one before."""
        self._provider, former = provider, self._provider
        former.close()
