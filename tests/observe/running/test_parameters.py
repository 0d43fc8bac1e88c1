from __future__ import annotations

import functools
from typing import Annotated, Any

import pytest
import torch

from pytest_compilecheck.observe.running.parameters import annotations_of


class Batch:
    def method(self, batch: Batch) -> None: ...

    def __call__(self, batch: Batch, n: int = 3) -> None: ...


def function(batch: Batch, other: Missing, plain, marked: Annotated[Batch, 1]) -> None: ...  # type: ignore[no-untyped-def,name-defined]  # noqa: F821


@functools.wraps(Batch.method)
def wrapped(*args: Any, **kwargs: Any) -> None: ...


@pytest.mark.parametrize(
    ("call", "annotations"),
    [
        (function, {"batch": Batch, "other": "Missing", "marked": Annotated[Batch, 1]}),
        (Batch().method, {"batch": Batch}),
        (Batch(), {"batch": Batch, "n": int}),
        (wrapped, {"batch": Batch}),
        (torch.nn.ReLU().forward, {"input": torch.Tensor}),
        (torch.sin, {}),
    ],
)
def test_annotations_of_parameters(call: Any, annotations: dict[str, Any]) -> None:
    assert annotations_of(call) == annotations
