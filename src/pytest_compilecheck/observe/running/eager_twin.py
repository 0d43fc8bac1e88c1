"""Runs each step eagerly as well, from the same state, and compares what comes out."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import torch
from torch import nn

from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.observe.errors import told
from pytest_compilecheck.observe.recording.tensors import tensors_in
from pytest_compilecheck.observe.running.differences import first_difference
from pytest_compilecheck.observe.running.leaves import IncomparableError

Arguments = dict[str, Any]


class NoGradientError(RuntimeError):
    """A contract asks for a backward of a function of which no output has a gradient."""


class Outputs:
    """What compiled values, or their eager twins, returned while a step ran."""

    def __init__(self) -> None:
        self.returned: list[Any] = []

    def noting(self, value: Any) -> Any:
        """The value, made to note what it returns; a module stays the same module."""
        target = value.forward if isinstance(value, nn.Module) else value

        @functools.wraps(target)
        def noted(*args: Any, **kwargs: Any) -> Any:
            result = target(*args, **kwargs)
            self.returned.append(result)
            return result

        if not isinstance(value, nn.Module):
            return noted
        value.forward = noted
        return value


class EagerTwin:
    """Copies the state before a step, and compares after it.

    What a test reaches through its arguments is copied; globals and closure variables are shared by
    both runs.
    """

    def __init__(
        self, contract: Contract, function: Callable[..., Any], values: Mapping[str, Any]
    ) -> None:
        self._contract = contract
        self._function = function
        self._values = dict(values)
        self._copied: tuple[Arguments, Arguments] | str = ""

    def copy_state(self, inputs: Arguments) -> None:
        """Copy the arguments as they are now; where that cannot be, a run on them says so."""
        try:
            self._copied = copy.deepcopy((self._values, inputs))
        except Exception as error:  # noqa: BLE001 - objects of anybody's classes are copied
            self._copied = f"the arguments cannot be copied for an eager run: {told(error)}"

    def compare(self, result: Any, outputs: Outputs, inputs: Arguments) -> str | None:
        """Run the step eagerly on the copies; the first difference, None if there is none.

        Raises:
            IncomparableError: what it gives cannot be compared.
        """
        values, copies = self._copies()
        try:
            expected, returned = self.run()
        except Exception as error:  # noqa: BLE001 - whatever the code under test raises
            return f"the eager run raised {told(error)}, the compiled one did not"
        for pair in (
            (expected, result, "output"),
            (returned, outputs.returned, "outputs of what is compiled"),
            (copies, inputs, "arguments after the step"),
            (values, self._values, "arguments after the step"),
        ):
            found = first_difference(*pair, rtol=self._contract.rtol, atol=self._contract.atol)
            if found is not None:
                return found
        return None

    def run(self) -> tuple[Any, list[Any]]:
        """Run the step eagerly on the copies: what it gives, and what is compiled in it returned.

        Raises:
            IncomparableError: the arguments could not be copied.
            Exception: whatever the code raises.
        """
        values, copies = self._copies()
        eager = Outputs()
        compiled = self._contract.compiles or ()
        handed = {k: eager.noting(v) if k in compiled else v for k, v in values.items()}
        torch.manual_seed(self._contract.seed)
        expected = self._function(**handed, **copies)
        if self._contract.backward:
            run_backward(expected, eager.returned)
        return expected, eager.returned

    def _copies(self) -> tuple[Arguments, Arguments]:
        if isinstance(self._copied, str):
            raise IncomparableError(self._copied)
        return self._copied


def run_backward(result: Any, returned: Iterable[Any]) -> None:
    """Run `.backward()` on the sum of all outputs that have a gradient.

    Raises:
        NoGradientError: none has one.
    """
    outputs = [each for each in tensors_in([result, *returned]) if each.requires_grad]
    distinct = {id(each): each for each in outputs if each.grad_fn is not None}
    if not distinct:
        raise NoGradientError(
            "backward=True, but no output has a gradient: give an input requires_grad=True in its"
            " spec, or a model whose parameters want gradients"
        )
    torch.stack([each.sum().float() for each in distinct.values()]).sum().backward()  # type: ignore[no-untyped-call]


def clear_gradients(values: Iterable[Any]) -> None:
    """Forget the gradients of modules and tensors among arguments."""
    for value in values:
        if isinstance(value, nn.Module):
            value.zero_grad(set_to_none=True)
        elif isinstance(value, torch.Tensor):
            value.grad = None
