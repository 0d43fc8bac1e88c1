"""Where Inductor and Triton keep what they compiled, for a while."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from pytest_compilecheck.environment import INDUCTOR, TRITON
from pytest_compilecheck.observe import torch_adapter


def chosen_directory() -> str | None:
    """The directory in TORCHINDUCTOR_CACHE_DIR, None where it is only torch's default.

    torch writes its default into the variable itself, the later releases as soon as Dynamo is
    imported (`torch/_inductor/runtime/cache_dir_utils.py`).
    """
    return _chosen(INDUCTOR)


@contextmanager
def cache_in(directory: str) -> Iterator[None]:
    """Let Inductor keep its files in `directory`, which it makes; Triton too.

    Triton does not where somebody chose a directory for it (TRITON_CACHE_DIR). A variable that
    somebody sets in the block to another place is theirs, and stays.
    """
    before = {name: os.environ.get(name) for name in (INDUCTOR, TRITON)}
    os.environ[INDUCTOR] = directory
    if _chosen(TRITON) is None:  # torch sets it once in a process, and never again
        os.environ[TRITON] = os.path.join(directory, "triton")
    try:
        yield
    finally:
        for name, value in before.items():
            if not _is_within(os.environ.get(name), directory):
                continue
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _chosen(variable: str) -> str | None:
    value = os.environ.get(variable)
    default = torch_adapter.default_inductor_directory()
    return None if not value or _is_within(value, default) else value


def _is_within(path: str | None, directory: str) -> bool:
    if not path:
        return False
    outer = os.path.abspath(directory)
    return os.path.join(os.path.abspath(path), "").startswith(os.path.join(outer, ""))
