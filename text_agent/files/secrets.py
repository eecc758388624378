"""Which files hold secrets: the model reads them only after the user's yes.

A file is secret by its name, by a private key at its beginning, by being a hard link to a secret file, or
because the workspace's `.text-agent-ignore` names it, which is written as a `.gitignore` is.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from text_agent.lazy_regex import late_pattern

IGNORE_FILE = ".text-agent-ignore"
Matcher = Callable[[str], bool]

# `.env.example` and its like are templates, which are there to be read.
_NAMES = late_pattern(
    r"""(?:^|/)(?:
        \.env(?:~|\.(?!(?:example|sample|template|dist|defaults?)$)[^/]+)?
      | [._]netrc | \.npmrc | \.pypirc | \.git-credentials | \.pgpass | \.my\.cnf | \.htpasswd
      | \.dockercfg | \.s3cfg | \.boto | \.vault-token
      | id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?
      | [^/]+\.(?:pem|key|p12|pfx|jks|keystore|ppk|kdbx)
      | \.aws/(?:credentials|config) | \.kube/config | \.docker/config\.json | \.cargo/credentials(?:\.toml)?
      | (?:\.azure|gcloud)/.+ | application_default_credentials\.json
      | (?:client_secrets?|credentials|[^/]*service[-_]?account[^/]*)\.json
      | \.config/(?:text-agent|gh|op|rclone|git/credentials)(?:/.+)? | \.password-store/.+
      | \.(?:bash|zsh|python|psql|mysql)_history
      | \.ssh/(?!known_hosts)(?![^/]+\.pub$).+ | \.gnupg/.+
    )\Z""",
    re.VERBOSE | re.IGNORECASE,
)
# What in the home folder holds keys, tokens or passwords; the rest of a program's settings is needed.
HOME_SECRETS = (
    ".ssh", ".aws", ".gnupg", ".azure", ".kube", ".docker", ".password-store", ".netrc", ".npmrc", ".pypirc",
    ".git-credentials", ".config/git/credentials", ".config/gh", ".config/gcloud", ".config/op",
    ".config/rclone", ".1password", ".colima", ".orbstack", ".cargo/credentials",
    ".cargo/credentials.toml", ".gem/credentials", ".terraform.d",
    ".local/share/keyrings", ".mozilla", ".config/google-chrome", ".config/chromium", ".bash_history",
    ".zsh_history", ".python_history", "Library/Keychains", "Library/Cookies",
)  # fmt: skip
# One of these stands in every secret name, in small letters; a search for them is quick, and is quicker
# where it does not begin to compare at the ends of the most frequent names.
_DOTTED_HINT = late_pattern(
    r"\.(?![jt]sx?\0|py\0)(?:env|netrc|npmrc|pypirc|git-credentials|pgpass|my\.cnf|htpasswd|dockercfg|s3cfg|boto|vault-token|pem|key"
    r"|p12|pfx|jks|ppk|kdbx|json|bash_h|zsh_h|python_h|psql_h|mysql_h|config/|password-store/|aws/|kube/|docker/|cargo/|azure/|ssh/|gnupg/)"
)
_OTHER_HINTS = ("_netrc", "id_", "gcloud/")
# Files whose names may mean a key or a certificate; only a key is secret.
_KEY_OR_CERTIFICATE = (".pem", ".key")
# Certificate bundles have a few hundred kilobytes; a larger file counts as secret unseen.
_MAX_BUNDLE_BYTES = 2_000_000
_HEAD_BYTES = 4096
_PRIVATE_KEY = late_pattern(rb"\s*-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----")
# Other people's code: its test keys are public, and looking through it takes long.
_SKIPPED_FOLDERS = frozenset({"node_modules", ".git", ".hg", ".svn", ".venv", "venv", "__pycache__"})


def has_secret_name(path: str) -> bool:
    """Whether a path, with `/`, names a secret file; the file need not exist."""
    return _NAMES.search(path) is not None


def secret_paths(root: Path) -> Iterator[Path]:
    """The files under `root` that are secret by name; what `.text-agent-ignore` names is not among them."""
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in _SKIPPED_FOLDERS]
        for name in names:
            path = f"{folder}/{name}"
            if has_secret_name(path) and not _is_public(Path(path)):
                yield Path(path)


class Secrets:
    """The secret files of one workspace."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._ignored = _IgnoreFile(root / IGNORE_FILE)

    def is_secret(self, path: Path) -> bool:
        """Whether reading the file or folder at `path`, links resolved, needs the user's yes."""
        relative = self._relative(path)
        if has_secret_name(relative) and not _is_public(path):
            return True
        ignored = self._ignored.matcher()
        if ignored(relative) or ignored(f"{relative}/"):
            return True
        return _PRIVATE_KEY.match(_read(path, _HEAD_BYTES)) is not None or self._is_other_name(path)

    def split(self, paths: Iterable[str], prefix: str = "") -> tuple[list[str], int]:
        """Those of `paths` that are kept for the eyes of all, and how many are not; for listings, searches.

        Args:
            paths: files, relative to the workspace once `prefix` stands before them; with `/`.
            prefix: empty, or ends with `/`.
        """
        given = list(paths)
        left_out = self._left_out("\0".join([*given, ""]), prefix)
        shown = [path for path in given if path not in left_out] if left_out else given
        return shown, len(given) - len(shown)

    def split_listing(self, listing: str, prefix: str = "") -> tuple[str, int]:
        """The same for paths in one text, each ended by a NUL: there may be very many."""
        left_out = self._left_out(listing, prefix)
        if not left_out:
            return listing, 0
        shown = [path for path in listing.split("\0")[:-1] if path not in left_out]
        return "\0".join([*shown, ""]), listing.count("\0") - len(shown)

    def files(self, folder: Path) -> Iterator[Path]:
        """The secret files in a folder of the workspace and below it, those in `.text-agent-ignore` too.

        A file that has one of their names has all of its names secret.
        """
        found = set(self._named_files(folder))
        yield from found
        several = {identity for path in found if (identity := _identity_of_several(path))}
        if several:
            paths = (Path(parent, name) for parent, _, names in os.walk(folder) for name in names)
            yield from (path for path in paths if path not in found and _identity_of_several(path) in several)

    def keys(self, folder: Path) -> Iterator[Path]:
        """The private keys in a folder and below it, whatever they are called."""
        for parent, folders, names in os.walk(folder):
            folders[:] = [name for name in folders if name not in _SKIPPED_FOLDERS]
            yield from (Path(parent, name) for name in names if _PRIVATE_KEY.match(_head(f"{parent}/{name}")))

    def _named_files(self, folder: Path) -> Iterator[Path]:
        yield from secret_paths(folder)
        if not self._ignored.exists():
            return
        ignored = self._ignored.matcher()
        for parent, _, names in os.walk(folder):
            yield from (path for name in names if ignored(self._relative(path := Path(parent, name))))

    def _left_out(self, listing: str, prefix: str) -> set[str]:
        suspects = _suspects(listing, prefix)
        if self._ignored.exists():
            ignored = self._ignored.matcher()
            suspects.update(path for path in listing.split("\0")[:-1] if ignored(prefix + path))
        return {path for path in suspects if self._is_left_out(prefix + path)}

    def _is_left_out(self, relative: str) -> bool:
        is_key = has_secret_name(relative) and not _is_public(self._root / relative)
        return is_key or self._ignored.matcher()(relative)

    def _relative(self, path: Path) -> str:
        inside = path.is_relative_to(self._root)
        return (path.relative_to(self._root) if inside else path).as_posix()

    def _is_other_name(self, path: Path) -> bool:
        """Whether the file has several names, one of which is that of a secret file."""
        try:
            status = path.stat()
            if status.st_nlink < 2 or not stat.S_ISREG(status.st_mode):
                return False
            return any(os.path.samestat(status, other.stat()) for other in self.files(self._root))
        except (OSError, ValueError):
            return False


class _IgnoreFile:
    """The patterns of one file in the syntax of `.gitignore`, read again whenever it has changed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._version: tuple[int, int] | None = None
        self._matcher: Matcher = _matches_nothing

    def exists(self) -> bool:
        """Whether there are patterns at all."""
        return self.matcher() is not _matches_nothing

    def matcher(self) -> Matcher:
        """Says of a path that is relative to the file's folder whether a pattern fits it."""
        try:
            status = self._path.stat()
            version = (status.st_mtime_ns, status.st_size)
            if version != self._version:
                text = self._path.read_text(encoding="utf-8", errors="surrogateescape")
                self._version, self._matcher = version, _compile(text)
        except (FileNotFoundError, IsADirectoryError):
            self._version, self._matcher = None, _matches_nothing
        except OSError:  # nobody can say what it names: everything, then
            self._version, self._matcher = None, _matches_everything
        return self._matcher


def _compile(text: str) -> Matcher:
    from pathspec import GitIgnoreSpec

    lines = []
    with warnings.catch_warnings(action="ignore", category=FutureWarning):  # of regular expressions
        for line in text.splitlines():
            with contextlib.suppress(ValueError, re.error):  # git skips what is no pattern, too
                GitIgnoreSpec.from_lines([line])
                lines.append(line)
        return GitIgnoreSpec.from_lines(lines).match_file


def _matches_nothing(_: str) -> bool:
    return False


def _matches_everything(_: str) -> bool:
    return True


def _suspects(listing: str, prefix: str) -> set[str]:
    """The paths in which a secret name may stand.

    There may be many thousands of paths: looking for a few texts in all of them at once takes a fraction of
    the time that the long look at each of them does.
    """
    lower = listing.lower()
    # A secret folder may be in the prefix; and few letters change their number with their case, but some do.
    in_prefix = next(_places_of_hints(prefix.lower()), None) is not None
    if in_prefix or len(lower) != len(listing):
        return set(listing.split("\0")[:-1])
    return {
        listing[listing.rfind("\0", 0, at) + 1 : listing.index("\0", at)] for at in _places_of_hints(lower)
    }


def _places_of_hints(text: str) -> Iterator[int]:
    """Where hints stand in a text."""
    yield from (found.start() for found in _DOTTED_HINT.finditer(text))
    for hint in _OTHER_HINTS:
        at = text.find(hint)
        while at >= 0:
            yield at
            at = text.find(hint, at + 1)


def _identity_of_several(path: Path) -> tuple[int, int] | None:
    """What a file with several names has in common under all of them; None for any other."""
    try:
        status = path.stat()
    except OSError:
        return None
    is_one = stat.S_ISREG(status.st_mode) and status.st_nlink > 1
    return (status.st_dev, status.st_ino) if is_one else None


def _is_public(path: Path) -> bool:
    """Whether a file is only called like a key, and holds certificates or public keys."""
    if not path.name.lower().endswith(_KEY_OR_CERTIFICATE):
        return False
    content = _read(path, _MAX_BUNDLE_BYTES + 1)
    return len(content) <= _MAX_BUNDLE_BYTES and b"-----BEGIN " in content and b"PRIVATE" not in content


def _head(path: str) -> bytes:
    """The beginning of a file; nothing of what cannot be read, and no waiting for what is none."""
    try:
        file = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return b""
    try:
        return os.read(file, _HEAD_BYTES)
    except OSError:
        return b""
    finally:
        os.close(file)


def _read(path: Path, size: int) -> bytes:
    """The beginning of a regular file; nothing of what is none or cannot be read."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return b""
        with path.open("rb") as file:
            return file.read(size)
    except (OSError, ValueError):
        return b""
