"""The `inputs` of a contract file, as what `contract.series` reads."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeGuard

from pytest_compilecheck.contract import yaml_spelling
from pytest_compilecheck.contract.faults import Report, did_you_mean
from pytest_compilecheck.contract.file.objects import check_names, made_object, python_value
from pytest_compilecheck.contract.parsers import is_whole
from pytest_compilecheck.contract.plain import shown
from pytest_compilecheck.contract.trace.inputs import Input, InputDict, InputSequence
from pytest_compilecheck.contract.trace.shape_language import parse_shape
from pytest_compilecheck.contract.trace.spec import TensorSpec, spec

_SPEC_KEYS: Final = tuple(inspect.signature(spec).parameters)


@dataclass(frozen=True, slots=True)
class InputDefaults:
    """Dtype and device of tensors that name none."""

    dtype: str | None = None
    device: str | None = None


def described_inputs(value: object, defaults: InputDefaults) -> object:
    """The inputs by name, each an Input or a list with one for each step.

    What is wrong stands in the faults of a spec; what is no mapping is given back as it is.
    """
    if not isinstance(value, Mapping):
        return value
    return {name: _steps(item, defaults) for name, item in value.items()}


def _steps(value: object, defaults: InputDefaults) -> object:
    if _may_be_one_shape(value):
        one, several = " ".join(value), ", ".join(f"[{name}]" for name in value)
        read = f"the list {shown(value)} would be {len(value)} steps with a shape of one dim each"
        return _faulty(f"{read}: write {one!r}, or for several steps a list of shapes, [{several}]")
    if isinstance(value, list) and not any(is_whole(item) for item in value):
        return [_input(item, defaults) for item in value]
    return _input(value, defaults)


def _may_be_one_shape(value: object) -> TypeGuard[list[str]]:
    """Whether a list has dim names alone, as a person writes a shape, too."""
    return (
        isinstance(value, list)
        and len(value) > 1
        and all(isinstance(item, str) and item.isidentifier() for item in value)
    )


def _input(value: object, defaults: InputDefaults) -> Input:
    if isinstance(value, (str, list)):
        return _tensor({"shape": value}, defaults, part="")
    if not isinstance(value, Mapping):
        why = f"expected a shape such as 'B S 64' or [8, 64], got {shown(value)}"
        return _faulty(f"{why}: for a Python value write {{value: {yaml_spelling.shown(value)}}}")
    kinds = [kind for kind in _KINDS if kind in value]
    if len(kinds) != 1:
        return _faulty(_no_kind(value, kinds))
    if kinds[0] in ("shape", "make"):
        return _KINDS[kinds[0]](value, defaults)
    others = [key for key in value if key != kinds[0]]
    if others:
        return _faulty(f"{others[0]!r} is no key beside {kinds[0]!r}")
    return _KINDS[kinds[0]](value[kinds[0]], defaults)


def _no_kind(value: Mapping[str, object], kinds: list[str]) -> str:
    if kinds:
        return f"{' and '.join(map(repr, kinds))} exclude each other: leave one of them out"
    hints = [did_you_mean(key, _KINDS) for key in value]
    return f"say what it is, by one of the keys {', '.join(_KINDS)}" + next(filter(None, hints), "")


def _faulty(*faults: str) -> TensorSpec:
    return TensorSpec((), faults=faults)


def _tensor(value: Any, defaults: InputDefaults, part: str = "['shape']: ") -> Input:
    """A tensor of the keys of `spec`; `part` stands before what is wrong with its shape."""
    keywords = {key: item for key, item in value.items() if key in _SPEC_KEYS}
    unknown = [
        f"{key!r} is no key of a tensor{did_you_mean(key, _SPEC_KEYS)}"
        for key in value
        if key not in _SPEC_KEYS
    ]
    for key in ("shape", "strides"):  # a list in YAML, a tuple in Python
        if isinstance(keywords.get(key), list):
            keywords[key] = tuple(keywords[key])
    if defaults.dtype is not None:
        keywords.setdefault("dtype", defaults.dtype)
    keywords.setdefault("device", defaults.device)
    made = spec(**keywords)
    of_shape: list[str] = []
    parse_shape(keywords["shape"], of_shape.append)
    others = made.faults[len(of_shape) :]  # what is wrong with the shape comes first
    told = [f"{part}{fault}" for fault in _no_shape(value["shape"]) or of_shape]
    return _faulty(*told, *unknown, *others) if unknown or told else made


def _no_shape(shape: object) -> list[str]:
    """What is wrong with a shape that is none at all, in words of YAML."""
    if isinstance(shape, str) and not shape.strip():
        return ["the shape is an empty text: write [] for a tensor without dimensions"]
    if not isinstance(shape, (str, list)):
        return [f"expected a shape such as 'B S 64' or [8, 64], got {shown(shape)}"]
    return []


def _sequence(kind: Any) -> Callable[[Any, InputDefaults], Input]:
    def made(value: Any, defaults: InputDefaults) -> Input:
        if not isinstance(value, list):
            return _faulty(f"['{kind}']: expected a list of inputs, got {shown(value)}")
        return InputSequence(kind, tuple(_input(item, defaults) for item in value))

    return made


def _dict(value: Any, defaults: InputDefaults) -> Input:
    if not isinstance(value, Mapping):
        return _faulty(f"['dict']: expected a mapping of keys to inputs, got {shown(value)}")
    return InputDict({key: _input(item, defaults) for key, item in value.items()})


def _made(value: Any, defaults: InputDefaults) -> Input:
    def arguments(given: object, report: Report) -> dict[str, Input]:
        if given is not None and not isinstance(given, Mapping):
            report(f"expected a mapping of argument names to inputs, got {shown(given)}")
            return {}
        check_names(given or {}, report)
        return {name: _input(item, defaults) for name, item in (given or {}).items()}

    faults: list[str] = []
    made = made_object(value, faults.append, arguments)
    return _faulty(*faults) if faults else made


def _value(value: Any, _: InputDefaults) -> Input:
    faults: list[str] = []
    made = python_value(value, lambda text: faults.append(f"['value']{text}"))
    return _faulty(*faults) if faults else made


_KINDS: Final[dict[str, Callable[[Any, InputDefaults], Input]]] = {
    "shape": _tensor,
    "value": _value,
    "tuple": _sequence("tuple"),
    "list": _sequence("list"),
    "dict": _dict,
    "make": _made,
}
