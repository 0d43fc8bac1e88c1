"""Kinds of values that a field takes: how each is checked, and what a JSON schema says of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from pytest_compilecheck.contract import parsers
from pytest_compilecheck.contract.allow import AllowanceKind, allowance_schema, parse_allowances
from pytest_compilecheck.contract.bounds import bound_schema, parse_bound, parse_extra_bounds
from pytest_compilecheck.contract.memory_size import memory_bound_schema, parse_memory_bound
from pytest_compilecheck.contract.parsers import Parser
from pytest_compilecheck.contract.policies.field import parse_policies, policies_schema


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of value.

    `parse` checks a value of it. `schema` says the same as JSON schema, as far as that can say it.
    """

    parse: Parser
    schema: Mapping[str, Any]


def or_null(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema, with null permitted."""
    return {"anyOf": [schema, {"type": "null"}]}


def whole_number(low: int | None = None) -> Kind:
    """An int, not below `low`."""
    return Kind(partial(parsers.whole_number, low=low), _whole(low))


def optional_whole_number(low: int) -> Kind:
    """An int not below `low`, or None."""
    return Kind(partial(parsers.optional_whole_number, low=low), or_null(_whole(low)))


def bound(*, whole: bool = True, high: float | None = None) -> Kind:
    """A number, None, or a map of torch releases to numbers."""
    return Kind(partial(parse_bound, whole=whole, high=high), bound_schema(whole=whole, high=high))


def allowances(kind: AllowanceKind) -> Kind:
    """Exceptions of a kind."""
    return Kind(partial(parse_allowances, kind=kind), or_null(allowance_schema(kind)))


def _whole(low: int | None) -> dict[str, Any]:
    return {"type": "integer"} | ({} if low is None else {"minimum": low})


_NAMES: Final = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
_TEXT: Final = or_null({"type": "string", "minLength": 1})

MEMORY_BOUND: Final = Kind(parse_memory_bound, memory_bound_schema())
EXTRA_BOUNDS: Final = Kind(
    parse_extra_bounds,
    or_null({"type": "object", "additionalProperties": bound_schema(whole=False)}),
)
FLAG: Final = Kind(parsers.flag, {"type": "boolean"})
OPTIONAL_FLAG: Final = Kind(parsers.optional_flag, {"type": ["boolean", "null"]})
OPTIONAL_TEXT: Final = Kind(parsers.optional_text, _TEXT)
OPTIONS: Final = Kind(parsers.optional_options, {"type": ["object", "null"]})
BACKEND: Final = Kind(parsers.backend, _TEXT)
FACTORY: Final = Kind(parsers.factory, {"type": "null"})
PARAMETERS: Final = Kind(parsers.parameter_names, or_null(_NAMES))
DIM_NAMES: Final = Kind(parsers.dim_names, or_null(_NAMES))
_AMOUNT: Final = {"type": "number", "minimum": 0}
AMOUNT: Final = Kind(parsers.amount, _AMOUNT)
TOLERANCE: Final = Kind(parsers.optional_tolerance, or_null(_AMOUNT))
POLICIES: Final = Kind(parse_policies, policies_schema(or_null(_NAMES)))
OWNERS: Final = Kind(
    parsers.owners,
    or_null({"type": "array", "minItems": 1, "items": {"enum": list(parsers.OWNERS)}}),
)
