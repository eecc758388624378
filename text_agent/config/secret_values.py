"""Which headers and parts of URLs hold keys, and what of them must not be seen."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Iterator
from urllib.parse import parse_qsl, unquote, urlsplit

from text_agent.lazy_regex import late_pattern

_SECRET_NAME = late_pattern(
    r"(?:^|[-_.])(?:auth\w*|cookie2?|\w*key|secrets?|\w*token|pass(?:word|wd|phrase)?|sig(?:nature)?|session\w*"
    r"|sid|jwt|bearer|credentials?|csrf|xsrf|assertion)(?:[-_.]|$)",
    re.IGNORECASE,
)
_BETWEEN = late_pattern(r"[\s;,&]+")
_SCHEME = late_pattern(r"\A[\w-]+\s+(?=\S)")
_BASIC = late_pattern(r"basic\s+([\w+/=-]+)\Z", re.IGNORECASE)


def is_secret_name(name: str) -> bool:
    """Whether a header or a part of a query looks, by its name, as if it held a key."""
    return bool(_SECRET_NAME.search(name))


def secrets_in_headers(headers: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """What must not be seen of the headers whose names tell that they hold a key."""
    secrets = (part for name, value in headers if is_secret_name(name) for part in secret_parts(value))
    return tuple(dict.fromkeys(filter(None, secrets)))


def secrets_in_url(url: str) -> tuple[str, ...]:
    """What must not be seen of a URL: its password, and the values in its query that look like keys."""
    try:
        user = urlsplit(url).netloc.rpartition("@")[0]
    except ValueError:  # half an IPv6 address: it leads nowhere, and may hold a key nevertheless
        user = ""
    query = url.partition("?")[2].partition("#")[0]
    texts = [user, user.partition(":")[2]] if ":" in user else []
    for item in query.split("&"):
        if is_secret_name(item.partition("=")[0]):
            texts += [item.partition("=")[2], *(value for _, value in parse_qsl(item))]
    return tuple(dict.fromkeys(form for text in texts for form in (text, unquote(text)) if form))


def secret_parts(value: str) -> Iterator[str]:
    """The value of a header that holds a key, and each part of it that may be the key.

    Those are its words (`Bearer KEY`), its pairs and their values (`session=KEY; theme=dark`), and the user
    and password that stand encoded behind `Basic`.
    """
    yield value
    for part in _BETWEEN.split(_SCHEME.sub("", value)):
        yield part
        yield part.partition("=")[2].strip("\"'")
    if found := _BASIC.match(value):
        try:
            decoded = base64.b64decode(found[1], altchars=b"-_").decode()
        except (binascii.Error, UnicodeDecodeError):
            return
        yield from (decoded, decoded.partition(":")[2])
