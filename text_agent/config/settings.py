"""The settings: one row each; flags, variables, `.env.example`, manual and docs/settings.md follow from it.

To add one, declare an attribute with `setting(...)` in one of the dataclasses, and run `make manual`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Literal, get_args

from text_agent.config.limits import MAX_STEPS, MAX_TOKENS
from text_agent.config.table import (
    FILE,
    HEADERS,
    MONEY,
    NAME,
    SECRET,
    SWITCH,
    URL,
    Row,
    choice,
    number,
    setting,
    whole_number,
    without_credentials,
)

if TYPE_CHECKING:
    from text_agent.config.sources import Source

ProviderName = Literal["anthropic", "openai", "local"]
ThemeName = Literal["auto", "dark", "light"]
EditingModeName = Literal["emacs", "vi"]
SandboxMode = Literal["auto", "require", "off"]
SmallModelMode = Literal["auto", "on", "off"]

_MODEL, _WORK, _COST, _CHAT = "the model", "the work", "the cost", "the chat"


@dataclass(frozen=True, slots=True)
class EndpointSettings:
    """What requests carry or obey beyond the usual."""

    headers: tuple[tuple[str, str], ...] = setting(
        (), HEADERS, "send this header with every request; may be given several times", _MODEL,
        details="Put ; between two. Their values are protected as a key is.",
        example="X-Team: blue; X-Project: 7", project="asked", metavar="'NAME: VALUE'", flag="--header",
        is_repeated=True, is_endpoint=True,
    )  # fmt: skip
    temperature: float | None = setting(
        None, number("a number from 0 to 2", 2), "of the model, from 0 to 2 (default: the endpoint's own)",
        _MODEL, example="0.2", project="free", metavar="T",
    )  # fmt: skip
    ca_file: str = setting(
        "", FILE, "a file of certificates (PEM) to trust beside the system's", _MODEL,
        details="Such as that of a company's proxy.", example="/etc/ssl/company.pem", metavar="FILE",
        is_endpoint=True,
    )  # fmt: skip
    log: str = setting(
        "", FILE, "a file that all requests and answers are appended to, keys masked", _MODEL,
        details="One JSON object a line; only you can read it.", example="/tmp/text-agent.jsonl",
        metavar="FILE",
    )  # fmt: skip
    retries: int | None = setting(
        None, whole_number(0), "how often a failed request is sent again", _MODEL,
        details="For a reason that may pass: no connection, a busy or broken server, a reply that broke off. "
        "If unset, as often as the failure deserves, at most 4 times.",
        example="4", project="asked", metavar="N",
    )  # fmt: skip
    shared_wait: str = setting(
        "", FILE, "a file by which several text-agents wait together when their endpoint asks one of them to "
        "slow down", _MODEL, details="text-agent batch sets it for its tasks.", example="/tmp/endpoint.wait",
        metavar="FILE",
    )  # fmt: skip
    grammar: bool | None = setting(
        None, SWITCH, "on or off: hold the model to well-formed calls by a grammar, for llama.cpp and vLLM "
        "(default: where doctor found that it is obeyed)", _MODEL,
        details="A server then lets it write nothing else. For the Chat Completions API.",
        example="on", project="free", is_bare=True,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class CostSettings:
    """Prices and limits, in any currency; None where they are not set."""

    price_in: float | None = setting(
        None, MONEY, "what a million tokens of prompts cost", _COST,
        details="With prices, the cost is shown.", example="3", project="asked", metavar="PRICE",
    )  # fmt: skip
    price_out: float | None = setting(
        None, MONEY, "what a million tokens of replies cost", _COST,
        example="15", project="asked", metavar="PRICE",
    )  # fmt: skip
    price_cached: float | None = setting(
        None, MONEY, "what a million tokens of prompts cost that the server has cached (default: the same)",
        _COST, example="0.3", project="asked", metavar="PRICE",
    )  # fmt: skip
    max_cost: float | None = setting(
        None, MONEY, "stop when the session has cost this much", _COST,
        details="The turn stops before its next request. Needs the prices.", example="1", project="asked",
        metavar="COST",
    )  # fmt: skip
    max_session_tokens: int | None = setting(
        None, whole_number(1), "stop when the session has taken N tokens, in and out", _COST,
        example="500000", project="asked", metavar="N",
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Settings:
    """The configuration after flags, environment and files were put together.

    Attributes:
        endpoint: what requests carry or obey beyond the usual.
        costs: what tokens cost, and how much a session may spend.
        keys: every key that is configured, whichever is used: none may be seen.
        is_fallback: nothing named or implied a provider.
        found: what takes the model server that was found on this machine, where nothing is configured.
        endpoint_origin: what has decided where requests go, such as `--base-url`; empty: nothing has.
        notices: what the user should know of where settings come from.
        unattended: nobody reads a turn as it goes on: the model is told what a person would tell it.
    """

    provider: ProviderName = setting(
        "local", choice(*get_args(ProviderName)), "the API that the endpoint speaks", _MODEL,
        details="anthropic (Messages API), openai (Chat Completions: Ollama, vLLM, LM Studio, llama.cpp, "
        "most gateways) or local (a model inside this program). If unset, the first key or base URL that is "
        "set decides.",
        example="openai", project="asked", is_endpoint=True,
    )  # fmt: skip
    model: str | None = setting(
        None, FILE, "the model's name at the endpoint; for local the path of a GGUF file", _MODEL,
        details="If unset: anthropic takes a current model, openai with a base URL the first one that the "
        "endpoint lists, local a small coding model that is fetched once (1.1 GB).",
        example="qwen2.5-coder:7b", project="asked", metavar="NAME", short="-m", is_endpoint=True,
    )  # fmt: skip
    base_url: str | None = setting(
        None, URL, "where the endpoint is", _MODEL,
        details="With or without /v1; a query in it is sent with every request. It goes before the vendors' "
        "own variables. With a base URL no key is needed, unless the endpoint asks for one.",
        example="http://localhost:11434/v1", project="asked", metavar="URL",
        vendors={"anthropic": "ANTHROPIC_BASE_URL", "openai": "OPENAI_BASE_URL"}, is_endpoint=True,
    )  # fmt: skip
    api_key: str | None = setting(
        None, SECRET, "the key for the endpoint", _MODEL, project="asked", flag="",
        vendors={"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY"}, is_endpoint=True,
    )  # fmt: skip
    auth_token: str | None = setting(
        None, SECRET, "a bearer token in the place of a key, for anthropic", _MODEL, project="asked", flag="",
        has_variable=False, vendors={"anthropic": "ANTHROPIC_AUTH_TOKEN"}, is_endpoint=True,
    )  # fmt: skip
    max_tokens: int = setting(
        MAX_TOKENS, whole_number(1), f"limit of one reply (default {MAX_TOKENS})", _MODEL,
        example=str(MAX_TOKENS), project="asked", metavar="N",
    )  # fmt: skip
    profile: str | None = setting(
        None, NAME, "take the settings of this profile in the user's config file", _MODEL,
        details="A profile is as strong as what chooses it: behind the flags, or behind the environment.",
        example="work", project="never", metavar="NAME",
    )  # fmt: skip
    discovery: bool = setting(
        True, SWITCH, "on or off: where no endpoint is configured, look for a model server on this machine "
        "(default: on)", _MODEL,
        details="Ollama (OLLAMA_HOST too), LM Studio, llama.cpp, vLLM, SGLang, Jan, KoboldCpp and "
        "text-generation-webui at their usual ports, by GET requests.",
        example="off", project="never", is_bare=True,
    )  # fmt: skip
    context_tokens: int | None = setting(
        None, whole_number(1), "how many tokens the model takes at once, prompt and reply", _MODEL,
        details="If unset, it is what the endpoint tells, if it does.", example="16384", project="free",
        metavar="N",
    )  # fmt: skip
    max_steps: int = setting(
        MAX_STEPS, whole_number(1), f"model requests a turn (default {MAX_STEPS})", _WORK,
        example=str(MAX_STEPS), project="asked", metavar="N",
    )  # fmt: skip
    project_view: bool = setting(
        False, SWITCH, "on or off: show the model the list of files, and a small project's texts, before its "
        "first reply (default: on)", _WORK, example="off", project="asked",
    )  # fmt: skip
    small_model: SmallModelMode = setting(
        "auto", choice(*get_args(SmallModelMode)), "help for a small model: show it the places that "
        "matter, let it draft whole files first, tell it in a task what it has left undone, and with --yes "
        "run the project's tests (pytest) before its work counts (default: auto)", _WORK,
        details="auto helps a model of up to about 4 billion parameters, by what its server tells of it, or "
        "else by its name.",
        example="auto", project="asked",
    )  # fmt: skip
    theme: ThemeName = setting(
        "auto", choice(*get_args(ThemeName)), "the colours of the chat, for a dark or a light background "
        "(default: auto)", _CHAT,
        details="auto takes what the terminal tells of its background. NO_COLOR takes colours away, "
        "FORCE_COLOR gives them where there is no terminal.",
        example="auto", project="free",
    )  # fmt: skip
    editing_mode: EditingModeName = setting(
        "emacs", choice(*get_args(EditingModeName)), "whose keys edit the prompt (default: emacs)", _CHAT,
        example="emacs", project="free",
    )  # fmt: skip
    endpoint: EndpointSettings = field(default_factory=EndpointSettings)
    costs: CostSettings = field(default_factory=CostSettings)
    keys: tuple[str, ...] = ()
    is_fallback: bool = False
    found: Source | None = None
    endpoint_origin: str = ""
    notices: tuple[str, ...] = ()
    unattended: bool = False

    @property
    def hidden_origin(self) -> str:
        """What has decided where requests go; empty where the command line shows it."""
        return "" if self.endpoint_origin.startswith("--") else self.endpoint_origin

    @property
    def endpoint_shown(self) -> str:
        """Where requests go, and what has decided it, as anybody may see it."""
        if self.provider == "local":
            return "in this program"
        where = without_credentials(self.base_url) if self.base_url else f"the host of {self.provider}"
        return f"{where} ({self.endpoint_origin})"


def rows_of(cls: type) -> Mapping[str, Row]:
    """The rows that a dataclass declares, by attribute."""
    rows = {each.name: each.metadata["row"] for each in fields(cls) if "row" in each.metadata}
    return {name: replace(row, name=row.name or name) for name, row in rows.items()}


SETTINGS: tuple[Row, ...] = tuple(
    row for cls in (Settings, EndpointSettings, CostSettings) for row in rows_of(cls).values()
)
VARIABLES: Mapping[str, str] = {variable: row.help for row in SETTINGS for variable in row.variables()}
