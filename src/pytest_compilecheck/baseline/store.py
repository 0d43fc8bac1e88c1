"""A baseline on disk: updated under a lock, so that runs that end together lose nothing."""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
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


def _lock(path: Path) -> str:
    """A file in the temporary directory: none is left beside the baseline."""
    name = hashlib.sha256(os.fsencode(path.resolve())).hexdigest()[:16]
    return os.path.join(tempfile.gettempdir(), f"pytest-compilecheck-{name}.lock")


def _refuse_read_only(path: Path) -> None:
    """A file may be replaced though it is read-only: whoever made it so did not want that."""
    if path.exists() and not path.stat().st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH):
        raise BaselineError(
            f"the baseline {path} is read-only and stays as it is: make it writable to update it"
        )
