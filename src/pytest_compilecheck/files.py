"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path


def as_utf8(text: str) -> bytes:
    """Text as UTF-8; what is not valid in it (paths may be so) with backslashes, as JSON does."""
    return text.encode("utf-8", errors="backslashreplace")


def write_whole(path: str | os.PathLike[str], whole: str | bytes) -> None:
    """Write a file, text as UTF-8; a reader sees the old one or the whole new one.

    Missing parent directories are made; a link is followed, the mode of an old file is kept. What
    is no file (`/dev/stdout`, `/dev/null`, a pipe) is written to as it is.

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


def _replace(target: Path, content: bytes) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    beside = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        with beside.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())  # a full disk may show only now
        if target.exists():
            beside.chmod(stat.S_IMODE(target.stat().st_mode))
        os.replace(beside, target)
    finally:
        beside.unlink(missing_ok=True)
