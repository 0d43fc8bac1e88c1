"""Torch's own structured trace of a contract: kept for tlparse where that was asked for."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from pytest_compilecheck.pytest_layer import settings
from pytest_compilecheck.pytest_layer.node_id import node_id
from pytest_compilecheck.pytest_layer.running.log_capture import is_pytest_handler

_LONGEST = 100  # characters of a node id in the name of a file


@contextmanager
def torch_trace(item: pytest.Item, part: str | None = None) -> Iterator[None]:
    """Keep the trace of the block from pytest's capture, and keep it in a file if that is wanted.

    A file that cannot be written fails the test.
    """
    from pytest_compilecheck.observe.running.isolation import trace_unheard, trace_written

    folder = item.config.stash[settings.KEY].trace
    with ExitStack() as stack:
        stack.enter_context(trace_unheard(is_pytest_handler))
        if folder is not None:
            try:
                stack.enter_context(trace_written(folder / trace_name(node_id(item), part)))
            except OSError as error:
                told = f"--compilecheck-trace: the trace cannot be written: {error}"
                pytest.fail(told, pytrace=False)
        yield


def trace_name(test: str, part: str | None) -> str:
    """The name of the file for a test, or for a block in it: another for each."""
    whole = test if part is None else f"{test} ({part})"
    digest = hashlib.sha256(whole.encode()).hexdigest()[:8]
    readable = re.sub(r"[^A-Za-z0-9.]+", "_", Path(test).name if part is None else whole)
    return f"{readable.strip('_')[-_LONGEST:]}-{digest}.log"
