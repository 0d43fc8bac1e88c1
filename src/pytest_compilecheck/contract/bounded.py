"""Reads files of others: never more of one than it may hold."""

from __future__ import annotations

import errno
import os


def read_bounded(path: str | os.PathLike[str], most: int) -> bytes:
    """The bytes of a file that holds at most so many; of one without an end no more are read.

    Raises:
        OSError: it cannot be read, or holds more.
        ValueError: no file can have this name.
    """
    with open(path, "rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"it has more than {most:,} bytes", os.fspath(path))
    return data
