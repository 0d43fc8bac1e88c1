"""A graph that ran is run again, to see what it gives to custom operators."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx
from torch.utils.weak import WeakTensorKeyDictionary

from pytest_compilecheck.observe.errors import told
from pytest_compilecheck.observe.operators import body_of, custom_name
from pytest_compilecheck.observe.recording.tensors import tensors_in


@dataclass(frozen=True, slots=True)
class OperatorCall:
    """An operator and what it is given."""

    operator: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def copy(self) -> OperatorCall:
        """The same call with tensors of its own."""
        args, kwargs = (_with_tensors(_copy, given) for given in (self.args, self.kwargs))
        return OperatorCall(self.operator, args, kwargs)

    @property
    def kind(self) -> str:
        """Equal for calls of an operator that differ in sizes and elements of tensors only."""
        return repr([_kind(self.args), _kind(self.kwargs)])


Note = Callable[[fx.Node, OperatorCall], None]


def run_again(
    graph: fx.GraphModule, inputs: tuple[Any, ...], note: Note, *, backward: bool
) -> str | None:
    """Run a graph, and the backward of what it gives; `note` is told of calls before they are made.

    Gives what ended the run, None for nothing. The inputs stay as they are.
    """
    with torch.compiler.set_stance("force_eager"), torch.set_grad_enabled(backward):
        try:
            given = _with_tensors(_copy, inputs)
            if backward:  # what the graph may write to is no leaf
                given = _with_tensors(torch.clone, given)
            outputs = fx.Interpreter(_noting(graph, note)).run(*given)
            if backward:
                _run_backward(outputs)
        except Exception as error:  # noqa: BLE001 - the operator is anybody's code
            return told(error)
    return None


def _run_backward(outputs: Any) -> None:
    roots = [root for root in tensors_in(outputs) if root.requires_grad]
    torch.autograd.backward(roots, list(map(torch.ones_like, roots)))


def _noting(graph: fx.GraphModule, note: Note) -> fx.GraphModule:
    """A copy of a graph and of its bodies in which `note` stands before each custom operator."""
    copied = fx.GraphModule(graph, copy.deepcopy(graph.graph))
    for node, original in zip(copied.graph.nodes, graph.graph.nodes, strict=True):
        body = body_of(graph, original)
        if body is not None:
            copied.set_submodule(str(node.target), _noting(body, note))
        elif custom_name(original) is not None:
            node.target = _noted(original, note)
    copied.recompile()
    return copied


def _noted(node: fx.Node, note: Note) -> Callable[..., Any]:
    operator: Any = node.target

    def noted(*args: Any, **kwargs: Any) -> Any:
        note(node, OperatorCall(operator, args, kwargs))
        return operator(*args, **kwargs)

    return noted


class Copies:
    """Copies of tensors. One that has not changed since it was copied is not copied again."""

    def __init__(self) -> None:
        self._made = WeakTensorKeyDictionary()

    def of(self, value: Any) -> Any:
        """A copy of the tensors in tuples, lists and dicts; other values as they are."""
        return _with_tensors(self._of_tensor, value)

    def _of_tensor(self, tensor: torch.Tensor) -> torch.Tensor:
        if tensor.is_inference():  # it does not count its changes
            return _copy(tensor)
        state = (tensor._version, tensor.dtype, tensor.shape, tensor.requires_grad)
        if tensor not in self._made or self._made[tensor][0] != state:
            self._made[tensor] = (state, _copy(tensor))
        copied: torch.Tensor = self._made[tensor][1]
        return copied


def _copy(tensor: torch.Tensor) -> torch.Tensor:
    with torch.inference_mode(False):
        return tensor.detach().clone().requires_grad_(tensor.requires_grad)


def _with_tensors(change: Callable[[torch.Tensor], Any], value: Any) -> Any:
    """The value with each tensor in tuples, lists and dicts changed; other values as they are."""
    if isinstance(value, torch.Tensor):
        return change(value)
    if isinstance(value, (list, tuple)):
        return type(value)(_with_tensors(change, each) for each in value)
    if isinstance(value, dict):
        return {key: _with_tensors(change, each) for key, each in value.items()}
    return value


def _kind(value: Any) -> Any:
    return _with_tensors(_tensor_kind, value)


def _tensor_kind(tensor: torch.Tensor) -> tuple[object, ...]:
    contiguous = tensor.layout is torch.strided and tensor.is_contiguous()
    return (
        tensor.dtype,
        tensor.device,
        tensor.layout,
        contiguous,
        tensor.dim(),
        tensor.requires_grad,
    )
