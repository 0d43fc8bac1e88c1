"""Files that are written whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


def as_utf8(text: str) -> bytes:
    """Text as UTF-8; what is not valid in it (paths may be so) with backslashes, as JSON does."""
    return text.encode("utf-8", errors="backslashreplace")


def write_whole(path: str | os.PathLike[str], whole: str | bytes) -> None:
    """Write a file, text as UTF-8; a reader sees the old one or the whole new one.

    Missing parent directories are made; a link is followed, the mode of an old file is kept, and
    its owner where the system lets us. What is no file (`/dev/stdout`, `/dev/null`, a pipe) is
    written to as it is.

    Raises:
        OSError: the file cannot be written; it names `path`.
    """
    content = whole if isinstance(whole, bytes) else as_utf8(whole)
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            with open(path, "wb") as device:  # to replace it takes nothing but the rights of root
                device.write(content)
        else:
            _replace(Path(path).resolve(), content)
    except OSError as error:
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error
    except (ValueError, RuntimeError) as error:  # a NUL in the name, links that go in a circle
        raise OSError(errno.EINVAL, str(error), os.fspath(path)) from error


def _replace(target: Path, content: bytes) -> None:
    if target.is_symlink():  # from Python 3.13 on a circle resolves to itself
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    target.parent.mkdir(parents=True, exist_ok=True)
    # Nobody can know the name, and put a link there that leads elsewhere.
    beside = target.with_name(f".compilecheck-{secrets.token_hex(8)}.tmp")
    old = target.stat() if target.exists() else None
    # What replaces a private file is private from its first byte on.
    descriptor = os.open(beside, _NEW, 0o666 if old is None else 0o600)
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())  # a full disk may show only now
        if old is not None:
            _take_over(beside, old)
        os.replace(beside, target)
    finally:
        beside.unlink(missing_ok=True)


def _take_over(file: Path, old: os.stat_result) -> None:
    """Give a file owner, group and mode of another; the owner first, as it takes off bits."""
    new = file.stat()
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        with suppress(OSError):  # only root may give a file away
            os.chown(file, old.st_uid, old.st_gid)
    file.chmod(stat.S_IMODE(old.st_mode))
