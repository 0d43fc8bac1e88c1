"""Paths as a code host knows them: from the root of the repository, with forward slashes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import PurePath

from pytest_compilecheck.environment import GITHUB_WORKSPACE
from pytest_compilecheck.judge.run_report import Layout


def layout(root: str, environment: Mapping[str, str], *, top: int | None = None) -> Layout:
    """How to show a report whose relative paths start from `root`.

    GITHUB_WORKSPACE of the environment is the checkout that a CI has made, if `root` lies in it.
    """
    real = os.path.realpath(root)
    workspace = environment.get(GITHUB_WORKSPACE)
    checkout = os.path.realpath(workspace) if workspace else real
    inside = PurePath(real).is_relative_to(checkout)
    return Layout(root=real, repository=checkout if inside else real, top=top)


@lru_cache(maxsize=4096)  # a large report names the same files again and again
def repository_path(file: str, layout: Layout) -> str | None:
    """The path of a file of a report in the repository; None where it lies outside."""
    path = os.path.normpath(os.path.join(layout.root, file))
    try:
        return PurePath(path).relative_to(layout.repository).as_posix()
    except ValueError:
        return None
