"""Standard streams that take nothing more."""

from __future__ import annotations

import errno
import os
from typing import TextIO

# The reader has gone; the disk or the user's share is full; the file is too large; the terminal has gone.
_UNWRITABLE = (errno.EPIPE, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def is_output_lost(error: OSError) -> bool:
    """Whether an error that ends the program came from writing to a standard stream: it names no file."""
    return error.filename is None and error.errno in _UNWRITABLE


def give_up(stream: TextIO) -> None:
    """Lets what is still buffered go nowhere, so that it is no second error at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
