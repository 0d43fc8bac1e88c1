"""Makes the object that a contract names, and calls it."""

from __future__ import annotations

import copy
import dataclasses
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from inspect import Parameter
from types import BuiltinFunctionType, FunctionType
from typing import Any

import torch
from torch import nn

from pytest_compilecheck.contract.faults import did_you_mean
from pytest_compilecheck.contract.file.values import Target
from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.observe.running.inputs import import_path, make_objects, nearest
from pytest_compilecheck.observe.running.parameters import parameters_of

# No names of parameters: what is called may have any of those.
_CALLED = "the target"
_OWNER = "the object of the target"
_GRAD = "whether gradients are recorded"

_IS_CALLED = (
    "the function itself is what is compiled: to have it make the model write arguments: {}"
)


class TargetError(Exception):
    """What a contract names cannot be made: the message says what was tried and what to do.

    `at` is the part of the contract that it is about, such as "target", "arguments" or "call".
    """

    def __init__(self, at: str, message: str) -> None:
        """Take the part of the contract and the message."""
        self.at = at
        super().__init__(at, message)

    def __str__(self) -> str:
        return str(self.args[1])


@dataclass(frozen=True, slots=True)
class Callee:
    """What is compiled and called in each step.

    `called` is `owner`, or a method of it, `keywords` are fixed ones of the call; without `grad` it
    runs under `torch.no_grad()`. `advice` is what to do where something else should be called.
    """

    called: Any
    owner: Any
    keywords: Mapping[str, Any] = field(default_factory=dict)
    grad: bool = True
    advice: str = ""

    @property
    def method(self) -> str | None:
        """The name of what takes the arguments, as in "Ranker.forward"; None for a function."""
        if _is_function(self.owner):
            return None
        called = self.function
        name = "__call__" if called is self.owner else getattr(called, "__name__", None)
        return f"{type(self.owner).__name__}.{name}" if name else None

    @property
    def function(self) -> Callable[..., Any]:
        """What takes the arguments of the call: the `forward` of a module."""
        call: Callable[..., Any] = self.called
        return call.forward if isinstance(call, nn.Module) else call

    @property
    def parameters(self) -> dict[str, Parameter] | None:
        """Parameters of the call; None where it takes any keyword, or does not tell."""
        return parameters_of(self.function)

    @property
    def arguments(self) -> dict[str, Any]:
        """Arguments for `run_target`."""
        owner = {} if self.owner is self.called else {_OWNER: self.owner}
        return {_CALLED: self.called, **owner, _GRAD: self.grad, **self.keywords}


def run_target(**given: Any) -> Any:
    """One step: calls what a `Callee` is, with its keywords and the inputs of the step."""
    given.pop(_OWNER, None)
    with torch.set_grad_enabled(given.pop(_GRAD)):
        return given.pop(_CALLED)(**given)


def compiled_target(contract: Contract) -> Contract:
    """The contract, for `run_target`: what it calls is what is compiled."""
    return contract if contract.watch_only else dataclasses.replace(contract, compiles=(_CALLED,))


def make_callee(target: Target, seed: int) -> Callee:
    """Import, make and prepare what a contract names, the same way each time.

    Raises:
        TargetError: it cannot be imported, made or moved, or has no such method; `__cause__` is the
            exception behind it.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        owner = _made(target, seed)
        _prepare(owner, target)
        callee = Callee(
            _call_of(owner, target),
            owner,
            _keywords(target, seed),
            target.grad,
            _IS_CALLED if _is_function(owner) and target.arguments is None else "",
        )
    known = callee.parameters
    for name in callee.keywords:
        if known is not None and name not in known:
            hint = did_you_mean(name, known)
            raise TargetError("keywords", f"the call takes no argument {name!r}{hint}")
    return callee


def method_callee(kind: type, factory: Callable[[], Any], method: str, seed: int) -> Callee:
    """The method of an instance of this class, which the factory makes, the same way each time.

    Raises:
        TargetError: the factory fails, with its exception as `__cause__`, or makes something else.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        try:
            owner = factory()
        except Exception as error:
            why = f"no instance of {kind.__name__} can be made"
            raise TargetError("factory", why) from error
    if not isinstance(owner, kind):
        made = f"gives an object of type {type(owner).__name__}, and no {kind.__name__}"
        raise TargetError("factory", made)
    if getattr(type(owner), method) is not getattr(kind, method):
        other = f"gives a {type(owner).__name__}, which has a {method} of its own"
        raise TargetError("factory", f"{other}: put the contract on that one")
    return Callee(_method_of(owner, method), owner)


def _made(target: Target, seed: int) -> Any:
    try:
        found = import_path(target.path)
    except Exception as error:
        raise TargetError("target", _why_unfound(target.path, error)) from error
    if target.arguments is None and not isinstance(found, type):
        return _copied(found, target.path) if isinstance(found, nn.Module) else found
    try:
        arguments = make_objects(target.arguments or {}, f"{seed}/arguments")
        return found(**arguments)
    except Exception as error:
        part = "arguments" if target.arguments else "target"
        raise TargetError(part, f"{target.path} cannot be called to make it") from error


def _copied(module: nn.Module, path: str) -> nn.Module:
    """A module of its own: other contracts, and the code around it, use this one."""
    try:
        return copy.deepcopy(module)
    except Exception as error:
        why = f"{path} cannot be copied: name a function that makes it, with arguments: {{}}"
        raise TargetError("target", why) from error


def _why_unfound(path: str, error: Exception) -> str:
    package = re.split("[.:]", path)[0]
    if isinstance(error, ModuleNotFoundError) and error.name == package:
        cure = (
            "install it, name its folder in pytest's setting pythonpath, or run python -m pytest"
            " in that folder"
        )
        return f"there is no package {package!r} to import {path} from: {cure}"
    return f"{path} cannot be imported{nearest(error)}"


def _prepare(owner: Any, target: Target) -> None:
    if not isinstance(owner, nn.Module):
        if target.training:
            raise TargetError(
                "training", f"{target.path} gives no nn.Module to be trained: leave it out"
            )
        return
    try:
        owner.to(
            device=target.device,
            dtype=getattr(torch, target.dtype) if target.dtype is not None else None,
        )
    except Exception as error:
        part = "device" if target.device is not None else "dtype"
        raise TargetError(part, f"{target.path} cannot be moved to it on this machine") from error
    owner.train(target.training)


def _call_of(owner: Any, target: Target) -> Any:
    called, kind = _method_of(owner, target.call), type(owner).__name__
    if callable(called):
        return called
    if target.call is not None:
        if _is_function(owner) and target.arguments is None:
            why = f"{target.path} has no method {target.call!r}; {_IS_CALLED}"
            raise TargetError("call", why)
        hint = did_you_mean(target.call, [name for name in dir(owner) if name[:1] != "_"])
        raise TargetError("call", f"{kind} has no method {target.call!r}{hint}")
    why = f"{target.path} gives an object of type {kind}, which cannot be called"
    raise TargetError("target", f"{why}: name a method of it in call")


def _is_function(owner: Any) -> bool:
    return isinstance(owner, (FunctionType, BuiltinFunctionType))


def _method_of(owner: Any, name: str | None) -> Any:
    # A module's own call runs its hooks too.
    if name is None or (name == "forward" and isinstance(owner, nn.Module)):
        return owner
    return getattr(owner, name, None)


def _keywords(target: Target, seed: int) -> dict[str, Any]:
    try:
        return make_objects(target.keywords, f"{seed}/keywords")
    except Exception as error:
        raise TargetError("keywords", "the keyword arguments cannot be made") from error
