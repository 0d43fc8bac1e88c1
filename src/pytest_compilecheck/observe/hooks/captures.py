"""Backwards that compiled autograd captures: which of them is one that it had captured before.

torch keeps a captured backward under the autograd graph it came from, and captures anew when a node
or a size is other than before. It tells why only in its verbose log.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field
from typing import Any

import torch

from pytest_compilecheck.observe.values.cures import BACKWARD_GRAPH, BACKWARD_TENSOR
from pytest_compilecheck.observe.values.recompile import Change


@dataclass(slots=True)
class Capture:
    """A backward that is being captured: its tensors, and the autograd nodes met so far."""

    sizes: tuple[tuple[int, ...], ...]
    parameters: tuple[weakref.ref[torch.Tensor], ...]
    nodes: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, tensors: list[torch.Tensor]) -> Capture:
        """The capture that begins with these tensors: saved ones, parameters, gradients."""
        found = {id(each): each for each in tensors if isinstance(each, torch.nn.Parameter)}
        return cls(
            sizes=tuple(tuple(int(size) for size in each.shape) for each in tensors),
            parameters=tuple(weakref.ref(each) for each in found.values()),
        )

    def trains(self) -> frozenset[int]:
        """The parameters that the backward reaches and that are still alive, by identity."""
        alive = (ref() for ref in self.parameters)
        return frozenset(id(each) for each in alive if each is not None)


class Captures:
    """Tells of each capture whether it repeats an earlier one, and what is other than in that.

    The same nodes in the same order, for the same parameters, are one backward captured again.
    Another loss or another model is another backward.
    """

    def __init__(self) -> None:
        self._before: list[Capture] = []

    def change(self, capture: Capture) -> Change | None:
        """What is other than in the last capture of this backward; None if it is the first."""
        same = [
            each
            for each in self._before
            if each.nodes == capture.nodes and each.trains() == capture.trains()
        ]
        self._before.append(capture)
        return _change(same[-1].sizes, capture.sizes) if same else None


def _change(before: tuple[tuple[int, ...], ...], now: tuple[tuple[int, ...], ...]) -> Change:
    ranks = [len(size) for size in before] == [len(size) for size in now]
    pairs = [pair for pair in zip(before, now, strict=False) if pair[0] != pair[1]]
    if ranks and pairs:
        return Change(
            cause="shape",
            holder="argument",
            source=BACKWARD_TENSOR,
            expected=_told(pairs[0][0]),
            actual=_told(pairs[0][1]),
        )
    counts = (f"{len(before)} tensors", f"{len(now)} tensors")
    expected, actual = counts if counts[0] != counts[1] else ("", "")
    return Change(
        cause="other",
        holder="process",
        source=BACKWARD_GRAPH,
        expected=expected,
        actual=actual,
    )


def _told(size: tuple[Any, ...]) -> str:
    return "x".join(map(str, size)) or "a scalar"
