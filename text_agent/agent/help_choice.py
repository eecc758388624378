"""Decides which help the model of the moment gets: the one place that asks whether a model is small."""

from __future__ import annotations

from typing import TYPE_CHECKING

from text_agent.config.settings import Settings
from text_agent.events import Notice
from text_agent.providers.base import Provider
from text_agent.providers.models import Model

if TYPE_CHECKING:
    from text_agent.agent.help import ModelHelp
    from text_agent.agent.loop import TurnLoop

_ON = "Small model{}: drafts and checks are on; --small-model off switches them off."
_OFF = "No small model{}: drafts and checks are off; --small-model on switches them on."


class HelpChoice:
    """Chooses the help; for another model of the provider it chooses anew.

    `settings`: whether small models are helped, or this is to be found out (`auto`). `provider`: whose model
    it is. It is asked when a turn begins; until then, the model's name decides.

    Attributes:
        provider: the same.
    """

    def __init__(self, settings: Settings, provider: Provider) -> None:
        self._settings = settings
        self.provider = provider
        self._model = Model("")
        self._told = False

    def greeting(self) -> str:
        """What the user should know before anybody was asked; empty: nothing."""
        return self._news(Model(self.provider.model))

    def line(self) -> str:
        """What is decided, and why; asks the provider."""
        return self._line(self._asked())

    def help_for(self, loop: TurnLoop, notes: str = "") -> ModelHelp:
        """The help for a turn; the user is told where it is another one than before."""
        if news := self._news(self._asked()):
            loop.sink(Notice(f"({news})"))
        if not self._told:
            from text_agent.agent.help import NoHelp

            return NoHelp(loop)
        # Imported here: the way to the prompt needs none of it.
        from text_agent.agent.small_models.strategy import SmallModelHelp

        return SmallModelHelp(loop, notes, unattended=self._settings.unattended)

    def _asked(self) -> Model:
        """The model as its provider describes it; it is asked once for each, and only where that decides."""
        if self._model.name != self.provider.model:
            is_open = self._settings.small_model == "auto"
            self._model = self.provider.described() if is_open else Model(self.provider.model)
        return self._model

    def _news(self, model: Model) -> str:
        """The line, if the decision is another one than was told."""
        before, self._told = self._told, self._is_helped(model)
        return self._line(model) if self._told != before else ""

    def _line(self, model: Model) -> str:
        size = f" ({round(model.size / 1e9, 1):g}B)" if model.size else ""
        return (_ON if self._is_helped(model) else _OFF).format(size)

    def _is_helped(self, model: Model) -> bool:
        mode = self._settings.small_model
        return model.is_small if mode == "auto" else mode == "on"
