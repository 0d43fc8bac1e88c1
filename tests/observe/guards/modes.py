"""Modes of the process that an author may set."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from torch.overrides import TorchFunctionMode


class Passes(TorchFunctionMode):
    """A mode of the author's."""

    def __torch_function__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        return function(*args, **(kwargs or {}))


@contextmanager
def set_to(put: Callable[[Any], object], value: Any, back: Any) -> Iterator[None]:
    put(value)
    try:
        yield
    finally:
        put(back)
