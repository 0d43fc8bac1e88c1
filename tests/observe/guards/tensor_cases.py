"""Changes of tensors, in a table."""

from __future__ import annotations

import torch
from observe.guards.cases import Case, Told, everywhere
from torch import nn


class Mine(torch.Tensor):
    """A subclass of the author's."""


def adds(x: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return x.sum() + v.sum()


def sums(_: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return v.sum()


def loops(x: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    for row in range(v.shape[0]):
        x = x + v[row].sum()
    return x


def branches(x: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return x + v.sum() if v.shape[0] > 10 else x - v.sum()


def of_size(*size: int) -> torch.Tensor:
    return torch.ones(size)


def inference_tensor() -> torch.Tensor:
    with torch.inference_mode():
        return of_size(5, 3)


def parameter() -> nn.Parameter:
    return nn.Parameter(of_size(5, 3), requires_grad=False)


FIVE = (lambda: of_size(5, 3),)

MARK = (
    "torch._dynamo.mark_dynamic({}, 0) before the first call spares the rebuild;"
    ' allow_recompiles=["automatic_dynamic"] accepts this one rebuild'
)
AT_TWO = (
    "torch compiles sizes 0 and 1 apart from all others: keep {}.size(0) at 2 or more (pad), or"
    " allow this rebuild"
)
NO_LOOP = (
    "<line> needs {}.size(0) as a number: write it without one (no Python loop or fixed view over"
    " it), or pad to a few sizes"
)
SAME_MODE = (
    "make {} under the same mode as in the first call: {}.clone() outside of torch.inference_mode()"
    " is an ordinary tensor"
)
ONE_LAYOUT = "give {} one memory layout before the compiled function: {}.contiguous()"
SAME_KIND = "pass {} as the same kind in all calls: {}.detach() is no Parameter"
ONE_TYPE = "convert {} to one type before the compiled function"
NOT_NONE = "always pass a value for {}: an empty or zero one instead of None"

CASES = [
    Case(
        "a size",
        adds,
        (*FIVE, lambda: of_size(6, 3)),
        everywhere(Told("shape", "{}.size(0)", "5", "6", MARK, automatic=True)),
        deep=True,
    ),
    Case(
        "a size that becomes 1",
        adds,
        (*FIVE, lambda: of_size(1, 3)),
        everywhere(Told("shape", "{}.size(0)", "5", "1", AT_TWO, special="zero_one")),
    ),
    Case(
        "a size that becomes 0",
        adds,
        (*FIVE, lambda: of_size(6, 3), lambda: of_size(0, 3)),
        everywhere(Told("shape", "{}.size(0)", "2 or more", "0", AT_TWO, special="zero_one")),
    ),
    Case(
        "a size that was 1",
        adds,
        (lambda: of_size(1, 3), *FIVE),
        everywhere(Told("shape", "{}.size(0)", "1", "5", MARK, automatic=True)),
    ),
    Case(
        "a size that a loop needs",
        loops,
        (*FIVE, lambda: of_size(6, 3)),
        everywhere(Told("shape", "{}.size(0)", "5", "6", NO_LOOP, special="specialized")),
    ),
    Case(
        "a size that a branch asks for",
        branches,
        (*FIVE, lambda: of_size(6, 3), lambda: of_size(12, 3)),
        everywhere(
            Told(
                "shape",
                "{}.size(0)",
                "{}.size(0) <= 10",
                "12",
                "the code branches on {}.size(0): decide before the compiled function, or pad to a"
                " few sizes",
                special="condition",
            )
        ),
    ),
    Case(
        "rank",
        adds,
        (*FIVE, lambda: of_size(5)),
        everywhere(
            Told("rank", "{}.dim()", "2", "1", "reshape {} to 2 dims before the compiled function")
        ),
        deep=True,
    ),
    Case(
        "strides",
        adds,
        (*FIVE, lambda: of_size(3, 5).t()),
        everywhere(
            Told("stride", "{}.stride(0)", "3", "1", ONE_LAYOUT),
            Told("stride", "{}.stride(1)", "1", "5", ONE_LAYOUT),
        ),
        deep=True,
    ),
    Case(
        "dtype",
        adds,
        (*FIVE, lambda: of_size(5, 3).double()),
        everywhere(
            Told(
                "dtype",
                "{}.dtype",
                "torch.float32",
                "torch.float64",
                "convert {} before the compiled function: {}.to(torch.float32)",
            )
        ),
        deep=True,
    ),
    Case(
        "device",
        sums,
        (*FIVE, lambda: of_size(5, 3).to("meta")),
        everywhere(Told("device", "{}.device", "cpu", "meta", "keep {} on one device, cpu")),
        deep=True,
    ),
    Case(
        "requires_grad",
        adds,
        (*FIVE, lambda: of_size(5, 3).requires_grad_()),
        everywhere(
            Told(
                "requires_grad",
                "{}.requires_grad",
                "False",
                "True",
                "call with and without gradients apart, or pass {}.detach() in all calls",
            )
        ),
        deep=True,
    ),
    Case(
        "an inference tensor",
        adds,
        (*FIVE, inference_tensor),
        everywhere(
            Told("dispatch_keys", "{}", "an ordinary tensor", "an inference tensor", SAME_MODE)
        ),
        deep=True,
    ),
    Case(
        "an ordinary tensor after one of inference",
        adds,
        (inference_tensor, *FIVE),
        everywhere(
            Told("dispatch_keys", "{}", "an inference tensor", "an ordinary tensor", SAME_MODE)
        ),
    ),
    Case(
        "a Parameter",
        adds,
        (*FIVE, parameter),
        everywhere(Told("python_type", "{}", "Tensor", "Parameter", SAME_KIND)),
    ),
    Case(
        "no Parameter any more",
        adds,
        (parameter, *FIVE),
        everywhere(Told("python_type", "{}", "Parameter", "Tensor", SAME_KIND)),
    ),
    Case(
        "a subclass",
        adds,
        (*FIVE, lambda: of_size(5, 3).as_subclass(Mine)),
        everywhere(Told("python_type", "{}", "Tensor", "Mine", ONE_TYPE)),
    ),
    Case(
        "a size of a subclass",
        adds,
        (lambda: of_size(5, 3).as_subclass(Mine), lambda: of_size(6, 3).as_subclass(Mine)),
        everywhere(Told("shape", "{}.size(0)", "5", "6", MARK, automatic=True)),
    ),
    Case(
        "None for a tensor",
        lambda x, v: x + 1 if v is None else x + v.sum(),
        (*FIVE, lambda: None),
        everywhere(Told("python_type", "{}", "Tensor", "None", NOT_NONE)),
    ),
    Case(
        "a tensor for None",
        lambda x, v: x + 1 if v is None else x + v.sum(),
        (lambda: None, *FIVE),
        everywhere(Told("python_type", "{}", "None", "Tensor", NOT_NONE)),
    ),
]
