"""What the guard on a tensor assumed, against the tensor at hand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import torch

from pytest_compilecheck.contract.causes import Cause
from pytest_compilecheck.observe.guards.words import type_name

# "check_tensor(L['x'], Tensor, DispatchKeySet(CPU, ...), torch.float32, device=None,
# requires_grad=False, size=[4, None], stride=[None, 1])"; None is a dim that may be anything.
_CHECK = re.compile(
    r", (?P<type>[^,]+), DispatchKeySet\((?P<keys>[^)]*)\), (?P<dtype>torch\.\w+), "
    r"device=(?P<device>\w+), requires_grad=(?P<grad>True|False), "
    r"size=\[(?P<size>[^\]]*)\], stride=\[(?P<stride>[^\]]*)\]\)"
)

Dims = tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """One property of a tensor that is other: its cause, the name's suffix, then and now."""

    cause: Cause
    suffix: str
    expected: str
    actual: str


@dataclass(frozen=True, slots=True)
class TensorCheck:
    """A TENSOR_MATCH guard, read from its text. Sizes and strides are None where they may vary."""

    type_name: str
    keys: tuple[str, ...]
    dtype: str
    device_index: int | None
    requires_grad: bool
    size: Dims
    stride: Dims

    @classmethod
    def read(cls, condition: str) -> TensorCheck | None:
        """The check in a condition of torch's, None where it has another form."""
        match = _CHECK.search(condition)
        if match is None:
            return None
        return cls(
            type_name=match["type"].rpartition(".")[2],
            keys=tuple(match["keys"].split(", ")),
            dtype=match["dtype"],
            device_index=None if match["device"] == "None" else int(match["device"]),
            requires_grad=match["grad"] == "True",
            size=_dims(match["size"]),
            stride=_dims(match["stride"]),
        )

    @property
    def device(self) -> str:
        """The device, "cpu" or "cuda:0"; the backend is named only among the dispatch keys."""
        name = next((_BACKENDS[key] for key in self.keys if key in _BACKENDS), "")
        has_index = self.device_index is not None and name not in _WITHOUT_INDEX
        return f"{name}:{self.device_index}" if has_index else name

    def differences(self, value: object, *, inference_mode: bool) -> list[Difference]:
        """All in which a value is other than assumed; [] where the text does not show it.

        `inference_mode` tells whether it was on when the graph was made.
        """
        if not isinstance(value, torch.Tensor) or type(value).__name__ != self.type_name:
            return [Difference("python_type", "", self.type_name, type_name(value))]
        grads = str(self.requires_grad), str(value.requires_grad)
        properties = (
            Difference("device", ".device", self.device, _device(value)),
            Difference("dtype", ".dtype", self.dtype, str(value.dtype)),
            Difference("requires_grad", ".requires_grad", *grads),
        )
        found = [each for each in properties if each.expected != each.actual]
        found += self._layout(value)
        return found or [self._keys(value, inference_mode)]

    def _layout(self, value: torch.Tensor) -> Iterator[Difference]:
        if value.dim() != len(self.size):
            yield Difference("rank", ".dim()", str(len(self.size)), str(value.dim()))
            return
        sizes = list(_changed(self.size, tuple(value.shape)))
        for index, expected, actual in sizes:
            yield Difference("shape", f".size({index})", str(expected), str(actual))
        # Strides follow from sizes: they are news only where the sizes are the same.
        if not sizes:
            for index, expected, actual in _changed(self.stride, value.stride()):
                yield Difference("stride", f".stride({index})", str(expected), str(actual))

    def _keys(self, value: torch.Tensor, inference_mode: bool) -> Difference:
        # The mode adds to a tensor's own keys, and hides some of them.
        if inference_mode:
            was_ordinary = "ADInplaceOrView" in self.keys
        else:
            was_ordinary = any(key.startswith("Autograd") for key in self.keys)
        expected, actual = _kind(was_ordinary), _kind(not value.is_inference())
        if expected != actual:
            return Difference("dispatch_keys", "", expected, actual)
        return Difference("dispatch_keys", "", ", ".join(self.keys), OTHER_KEYS)


OTHER_KEYS = "other dispatch keys"
_BACKENDS = {"CPU": "cpu", "CUDA": "cuda", "Meta": "meta", "MPS": "mps", "XPU": "xpu", "HPU": "hpu"}
_WITHOUT_INDEX = ("cpu", "meta")  # there is one: a subclass of the author's may have its number


def _kind(ordinary: bool) -> str:
    return "an ordinary tensor" if ordinary else "an inference tensor"


def _device(value: torch.Tensor) -> str:
    device = value.device
    return device.type if device.type in _WITHOUT_INDEX else str(device)


def _changed(assumed: Dims, actual: tuple[int, ...]) -> Iterator[tuple[int, int, int]]:
    for index, (before, now) in enumerate(zip(assumed, actual, strict=False)):
        if before is not None and before != now:
            yield index, before, now


def _dims(text: str) -> Dims:
    return tuple(None if part == "None" else int(part) for part in text.split(", ") if part)
