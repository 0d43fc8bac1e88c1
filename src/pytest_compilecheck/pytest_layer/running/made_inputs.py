"""Inputs of a trace that plugins make."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from pytest_compilecheck.observe.running.parameters import annotations_of
from pytest_compilecheck.pytest_layer import hook_calls

if TYPE_CHECKING:
    import torch

    from pytest_compilecheck.contract.trace.spec import TensorSpec
    from pytest_compilecheck.observe.running.input_maker import Ask


def input_asker(where: pytest.Item | pytest.Config, call: Callable[..., Any]) -> Ask | None:
    """What asks the plugins for an input of `call`; None where no plugin makes any.

    It raises HookError where one of them raises. `where` is the item, or the run if there is none.
    """
    item = None if isinstance(where, pytest.Config) else where
    hooks = where.hook if isinstance(where, pytest.Config) else where.ihook
    hook = hooks.pytest_compilecheck_make_input
    if not hook_calls.is_implemented(hook):
        return None
    annotations = annotations_of(call)

    def ask(name: str, spec: TensorSpec, make_tensor: Callable[[], torch.Tensor]) -> object:
        return hook_calls.call(
            hook,
            item=item,
            name=name,
            annotation=annotations.get(name),
            sizes=tuple(int(size) for size in spec.shape),
            spec=spec,
            make_tensor=make_tensor,
        )

    return ask
