"""Kinds of values: what the check of each takes is what its JSON schema accepts."""

from __future__ import annotations

import math
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compilecheck.contract import kinds
from pytest_compilecheck.contract.fields import FIELDS
from pytest_compilecheck.contract.kinds import Kind

KINDS: dict[str, Kind] = {
    "whole number": kinds.whole_number(),
    "whole number from 1": kinds.whole_number(low=1),
    "optional whole number": kinds.optional_whole_number(low=1),
    "count": kinds.bound(),
    "share": kinds.bound(whole=False, high=1),
    "breaks": kinds.allowances("break"),
    "recompiles": kinds.allowances("recompile"),
    "fallbacks": kinds.allowances("fallback"),
    "memory": kinds.MEMORY_BOUND,
    "extra bounds": kinds.EXTRA_BOUNDS,
    "flag": kinds.FLAG,
    "optional flag": kinds.OPTIONAL_FLAG,
    "text": kinds.OPTIONAL_TEXT,
    "options": kinds.OPTIONS,
    "backend": kinds.BACKEND,
    "parameters": kinds.PARAMETERS,
    "dims": kinds.DIM_NAMES,
    "tolerance": kinds.TOLERANCE,
    "amount": kinds.AMOUNT,
    "policies": kinds.POLICIES,
    "owners": kinds.OWNERS,
}


def faults(kind: Kind, value: object) -> list[str]:
    found: list[str] = []
    kind.parse(value, found.append)
    return found


def fits(kind: Kind, value: object) -> bool:
    return bool(jsonschema.Draft202012Validator(dict(kind.schema)).is_valid(value))


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 3)
    | st.integers()
    | st.floats()
    | st.sampled_from(["", " ", "x", "own", "20 MB", "<2.9", ">=2.9", "automatic_dynamic"])
    | st.sampled_from(["static", "pow2", "multiple(64)", "multiple(1)"])
    | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["<2.9", ">=2.9", "x", "because", "gb_id", "reason", "kind", "cause"])
            | st.sampled_from(["bucket", "dims", "pad", "mask", "label", "multiple"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=5,
)


@pytest.mark.parametrize("name", KINDS)
@given(value=VALUES)
def test_what_is_taken_the_schema_accepts(name: str, value: object) -> None:
    if not faults(KINDS[name], value):
        assert fits(KINDS[name], value)


def in_json(value: Any) -> Any:
    """The value with floats that are whole as ints: in JSON there is no difference."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [in_json(item) for item in value]
    if isinstance(value, dict):
        return {key: in_json(item) for key, item in value.items()}
    return value


def has_infinite(value: Any) -> bool:
    if isinstance(value, (list, dict)):
        return any(map(has_infinite, value.values() if isinstance(value, dict) else value))
    return isinstance(value, float) and not math.isfinite(value)


# What the parameters of a decorator are is not known to a schema; a version is more than a pattern,
# and that two policies have one name it cannot say.
EXACT = sorted(set(KINDS) - {"parameters", "policies"})


@pytest.mark.parametrize("name", EXACT)
@given(value=VALUES.filter(lambda value: not has_infinite(value)))
def test_what_is_refused_the_schema_refuses(name: str, value: object) -> None:
    value = in_json(value)
    if faults(KINDS[name], value):
        assert not fits(KINDS[name], value)


@pytest.mark.parametrize("name", KINDS)
def test_schemas_are_schemas(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(dict(KINDS[name].schema))


def test_or_null_permits_null_beside_what_the_schema_accepts() -> None:
    schema = kinds.or_null({"type": "integer"})
    accepted = [v for v in (None, 5, "x") if jsonschema.Draft202012Validator(schema).is_valid(v)]
    assert accepted == [None, 5]


def test_every_kind_of_the_register_is_looked_at() -> None:
    schemas = [dict(kind.schema) for kind in KINDS.values()]
    others = {
        name
        for name, row in FIELDS.items()
        if row.kind is not None and dict(row.kind.schema) not in schemas
    }
    # A share without an upper limit, and a callable, of which JSON has none.
    assert others == {"max_compile_seconds", "factory"}
