"""Which files hold secrets by what stands in them."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

from text_agent.files.secret_names import is_text
from text_agent.lazy_regex import late_pattern

# Files whose names may mean a key or a certificate; only a key is secret.
_KEY_OR_CERTIFICATE = (".pem", ".key")
# Certificate bundles have a few hundred kilobytes; a larger file counts as secret unseen.
_MAX_BUNDLE_BYTES = 2_000_000
# Of a file in which keys are looked for: settings are shorter; and of one that has to begin with a key.
_HEAD_BYTES = 65_536
_BEGINNING_BYTES = 4096
_PRIVATE_KEY = late_pattern(rb"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----")
# Keys of well-known services, which begin with what they are for.
_SERVICE_KEY = late_pattern(
    rb"""(?<![\w-])(?:
        (?:AKIA|ASIA)[0-9A-Z]{16} | gh[opusr]_[A-Za-z0-9]{36,} | github_pat_\w{50,} | glpat-[\w-]{20,}
      | xox[a-z]-[\w-]{20,} | sk-[\w-]{20,} | [rs]k_live_\w{20,} | AIza[\w-]{35} | npm_[A-Za-z0-9]{36}
      | pypi-AgE[\w-]{50,} | hf_[A-Za-z0-9]{30,} | dop_v1_[0-9a-f]{64} | SG\.[\w-]{20,}\.[\w-]{40,}
      | AGE-SECRET-KEY-1[0-9A-Z]{50,}
    )(?![\w-])""",
    re.VERBOSE,
)
_NAMED_KEY = late_pattern(
    rb"aws_secret_access_key\W{1,5}[\w/+]{40}|client-key-data:\s*[\w/+=]{40}|_auth(?:Token)?\W{1,4}[\w/+=-]{20}"
)
# Random letters are more different ones; an example repeats a few, or says what it is.
_FEWEST_DIFFERENT = 10
_PLACEHOLDER = late_pattern(rb"example|your|placeholder|xxxx|0{6}|1234567", re.IGNORECASE)


def holds_key(path: Path) -> bool:
    """Whether a file begins with a private key, or holds a key and is neither program text nor a document."""
    if is_text(path.name):
        return _PRIVATE_KEY.match(_read(path, _BEGINNING_BYTES).lstrip()) is not None
    head = _read(path, _HEAD_BYTES)
    keys = (key for pattern in (_SERVICE_KEY, _NAMED_KEY) for key in pattern.findall(head))
    return _PRIVATE_KEY.search(head) is not None or any(map(_is_random, keys))


def _is_random(key: bytes) -> bool:
    """Whether a key is one, and not an example of how it looks or a word that begins like it."""
    has_digit = any(48 <= byte < 58 for byte in key)
    return len(set(key)) >= _FEWEST_DIFFERENT and has_digit and not _PLACEHOLDER.search(key)


def is_public(path: Path) -> bool:
    """Whether a file is only called like a key, and holds certificates or public keys."""
    if not path.name.lower().endswith(_KEY_OR_CERTIFICATE):
        return False
    content = _read(path, _MAX_BUNDLE_BYTES + 1)
    return len(content) <= _MAX_BUNDLE_BYTES and b"-----BEGIN " in content and b"PRIVATE" not in content


def _read(path: Path, size: int) -> bytes:
    """The beginning of a regular file; nothing of what is none or cannot be read, and no waiting for it."""
    try:
        file = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError):
        return b""
    try:
        return os.read(file, size) if stat.S_ISREG(os.fstat(file).st_mode) else b""
    except OSError:
        return b""
    finally:
        os.close(file)
