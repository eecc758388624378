"""Where a key may be kept instead of in a file of settings: a variable, a file, the system's keyring."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from text_agent.config.table import Kind
from text_agent.errors import ConfigError


@dataclass(frozen=True, slots=True)
class KeptKey:
    """A key that is kept elsewhere, and read when it is needed.

    Attributes:
        place: one of `KEY_PLACES`.
        at: where it is there.
        label: the setting that says so, for the user.
        folder: what a relative path is relative to.
        environment: of the user.
    """

    place: str
    at: str
    label: str
    folder: Path
    environment: Mapping[str, str]

    def read(self) -> str:
        """The key. Raises `ConfigError` where there is none, or it cannot be read."""
        key = KEY_PLACES[self.place].read(self).strip()
        if not key:
            raise ConfigError(f"{self.label} names {self.at!r}, which holds no key.")
        return key


@dataclass(frozen=True, slots=True)
class KeyPlace:
    """A kind of place.

    Attributes:
        kind: what a setting of it is.
        help: what such a setting names, in a phrase.
        example: a value.
        read: returns what stands there, perhaps nothing. Raises `ConfigError` where it cannot be read.
    """

    kind: Kind
    help: str
    example: str
    read: Callable[[KeptKey], str]


def _from_variable(kept: KeptKey) -> str:
    return kept.environment.get(kept.at, "")


def _from_file(kept: KeptKey) -> str:
    try:
        return kept.folder.joinpath(Path(kept.at).expanduser()).read_text(encoding="utf-8")
    except (OSError, ValueError, RuntimeError) as error:  # no text; `~name` of a user who does not exist
        reason = error.strerror if isinstance(error, OSError) else "it is no text file"
        raise ConfigError(f"cannot read the key in {kept.at!r} ({kept.label}): {reason}.") from error


def _from_keyring(kept: KeptKey) -> str:
    try:
        service, user = _service_and_user(kept.at)
    except ValueError:
        raise ConfigError(f"{kept.label} is {kept.at!r}, not {_KEYRING.expected}.") from None
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError:
        from text_agent.config.extras import missing_extra

        raise missing_extra(kept.label, "keyring") from None
    try:
        return keyring.get_password(service, user) or ""
    except (KeyringError, OSError, RuntimeError, ImportError, AttributeError) as error:  # of its backends
        reason = " ".join(str(error).split()) or type(error).__name__
        raise ConfigError(
            f"the system's keyring cannot be read for {kept.label}: {reason.rstrip('.')}.",
            hint="Unlock it, or keep the key in a variable or a file.",
        ) from error


def _service_and_user(text: str) -> tuple[str, str]:
    service, _, user = text.rpartition("/")
    if not (service and user):
        raise ValueError
    return service, user


def _variable(text: str) -> str:
    if not text.isidentifier():
        raise ValueError
    return text


_KEYRING = Kind("of the form service/user", _service_and_user)
KEY_PLACES: Mapping[str, KeyPlace] = {
    "env": KeyPlace(
        Kind("the name of a variable", _variable), "the variable of", "WORK_API_KEY", _from_variable
    ),
    "file": KeyPlace(Kind("the path of a file"), "a file with", "~/.work-key", _from_file),
    "keyring": KeyPlace(
        _KEYRING, "where the system's keyring (extra [keyring]) has", "text-agent/work", _from_keyring
    ),
}
