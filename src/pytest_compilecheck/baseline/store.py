"""A baseline on disk: updated under a lock, so that runs that end together lose nothing."""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout

from pytest_compilecheck.baseline.file import BaselineError, parse, read_baseline, text_of
from pytest_compilecheck.baseline.known import Baseline
from pytest_compilecheck.baseline.update import Changes, Transform
from pytest_compilecheck.files import write_whole

_PATIENCE = 60  # seconds


def update_file(path: Path, transform: Transform) -> Changes:
    """Apply an update to what is in the file by now; a file that is not there is empty.

    The file is written whole or not at all, and only if something changed. Runs on one machine wait
    for each other.

    Raises:
        BaselineError: the file cannot be read or written, or another run holds it for a minute.
    """
    try:
        with FileLock(_lock(path), timeout=_PATIENCE):
            before = read_baseline(path) if path.exists() else Baseline()
            after, changes = transform(before)
            text = text_of(after, path.name)
            if changes or not path.exists():
                parse(text, str(path))  # what is written must be what is read
                _refuse_read_only(path)
                write_whole(path, text)
            return changes
    except Timeout:
        raise BaselineError(
            f"the baseline {path} is being written by another run: try again when it has ended"
        ) from None
    except OSError as error:
        raise BaselineError(f"the baseline {path} could not be written: {error}") from error


def _lock(path: Path) -> Path:
    """A file in the temporary directory: none is left beside the baseline."""
    name = hashlib.sha256(os.fsencode(path.resolve())).hexdigest()[:16]
    return _own_folder() / f"{name}.lock"


def _own_folder() -> Path:
    """A folder for locks that nobody else can write to, and put links into.

    Raises:
        BaselineError: somebody else made it.
    """
    if not hasattr(os, "getuid"):  # Windows, where the temporary directory is one's own
        return Path(tempfile.gettempdir())
    folder = Path(tempfile.gettempdir(), f"pytest-compilecheck-{os.getuid()}")
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    is_own = found.st_uid == os.getuid() and not found.st_mode & 0o077
    if not (stat.S_ISDIR(found.st_mode) and is_own):
        raise BaselineError(
            f"{folder}, where runs of one user wait for each other, is no folder of this user"
            " alone: remove it, or set TMPDIR to a folder of your own"
        )
    return folder


def _refuse_read_only(path: Path) -> None:
    """A file may be replaced though it is read-only: whoever made it so did not want that."""
    if path.exists() and not path.stat().st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH):
        raise BaselineError(
            f"the baseline {path} is read-only and stays as it is: make it writable to update it"
        )
