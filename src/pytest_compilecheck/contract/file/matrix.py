"""The matrix of a contract: one set of fields for each combination of its values."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from typing import Any, Final

from pytest_compilecheck.contract.faults import Fault, Places, did_you_mean
from pytest_compilecheck.contract.file.compose import Written
from pytest_compilecheck.contract.file.document import Fields
from pytest_compilecheck.contract.plain import shown

MOST_CELLS: Final = 1000
"""Combinations that a matrix may have."""

NESTED: Final = ("keywords", "arguments", "values")
"""Keys of which a matrix may change a single part, as `keywords.use_cache`."""

STRUCTURE: Final = ("matrix", "extends", "target", "arguments", "call")
"""Keys that a matrix does not change as a whole."""

Cell = tuple[str | None, Fields | None]
"""Name of a combination ("bfloat16-auto"), and the fields that it sets; None without a matrix."""

_LONGEST_NAME: Final = 40


def cells(
    layers: list[Fields], known: Mapping[str, object], fault: Callable[[Fault], None]
) -> list[Cell]:
    """Every combination of a contract's matrix; the one without a name where it has none."""
    fields = {name: written for layer in layers for name, written in layer.values.items()}
    matrix = fields.get("matrix")
    if matrix is None or matrix.value is None:
        return [(None, None)]
    axes = _axes(matrix, known, fault)
    if not axes:
        return []
    count = math.prod(len(values) for values in axes.values())
    if count > MOST_CELLS:
        why = f"matrix: has {count:,} combinations, more than {MOST_CELLS:,}"
        fault(Fault(why, matrix.places.place))
        return []
    return [
        _cell(dict(zip(axes, chosen, strict=True)), fields, matrix)
        for chosen in itertools.product(*(enumerate(values) for values in axes.values()))
    ]


def _axes(
    matrix: Written, known: Mapping[str, object], fault: Callable[[Fault], None]
) -> dict[str, list[Written]]:
    """The values of each key; none after a fault."""
    if not isinstance(matrix.value, Mapping) or not matrix.value:
        got = shown(matrix.value)
        why = f"matrix: expected a mapping such as {{dtype: [float32, bfloat16]}}, got {got}"
        fault(Fault(why, matrix.places.place))
        return {}
    axes: dict[str, list[Written]] = {}
    for key, written in matrix.items().items():
        wrong_key, wrong_values = _no_key(key, known), _no_values(written)
        if wrong_key:
            fault(Fault(f"matrix[{key!r}]: {wrong_key}", matrix.places.keys[key]))
        elif wrong_values:
            fault(Fault(f"matrix[{key!r}]: {wrong_values}", written.places.place))
        else:
            axes[key] = list(written.items().values())
    return axes if len(axes) == len(matrix.value) else {}


def _no_key(key: str, known: Mapping[str, object]) -> str | None:
    field, dot, part = key.partition(".")
    if dot and field in NESTED and part.isidentifier():
        return None
    if key in known and key not in STRUCTURE:
        return None
    if key in STRUCTURE:
        inner = f": name a part of it, as {key}.NAME" if key in NESTED else ""
        return f"a matrix does not change {key}{inner}"
    names = [name for name in known if name not in STRUCTURE]
    return f"a contract has no such key{did_you_mean(key, names)}"


def _no_values(written: Written) -> str | None:
    if not isinstance(written.value, list) or not written.value:
        return f"expected a list of values, got {shown(written.value)}"
    for index, value in enumerate(written.value):
        if any(_same(value, other) for other in written.value[:index]):
            return f"{shown(value)} is there twice"
    return None


def _same(value: object, other: object) -> bool:
    return type(value) is type(other) and value == other  # 1 is no True


def _cell(
    chosen: Mapping[str, tuple[int, Written]], fields: Mapping[str, Written], matrix: Written
) -> Cell:
    values: dict[str, Written] = {}
    for key, (_, written) in chosen.items():
        field, _, part = key.partition(".")
        values[field] = _with_part(values.get(field) or fields.get(field), part, written)
    name = "-".join(_shown(key, index, each.value) for key, (index, each) in chosen.items())
    return name, Fields(values, {}, matrix.places.place)


def _with_part(whole: Written | None, part: str, written: Written) -> Written:
    """The value with one part of it replaced; the whole of it where no part is named."""
    if not part:
        return written
    if whole is None or whole.value is None:
        return Written({part: written.value}, Places(written.places.place, {part: written.places}))
    if not isinstance(whole.value, Mapping):
        return whole  # a fault of its own
    places = whole.places
    parts = {**places.parts, part: written.places}
    return Written(
        {**whole.value, part: written.value}, Places(places.place, parts, places.keys, places.note)
    )


_WORDS: Final[dict[str, dict[Any, str]]] = {
    "dynamic": {None: "auto", True: "dynamic", False: "static"},
    "training": {True: "train", False: "eval"},
}


def _shown(key: str, index: int, value: object) -> str:
    """A value in the name of a cell."""
    name = key.rpartition(".")[2]
    if isinstance(value, str):
        if value.isprintable() and len(value) <= _LONGEST_NAME and not set(value) & set("[]\\"):
            return value or f"{name}="
    elif value is None or isinstance(value, (bool, int, float)):
        words = _WORDS.get(key, {}) if value is None or isinstance(value, bool) else {}
        return words.get(value) or f"{name}={'null' if value is None else str(value).lower()}"
    return f"{name}{index}"
