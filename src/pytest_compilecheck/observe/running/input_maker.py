"""Makes a tensor of a trace, or lets somebody else make something in its place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch

from pytest_compilecheck.contract.trace.spec import TensorSpec

Ask = Callable[[str, TensorSpec, Callable[[], torch.Tensor]], object]
"""Takes the name of an input, its spec and what makes the tensor; gives None for the tensor."""


class InputMaker:
    """Asks for each tensor whether something else shall take its place.

    `remade` names those for which something came that is no tensor of the sizes of the trace.
    """

    def __init__(
        self, ask: Ask, aside: Callable[[], AbstractContextManager[None]] = nullcontext
    ) -> None:
        """Take whom to ask, and a context in which what is run is no part of what is watched."""
        self._ask = ask
        self._aside = aside
        self.remade: dict[str, None] = {}

    def make(
        self, name: str, spec: TensorSpec, seed: int, make_tensor: Callable[[], torch.Tensor]
    ) -> Any:
        """The input; random numbers that are drawn for it are the same each time."""
        torch.manual_seed(seed)
        with self._aside():
            made = self._ask(name, spec, make_tensor)
        if made is None:
            return make_tensor()
        if not (isinstance(made, torch.Tensor) and _has_sizes(made, spec.shape)):
            self.remade[name] = None
        return made


def _has_sizes(tensor: torch.Tensor, sizes: Sequence[object]) -> bool:
    actual: Sequence[object] = tensor.shape  # a jagged tensor has symbols among them
    return len(actual) == len(sizes) and all(
        isinstance(one, int) and one == other for one, other in zip(actual, sizes, strict=True)
    )
