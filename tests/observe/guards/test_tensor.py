from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode

from pytest_compilecheck.observe.guards.tensor import OTHER_KEYS, TensorCheck

ones = torch.ones
ORDINARY = "CPU, BackendSelect, ADInplaceOrView, AutogradCPU"


def text(
    kind: str = "Tensor",
    *,
    keys: str = ORDINARY,
    dtype: str = "torch.float32",
    device: str = "None",
    grad: bool = False,
    size: str = "4, 3",
    stride: str = "3, 1",
) -> str:
    return (
        f"check_tensor(L['x'], {kind}, DispatchKeySet({keys}), {dtype}, device={device}, "
        f"requires_grad={grad}, size=[{size}], stride=[{stride}])"
    )


def check(kind: str = "Tensor", **fields: Any) -> TensorCheck:
    found = TensorCheck.read(text(kind, **fields))
    assert found is not None
    return found


def told(
    found: TensorCheck, value: object, *, inference_mode: bool = False
) -> list[tuple[str, str, str, str]]:
    return [
        (each.cause, each.suffix, each.expected, each.actual)
        for each in found.differences(value, inference_mode=inference_mode)
    ]


def test_a_check_is_read_from_its_text() -> None:
    assert check(size="4, None, 0", stride="None, 1, 1", grad=True, device="1") == TensorCheck(
        type_name="Tensor",
        keys=("CPU", "BackendSelect", "ADInplaceOrView", "AutogradCPU"),
        dtype="torch.float32",
        device_index=1,
        requires_grad=True,
        size=(4, None, 0),
        stride=(None, 1, 1),
    )


def test_a_check_of_a_scalar_has_no_dims() -> None:
    assert (check(size="", stride="").size, check(size="", stride="").stride) == ((), ())


@pytest.mark.parametrize("kind", ["Mine", "model.Mine", "make.<locals>.Mine"])
def test_a_subclass_is_known_by_its_name(kind: str) -> None:
    assert check(kind).type_name == "Mine"


@pytest.mark.parametrize("other", ["", "L['n'] == 1", "check_tensor(L['x'])"])
def test_a_text_of_another_form_is_not_read(other: str) -> None:
    assert TensorCheck.read(other) is None


@pytest.mark.parametrize(
    ("keys", "index", "device"),
    [
        ("CPU, AutogradCPU", "None", "cpu"),
        ("CPU, AutogradCPU", "0", "cpu"),
        ("CUDA, BackendSelect, AutogradCUDA", "0", "cuda:0"),
        ("Meta, ADInplaceOrView", "None", "meta"),
        ("MPS, AutogradMPS", "0", "mps:0"),
        ("BackendSelect", "None", ""),
    ],
)
def test_the_device_is_told_by_the_dispatch_keys(keys: str, index: str, device: str) -> None:
    assert check(keys=keys, device=index).device == device


def on_a_device(name: str) -> torch.Tensor:
    """A tensor that says that it is there, on a machine that need not have it."""
    with FakeTensorMode():
        return torch.empty(4, 3, device=name)


class Mine(torch.Tensor):
    """A subclass of the author's."""


@pytest.mark.parametrize(
    ("found", "value", "expected"),
    [
        (check(), ones(4), [("rank", ".dim()", "2", "1")]),
        (check(), ones(4, 5), [("shape", ".size(1)", "3", "5")]),
        (
            check(),
            ones(5, 4),
            [("shape", ".size(0)", "4", "5"), ("shape", ".size(1)", "3", "4")],
        ),
        (check(size="None, 3", stride="3, 1"), ones(9, 5), [("shape", ".size(1)", "3", "5")]),
        (
            check(),
            ones(3, 4).t(),
            [("stride", ".stride(0)", "3", "1"), ("stride", ".stride(1)", "1", "4")],
        ),
        (check(stride="3, None"), ones(3, 4).t(), [("stride", ".stride(0)", "3", "1")]),
        # Strides follow from sizes.
        (check(), ones(5, 4).t(), [("shape", ".size(1)", "3", "5")]),
        (check(), ones(4, 3).double(), [("dtype", ".dtype", "torch.float32", "torch.float64")]),
        # There is one processor, whether the author numbered it or not.
        (
            check("FakeTensor", size="4, 4"),
            on_a_device("cpu:0"),
            [("shape", ".size(1)", "4", "3")],
        ),
        (
            check("FakeTensor", size="4, 4", device="0"),
            on_a_device("cpu:0"),
            [("shape", ".size(1)", "4", "3")],
        ),
        (
            check("FakeTensor"),
            on_a_device("cuda:1"),
            [("device", ".device", "cpu", "cuda:1")],
        ),
        (check(), ones(4, 3, device="meta"), [("device", ".device", "cpu", "meta")]),
        (
            check(),
            ones(4, 3, requires_grad=True),
            [("requires_grad", ".requires_grad", "False", "True")],
        ),
        (
            check(dtype="torch.int64", grad=True, size="4, 4"),
            ones(4, 3),
            [
                ("dtype", ".dtype", "torch.int64", "torch.float32"),
                ("requires_grad", ".requires_grad", "True", "False"),
                ("shape", ".size(1)", "4", "3"),
            ],
        ),
        (check(), nn.Parameter(ones(4, 3)), [("python_type", "", "Tensor", "Parameter")]),
        (check("a.<locals>.Mine"), ones(4, 3), [("python_type", "", "Mine", "Tensor")]),
        (
            check("a.<locals>.Mine"),
            ones(5, 3).as_subclass(Mine),
            [("shape", ".size(0)", "4", "5")],
        ),
        (check(), None, [("python_type", "", "Tensor", "None")]),
        (check(), 2.0, [("python_type", "", "Tensor", "float")]),
    ],
)
def test_what_a_tensor_is_other_in(
    found: TensorCheck, value: object, expected: list[tuple[str, str, str, str]]
) -> None:
    assert told(found, value) == expected


def inference() -> torch.Tensor:
    with torch.inference_mode():
        return ones(4, 3)


THEN, NOW = "an ordinary tensor", "an inference tensor"
VIEW = "CPU, BackendSelect, ADInplaceOrView"


@pytest.mark.parametrize(
    ("keys", "mode", "value", "expected"),
    [
        # The keys of an ordinary tensor and of an inference tensor, out of the mode and in it.
        (ORDINARY, False, inference(), (THEN, NOW)),
        (VIEW, False, ones(4, 3), (NOW, THEN)),
        (VIEW, True, inference(), (THEN, NOW)),
        ("CPU, BackendSelect", True, ones(4, 3), (NOW, THEN)),
        # The tensor is of the same kind: the keys differ by something else.
        (ORDINARY, False, ones(4, 3), (ORDINARY, OTHER_KEYS)),
        (VIEW, False, inference(), (VIEW, OTHER_KEYS)),
        (VIEW, True, ones(4, 3), (VIEW, OTHER_KEYS)),
    ],
)
def test_dispatch_keys_where_all_else_is_the_same(
    keys: str, mode: bool, value: torch.Tensor, expected: tuple[str, str]
) -> None:
    assert told(check(keys=keys), value, inference_mode=mode) == [("dispatch_keys", "", *expected)]
