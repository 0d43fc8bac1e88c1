"""The matrix of a contract: one set of fields for each combination of its values."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from pytest_compilecheck.contract.faults import Report, did_you_mean
from pytest_compilecheck.contract.file.compose import Written
from pytest_compilecheck.contract.file.document import Fields
from pytest_compilecheck.contract.file.objects import NAME
from pytest_compilecheck.contract.file.trace_keys import VALUE_OF_STEPS
from pytest_compilecheck.contract.places import Places
from pytest_compilecheck.contract.plain import shown

MOST_CELLS: Final = 1000
"""Combinations that the matrices of a file may have together."""

_VALUE: Final[Mapping[str, Any]] = {"$ref": "#/$defs/value"}
# Keys of which a matrix may change a single part, as keywords.use_cache, and the part's schema.
_NESTED: Final[Mapping[str, Mapping[str, Any]]] = {
    "keywords": _VALUE,
    "arguments": _VALUE,
    "values": VALUE_OF_STEPS,
}

STRUCTURE: Final = ("matrix", "extends", "target", "arguments", "call")
"""Keys that a matrix does not change as a whole."""

KEY_SCHEMA: Final = "#/$defs/key."
"""Where the schema of a key of a contract stands, before its name."""

_LONGEST_NAME: Final = 40


def parse_matrix(
    value: object, report: Report, *, known: Mapping[str, object]
) -> dict[str, list[object]]:
    """The values of each key, of those that are `known` or a part of one; None has none."""
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not value:
        report(f"expected a mapping such as {{dtype: [float32, bfloat16]}}, got {shown(value)}")
        return {}
    axes: dict[str, list[object]] = {}
    for key, values in value.items():
        wrong_key, wrong_values = _no_key(key, known, value), _no_values(values)
        if wrong_key:
            report(wrong_key)
        elif wrong_values:
            report(f"[{key!r}]: {wrong_values}")
        else:
            axes[key] = values
    count = math.prod(len(values) for values in axes.values())
    if count > MOST_CELLS:
        report(f"has {count:,} combinations, more than {MOST_CELLS:,}: write several contracts")
    return axes


def cells(fields: Mapping[str, Written]) -> list[tuple[str, Fields]]:
    """Every combination of a contract's sound matrix: its name, and the fields that it sets."""
    matrix = fields["matrix"]
    axes = {key: list(values.items().values()) for key, values in matrix.items().items()}
    found = [
        _cell(dict(zip(axes, chosen, strict=True)), fields, matrix)
        for chosen in itertools.product(*(enumerate(values) for values in axes.values()))
    ]
    if len({name for name, _ in found}) == len(found):
        return found
    return [(f"{name}-{index}", cell) for index, (name, cell) in enumerate(found)]


def each_value(matrix: Written) -> Iterator[Fields]:
    """What each value of a sound matrix sets, by itself."""
    for key, values in matrix.items().items():
        field, _, part = key.partition(".")
        for written in values.items().values():
            yield Fields({field: _with_part(None, part, written)}, {}, written.places.place)


def _no_key(key: str, known: Mapping[str, object], others: Mapping[str, object]) -> str | None:
    field, dot, part = key.partition(".")
    if dot and field in others:
        return f"{key!r} is a part of {field!r}, which is there too: leave one of them out"
    if dot and field in _NESTED:
        return (
            None
            if part.isidentifier()
            else f"{key!r}: {part!r} is no name of an argument: a name has letters, digits and _"
        )
    if key in known:
        return None
    if key in STRUCTURE:
        inner = f": name a part of it, as {key}.NAME" if key in _NESTED else ""
        return f"{key!r} is not changed by a matrix{inner}"
    return f"{key!r} is no key of a contract{did_you_mean(key, known)}"


def _no_values(values: object) -> str | None:
    if not isinstance(values, list) or not values:
        return f"expected a list of values, got {shown(values)}"
    if len(values) > MOST_CELLS:
        return f"has {len(values):,} values, more than {MOST_CELLS:,}: write several contracts"
    for index, value in enumerate(values):
        if any(_same(value, other) for other in values[:index]):
            return f"{shown(value)} is there twice"
    return None


def _same(value: object, other: object) -> bool:
    return type(value) is type(other) and value == other  # 1 is no True


def matrix_schema(known: Iterable[str]) -> dict[str, Any]:
    """A JSON schema of what `parse_matrix` takes beside None."""
    inner = {f"^{name}\\.{NAME}$": _values_schema(part) for name, part in _NESTED.items()}
    return {
        "type": "object",
        "minProperties": 1,
        "properties": {name: _values_schema({"$ref": f"{KEY_SCHEMA}{name}"}) for name in known},
        "patternProperties": inner,
        "additionalProperties": False,
    }


def _values_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "minItems": 1, "items": schema}


def _cell(
    chosen: Mapping[str, tuple[int, Written]], fields: Mapping[str, Written], matrix: Written
) -> tuple[str, Fields]:
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
        places = written.places
        alone = Places(places.place, {part: places}, sound=places.sound)
        return Written({part: written.value}, alone)
    if not isinstance(whole.value, Mapping):
        return whole  # a fault of its own
    places = whole.places
    parts = {**places.parts, part: written.places}
    sound = places.sound and written.places.sound
    return Written({**whole.value, part: written.value}, replace(places, parts=parts, sound=sound))


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
