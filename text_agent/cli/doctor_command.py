"""`text-agent doctor`: whether the configured endpoint and its model can work here, a line for each check."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from text_agent.cli.doctor.endpoint_checks import refused_question
from text_agent.cli.doctor.examination import Examination
from text_agent.cli.doctor.findings import Finding
from text_agent.config.settings import Settings
from text_agent.errors import ProviderError
from text_agent.files.problems import reason_of
from text_agent.files.workspace import Workspace
from text_agent.providers.base import Provider
from text_agent.providers.deferred import DeferredProvider
from text_agent.providers.endpoint import Endpoint
from text_agent.providers.known import NOTHING_KNOWN, KnownEndpoint, KnownEndpoints
from text_agent.providers.remote import RemoteProvider
from text_agent.text.masking import Masker
from text_agent.text.sanitize import reveal
from text_agent.tools.registry import default_tools


class DoctorCommand:
    """Examines, and tells what is found.

    Args:
        settings: of the user.
        known: keeps what is found, for the next start.
        tell: takes the lines as they come; keys are masked.
    """

    def __init__(self, settings: Settings, known: KnownEndpoints, tell: Callable[[str], None]) -> None:
        self._settings = settings
        self._known = known
        self._write = tell
        self._mask = Masker(settings.keys)

    def run(self, create: Callable[[], Provider]) -> int:
        """Examines the provider that `create` makes.

        Returns:
            The exit code: 0, or 1 if the agent cannot work with it.

        Raises:
            ConfigError: a setting is wrong.
        """
        for notice in self._settings.notices:
            self._write(reveal(self._mask(notice)))
        try:
            provider = create()
            if isinstance(provider, DeferredProvider):
                provider = provider.made()
        except ProviderError as error:
            self._tell(refused_question(error, ()))
            return self._end(works=False)
        with closing(provider):
            return self.examine(provider)

    def examine(self, provider: Provider) -> int:
        """Examines a provider, and returns the exit code."""
        endpoint = provider.endpoint if isinstance(provider, RemoteProvider) else None
        examination = Examination(provider, default_tools(Workspace(Path())), self._settings)
        works = True
        for finding in examination.findings():
            self._tell(finding)
            works = works and finding.status != "failed"
        if endpoint and examination.known != NOTHING_KNOWN:
            self._remember(endpoint, examination.known)
        return self._end(works=works)

    def _remember(self, endpoint: Endpoint, found: KnownEndpoint) -> None:
        try:
            self._known.remember(endpoint, found)
        except OSError as error:
            sentence = f"What was found cannot be kept in {self._known.file}: {reason_of(error)}."
            self._tell(Finding("warning", "memory", sentence, "The next start finds it out again."))

    def _end(self, *, works: bool) -> int:
        self._write("text-agent can work with it." if works else "text-agent cannot work with it.")
        return 0 if works else 1

    def _tell(self, finding: Finding) -> None:
        self._write(reveal(self._mask(finding.line)))
