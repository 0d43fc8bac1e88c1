"""The usual cure for each kind of change that makes torch compile again."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from pytest_compilecheck.contract.causes import Cause

if TYPE_CHECKING:
    from pytest_compilecheck.observe.values.recompile import Change

_SIZE = re.compile(r"^(?P<tensor>.+)\.size\((?P<dim>\d+)\)$")
_NUMBER = re.compile(r"^-?(\d+\.?\d*(e[+-]?\d+)?|\.\d+|nan|inf)$")
# How what a broken line left behind is called, which has no name in the code.
RESULT_OF_LINE = "<result of line"
# What is other than in the last capture of compiled autograd, and a race of threads: they have no
# name in the code either.
BACKWARD_TENSOR = "a tensor that the backward uses"
BACKWARD_GRAPH = "the backward's autograd graph"
GUARDS_HOLD_NOW = "guards that held when torch looked again"
_ONE_REBUILD = 'allow_recompiles=["automatic_dynamic"] accepts this one rebuild'


def cure(change: Change) -> str:
    """What to do about a change, in one or two short sentences that name the value."""
    if change.source.startswith(RESULT_OF_LINE):
        line = re.match(r"<result of (line \d+)", change.source)
        where = line[1] if line else "that line"
        return f"remove the graph break in {where}: nothing is guarded then on what it gives"
    if change.source in _UNNAMED:
        return _UNNAMED[change.source]
    return _CURES[change.cause](change)


_UNNAMED = {
    BACKWARD_TENSOR: "the backward is captured anew for another size: pad to a few sizes",
    BACKWARD_GRAPH: (
        "keep the backward the same in all steps: zero_grad(set_to_none=True) before each, the"
        " same loss, parameters and hooks; else warm up each one"
    ),
    GUARDS_HOLD_NOW: (
        "another thread compiled the same code meanwhile: make the first calls in one thread,"
        " before the others begin"
    ),
}


def _shape(change: Change) -> str:
    size = _SIZE.match(change.source)
    tensor, dim = (size["tensor"], size["dim"]) if size else (change.source, "dim")
    mark = f"torch._dynamo.mark_dynamic({tensor}, {dim})"
    if change.automatic_dynamic:
        return f"{mark} before the first call spares the rebuild; {_ONE_REBUILD}"
    if change.special == "zero_one":
        return (
            f"torch compiles sizes 0 and 1 apart from all others: keep {change.source} at 2 or"
            " more (pad), or allow this rebuild"
        )
    if change.special == "duck_shape":
        return (
            f"torch took {change.source} and a size of the same value for one: begin with"
            f" different sizes, or mark both, {mark}"
        )
    if change.special == "static_parameter":
        return (
            f"the sizes of Parameters and buffers are always fixed: keep {tensor} at one size, or"
            " make it a plain tensor"
        )
    if change.special == "condition":
        return (
            f"the code branches on {change.source}: decide before the compiled function, or pad to"
            " a few sizes"
        )
    if change.special == "specialized" and change.fixed_at is not None:
        line = f"{change.fixed_at.file}:{change.fixed_at.line}"
        return (
            f"{line} needs {change.source} as a number: write it without one (no Python loop or"
            " fixed view over it), or pad to a few sizes"
        )
    if change.holder == "module":
        return f"keep {tensor} at one size, or compile a module for each size"
    return f"{mark} before the first call makes it dynamic; else pad to a few sizes"


def _named(rest: str) -> Callable[[Change], str]:
    return lambda change: rest.format(name=change.source)


def _of_tensor(rest: str) -> Callable[[Change], str]:
    """A sentence about the tensor whose property ("x.dtype", "x.stride(0)") changed."""

    def told(change: Change) -> str:
        tensor = re.sub(r"\.\w+(?:\(\d*\))?$", "", change.source)
        return rest.format(tensor=tensor, expected=change.expected)

    return told


def _python_value(change: Change) -> str:
    is_number = bool(_NUMBER.match(change.expected))
    name = change.source
    if change.automatic_dynamic:
        return f"pass {name} as a tensor to spare the rebuild; {_ONE_REBUILD}"
    if change.special == "zero_one":
        return f"torch compiles 0 and 1 apart from all other numbers: pass {name} as a tensor"
    if change.special == "condition":
        return f"the code branches on {name}: decide before the compiled function"
    if change.special == "specialized":
        return f"the code needs {name} as a number (a Python loop, a size): keep it to a few values"
    if change.holder in ("global", "closure"):
        how = "as a tensor argument" if is_number else "as an argument, and keep to few values"
        return f"do not change {name} between calls: pass it {how}"
    if is_number:
        return f"pass {name} as a tensor"
    return (
        f"each value of {name} gets a graph of its own: decide on it before the compiled function,"
        " or warm up each value and allow as many rebuilds"
    )


def _module_state(change: Change) -> str:
    name = change.source
    if name.endswith(".training") or name == "training":
        return "train() and eval() get a graph each: compile them apart, or allow the one rebuild"
    if _NUMBER.match(change.expected):
        attribute = next(iter(re.findall(r"[^\W\d]\w*", name)[::-1]), name)  # the last word of it
        return (
            f"keep it in a tensor: register_buffer({attribute!r}, torch.tensor(...));"
            " where gradients flow through it, change it outside of what is compiled"
        )
    return f"set {name} once, before the first call, or pass it as an argument"


def _python_type(change: Change) -> str:
    kinds = {change.expected, change.actual}
    name = change.source
    if "None" in kinds:
        return f"always pass a value for {name}: an empty or zero one instead of None"
    if "Parameter" in kinds:
        return f"pass {name} as the same kind in all calls: {name}.detach() is no Parameter"
    if change.source == "self":
        return (
            "instances of several classes share this code: compile them apart (each class with a"
            " forward of its own), or allow one rebuild for each class"
        )
    return f"convert {name} to one type before the compiled function"


def _container_length(change: Change) -> str:
    container = change.source.removeprefix("len(").removesuffix(")")
    if container == "kwargs":
        return "pass the same keyword arguments in all calls"
    return (
        f"keep {container} at one length (preallocate it, or stack it into one tensor), or loop"
        " over it outside the compiled function"
    )


def _global_state(change: Change) -> str:
    name = change.source
    if name in ("grad mode", "inference mode"):
        return f"make all calls under the same {name}, the warm-up too"
    return f"set {name} once, before the first call"


def _other(change: Change) -> str:
    if change.source.startswith("backend"):
        return "make the backend function once and pass the same one to each torch.compile"
    if change.actual.startswith("dims marked"):
        return f"mark {change.source} before its first call, the same way in all calls"
    return "keep what the guard names the same in all calls"


_CURES: Mapping[Cause, Callable[[Change], str]] = {
    "shape": _shape,
    "rank": _of_tensor("reshape {tensor} to {expected} dims before the compiled function"),
    "stride": _of_tensor(
        "give {tensor} one memory layout before the compiled function: {tensor}.contiguous()"
    ),
    "dtype": _of_tensor("convert {tensor} before the compiled function: {tensor}.to({expected})"),
    "device": _of_tensor("keep {tensor} on one device, {expected}"),
    "requires_grad": _of_tensor(
        "call with and without gradients apart, or pass {tensor}.detach() in all calls"
    ),
    "python_value": _python_value,
    "python_type": _python_type,
    "object_identity": _named(
        "make what {name} is once, outside the calls, and pass the very same object"
    ),
    "module_state": _module_state,
    "container_length": _container_length,
    "dict_keys": _named("give {name} the same keys in the same order in all calls"),
    "global_state": _global_state,
    "dispatch_keys": _named(
        "make {name} under the same mode as in the first call: {name}.clone() outside of"
        " torch.inference_mode() is an ordinary tensor"
    ),
    "hook": _named("register hooks before the first call, and keep them"),
    "alias": _named("pass tensors that are always distinct (clone one), or always the same"),
    "other": _other,
}
