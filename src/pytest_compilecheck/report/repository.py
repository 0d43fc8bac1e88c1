"""Paths as a code host knows them: from the root of the repository, with forward slashes."""

from __future__ import annotations

import os
from pathlib import PurePath

from pytest_compilecheck.judge.run_report import Layout


def repository_path(file: str, layout: Layout) -> str | None:
    """The path of a file of a report in the repository; None where it lies outside."""
    top = os.path.abspath(layout.repository or layout.root)
    path = os.path.abspath(os.path.join(layout.root, file))
    try:
        return PurePath(path).relative_to(top).as_posix()
    except ValueError:
        return None
