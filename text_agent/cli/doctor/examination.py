"""The examination: which checks are made, and in which order."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from text_agent.agent.help_choice import HelpChoice
from text_agent.cli.doctor import endpoint_checks as endpoints
from text_agent.cli.doctor import format_checks as formats
from text_agent.cli.doctor.findings import Finding, failure
from text_agent.cli.doctor.prober import Answer, Prober
from text_agent.config.limits import DOCTOR_SECONDS
from text_agent.config.settings import Settings
from text_agent.errors import ConnectionFailedError, ProviderError, ProviderTimeoutError
from text_agent.protocol.prompt import render_system_prompt
from text_agent.protocol.templates import load_template
from text_agent.protocol.tool import ToolDescriptions
from text_agent.providers.base import Provider
from text_agent.providers.known import NOTHING_KNOWN, KnownEndpoint
from text_agent.providers.models import Model
from text_agent.providers.remote import RemoteProvider
from text_agent.providers.retries import RetryingProvider
from text_agent.providers.servers import LLAMA_CPP, VLLM, product_of

_GRAMMAR, _BY_GRAMMAR = 'root ::= "text-agent"', "text-agent"


class Examination:
    """Examines a model as it is without anything that is known of it, with few and small questions.

    Attributes:
        known: what was found out so far, and may be kept.
    """

    def __init__(
        self,
        provider: Provider,
        tools: ToolDescriptions,
        settings: Settings,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.known = NOTHING_KNOWN
        self._provider = provider
        self._remote = provider if isinstance(provider, RemoteProvider) else None
        self._before = self._remote.shape if self._remote else None
        self._written = self._remote.endpoint if self._remote else None
        self._tools = tools
        self._settings = settings
        self._clock = clock
        self._end = clock() + DOCTOR_SECONDS
        retries = settings.endpoint.retries
        patient = RetryingProvider(provider, retries=_retries_after if retries is None else retries)
        self._prober = Prober(patient, render_system_prompt(tools.values()), tools, clock)
        self._models: tuple[Model, ...] = ()
        self._has_reached = False

    def findings(self) -> Iterator[Finding]:
        """Yields what is found, as it is found; after a failure that leaves nothing to try, it ends."""
        try:
            yield from self._reach()
            first = self._prober.ask(load_template("probe_answer").template)
        except ProviderError as error:
            yield endpoints.refused_question(error, self._names)
            return
        try:
            yield from self._look_at(first)
            yield from self._converse(first)
            yield from self._look_at_form(first)
        except ProviderError as error:
            yield failure("reply", error)

    def _reach(self) -> Iterator[Finding]:
        """Finds out whether anybody is there; what is wrong with an answer, the first question shows."""
        if self._remote is None:
            return
        try:
            self._models = self._remote.listed_models()
        except ProviderError as error:
            if isinstance(error, ConnectionFailedError):
                raise
            if isinstance(error, ProviderTimeoutError):
                return
        self._has_reached = True
        yield self._reached()

    @property
    def _names(self) -> list[str]:
        return [model.name for model in self._models]

    def _reached(self, more: str = "") -> Finding:
        shown = self._remote.endpoint.shown if self._remote else self._provider.model
        origin = f" ({self._settings.hidden_origin})" if self._settings.hidden_origin else ""
        return Finding("ok", "reachable", f"{shown}{origin} answers. {more}")

    def _look_at(self, first: Answer) -> Iterator[Finding]:
        """What the first answer tells of the endpoint."""
        help_line = HelpChoice(self._settings, self._provider).line()
        if not self._has_reached:
            yield self._reached("" if self._remote else help_line)
        if self._remote and self._written:
            yield from endpoints.check_url(self._written, self._remote.endpoint)
            yield endpoints.check_key(is_set=bool(self._settings.api_key or self._settings.auth_token))
            found = endpoints.check_model(self._provider.model, self._names)
            yield replace(found, sentence=f"{found.sentence} {help_line}")
        told = self._provider.context_tokens()
        self.known = KnownEndpoint(context_tokens=told)
        yield endpoints.check_context(told, self._settings.context_tokens)
        yield endpoints.check_streaming(first)
        yield endpoints.check_speed(first)

    def _converse(self, first: Answer) -> Iterator[Finding]:
        """Asks once more, with the first answer as a part of the conversation, and a stop text."""
        if self._is_late():
            yield self._stopped("roles and stop texts")
            return
        reply = first.parsed.prose.strip() or "1"
        question, again = (load_template(name).template for name in ("probe_answer", "probe_again"))
        obeyed = endpoints.obeys_stop(self._prober.ask(question, reply, again, stop=(endpoints.STOP_AT,)))
        shape = self._remote.shape if self._remote else None
        yield endpoints.check_roles(shape)
        yield endpoints.check_stop(obeyed, shape)
        if shape and self._before:
            yield from endpoints.check_parameters(shape, self._before)
            self.known = KnownEndpoint(
                context_tokens=self.known.context_tokens,
                limit_name=shape.limit_names[0],
                has_stream_options=shape.has_stream_options,
                has_stop=shape.has_stop and obeyed is not False,
                has_system=shape.has_system,
                has_cache_marks=shape.has_cache_marks,
            )

    def _look_at_form(self, first: Answer) -> Iterator[Finding]:
        """Lets the model call tools, and judges how."""
        answers = []
        for name in ("probe_read", "probe_write"):
            if self._is_late():
                yield self._stopped("calls")
                return
            answers.append(self._prober.ask(load_template(name).template))
        forms = [formats.form_of_call(answer, self._tools) for answer in answers]
        yield formats.check_format(forms, formats.form_of_words(first))
        yield formats.check_fences(answers)
        yield formats.check_thinking([first, *answers])
        if not self._is_late():
            yield from self._try_grammar(thinks=formats.thinks([first, *answers]))

    def _try_grammar(self, *, thinks: bool) -> Iterator[Finding]:
        """Whether a grammar is obeyed, where a server should know such."""
        knows_such = self._provider.name == "openai" and product_of(self._models) in (LLAMA_CPP, VLLM)
        if self._provider.name != "local" and not knows_such:
            return
        try:
            answer = self._prober.ask(load_template("probe_answer").template, grammar=_GRAMMAR)
        except ProviderError as error:
            yield endpoints.check_grammar(f"It is refused: {error}")
            return
        is_obeyed = answer.parsed.prose.strip() == _BY_GRAMMAR
        # It would hold for the thoughts of a model that thinks first, too.
        self.known = replace(self.known, has_grammar=is_obeyed and not thinks)
        is_taken = self._remote is None or self._remote.shape.has_grammar
        problem = "" if is_obeyed else "It is taken, but not obeyed." if is_taken else "It is refused."
        yield endpoints.check_grammar(problem, is_used=self.known.has_grammar and self._remote is not None)

    def _is_late(self) -> bool:
        return self._clock() > self._end

    def _stopped(self, left: str) -> Finding:
        sentence = f"The endpoint is slow: after {DOCTOR_SECONDS:.0f} seconds, {left} were not tried."
        return Finding("warning", "time", sentence, "Take a smaller model, or a faster machine.")


def _retries_after(error: ProviderError) -> int:
    """One more try where it may help soon; nobody would wait for a silent server again and again."""
    return 0 if isinstance(error, ProviderTimeoutError) else 1
