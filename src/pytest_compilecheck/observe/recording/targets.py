"""What a region was made of, from the callable that torch.compile was given."""

from __future__ import annotations

import inspect
import types
from typing import Any

import torch
from torch import nn

from pytest_compilecheck.observe.events import RegionTarget


def region_target(target: Any) -> RegionTarget:
    """The author's name for a compiled callable ("Llama", "train_step"), and its code."""
    target = _unwrapped(target)
    owner = getattr(target, "__self__", None)
    if isinstance(owner, nn.Module) and not _is_method(target):
        return RegionTarget(type(owner).__name__, _code(owner.forward))
    if isinstance(target, nn.Module):
        return RegionTarget(type(target).__name__, _code(target.forward))
    name = getattr(target, "__qualname__", None) or type(target).__name__
    return RegionTarget(name.rpartition("<locals>.")[2], _code(target))


def _unwrapped(target: Any) -> Any:
    """What torch wraps in a function of its own, so that its own code is not skipped."""
    inside = getattr(target, "__module__", "") or ""
    if isinstance(target, types.FunctionType) and inside.startswith(torch.__name__):
        cells = inspect.getclosurevars(target).nonlocals
        return cells.get("fn", target)
    return target


def _is_method(target: Any) -> bool:
    # A module is compiled by its `__call__`; a bound method of one is a region of its own.
    # That of a graph module is a wrapper of its own (torch/fx/graph_module.py).
    name = getattr(target, "__name__", "")
    return name not in ("__call__", "_call_impl", "_wrapped_call_impl", "call_wrapped")


def _code(function: Any) -> types.CodeType | None:
    code = getattr(function, "__code__", None)
    return code if isinstance(code, types.CodeType) else None
