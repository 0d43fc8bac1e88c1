"""What an argument of a step is made of: tensors and Python values, alone or inside others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pytest_compilecheck.contract.plain import plain
from pytest_compilecheck.contract.trace.spec import TensorSpec


@dataclass(frozen=True, slots=True)
class PythonValue:
    """An argument that is handed to the function as it is."""

    value: object


@dataclass(frozen=True, slots=True)
class InputSequence:
    """A tuple or a list of inputs."""

    kind: Literal["tuple", "list"]
    items: tuple[Input, ...]


@dataclass(frozen=True, slots=True)
class InputDict:
    """A dict of inputs."""

    items: Mapping[str, Input]


@dataclass(frozen=True, slots=True)
class MadeObject:
    """What the class or function at `path` ("package.module:attr") gives for the arguments."""

    path: str
    arguments: Mapping[str, Input]


Leaf = TensorSpec | PythonValue
Input = Leaf | InputSequence | InputDict | MadeObject


def parts(made: Input) -> tuple[tuple[str, Input], ...]:
    """The inputs directly inside, each with what follows the name: "[0]", "['a']" or ".a"."""
    if isinstance(made, InputSequence):
        return tuple((f"[{index}]", item) for index, item in enumerate(made.items))
    if isinstance(made, InputDict):
        return tuple((f"[{key!r}]", item) for key, item in made.items.items())
    if isinstance(made, MadeObject):
        return tuple((f".{name}", item) for name, item in made.arguments.items())
    return ()


def leaves(label: str, made: Input) -> Iterator[tuple[str, Leaf]]:
    """Every tensor and Python value inside, with its name: "pair[0]", "out.last_hidden_state"."""
    if isinstance(made, (TensorSpec, PythonValue)):
        yield label, made
    for suffix, item in parts(made):
        yield from leaves(label + suffix, item)


def tensors(inputs: Mapping[str, Input]) -> dict[str, TensorSpec]:
    """Every tensor of the arguments, by name; nested ones as `leaves` names them."""
    return {
        label: leaf
        for name, made in inputs.items()
        for label, leaf in leaves(name, made)
        if isinstance(leaf, TensorSpec)
    }


def resolve(made: Input, dims: Mapping[str, int]) -> Input:
    """The same input with sizes in place of the names of dims.

    Raises:
        KeyError: a dim of a shape has no size.
    """
    if isinstance(made, TensorSpec):
        return made.resolve(dims)
    if isinstance(made, InputSequence):
        return InputSequence(made.kind, tuple(resolve(item, dims) for item in made.items))
    if isinstance(made, InputDict):
        return InputDict({key: resolve(item, dims) for key, item in made.items.items()})
    if isinstance(made, MadeObject):
        arguments = {name: resolve(item, dims) for name, item in made.arguments.items()}
        return MadeObject(made.path, arguments)
    return made


def to_plain(made: Input) -> dict[str, Any]:
    """JSON-able form, as a contract file writes it."""
    if isinstance(made, TensorSpec):
        return made.to_dict()
    if isinstance(made, PythonValue):
        return {"value": plain(made.value)}
    if isinstance(made, InputSequence):
        return {made.kind: [to_plain(item) for item in made.items]}
    if isinstance(made, InputDict):
        return {"dict": {key: to_plain(item) for key, item in made.items.items()}}
    arguments = {name: to_plain(item) for name, item in made.arguments.items()}
    return {"make": made.path, "arguments": arguments}
