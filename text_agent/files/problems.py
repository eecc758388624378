"""Plain words for what a file system can answer."""

from __future__ import annotations

import errno
import stat

from text_agent.lazy_regex import late_pattern

_REASONS = {
    errno.ENOENT: "it does not exist",
    errno.EACCES: "there is no permission",
    errno.EPERM: "there is no permission",
    errno.EROFS: "its file system is read-only",
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.ENAMETOOLONG: "the name is too long",
    errno.ELOOP: "its links lead in a circle",
    errno.ENOTDIR: "a part of the path is a file, not a folder",
    errno.EISDIR: "it is a folder",
}
# What ends a line, or hides what stands around it, on a screen or in a list.
_CONTROL = late_pattern("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_ESCAPED = late_pattern(r"\\u(00[0189][0-9a-f]|007f|202[89]|dc[89a-f][0-9a-f])")
_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def reason_of(error: OSError) -> str:
    """Why the file system refused, as half a sentence."""
    return _REASONS.get(error.errno or 0) or error.strerror or str(error)


def kind_of_file(mode: int) -> str:
    """What a file is that is no regular file, from its `st_mode`."""
    return next((kind for is_kind, kind in _KINDS if is_kind(mode)), "no regular file")


def readable(name: str) -> str:
    r"""A file name that can be printed and sent, on one line: bytes that are not UTF-8 become `\udcXX`.

    So do line breaks and other control characters, as `\u000a`. Written like that in a JSON string, they
    name the same file again; with a doubled backslash, `unreadable` brings them back.
    """
    name = _CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", name)
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


def unreadable(name: str) -> str:
    """The file name that `readable` made printable."""
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), name)
