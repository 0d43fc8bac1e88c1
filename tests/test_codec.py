from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compilecheck import codec
from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.judge.verdict import Verdict, Violation
from pytest_compilecheck.observe.values.observation import BreakSite, Observation, TimelineEntry
from pytest_compilecheck.observe.values.recompile import Change, RecompileAttempt, RecompileEvent

T = TypeVar("T")

texts = st.text(max_size=8)
counts = st.integers(min_value=0)
finite = st.floats(allow_nan=False, allow_infinity=False)
times = st.floats(0, 1e9)  # whose sums are finite too
numbers = st.none() | st.integers() | finite


def tuples(of: st.SearchStrategy[T]) -> st.SearchStrategy[tuple[T, ...]]:
    return st.lists(of, max_size=2).map(tuple)


sites = st.builds(BreakSite, executions_per_warm_call=st.none() | finite, torch_frame=...)
entries = st.builds(
    TimelineEntry,
    sizes=st.dictionaries(texts, tuples(counts), max_size=2),
    seconds=times,
    compile_seconds=times,
    weight=counts,
    error=st.none() | texts,
)
changes = st.lists(st.builds(Change), min_size=1, max_size=2).map(tuple)
observations = st.builds(
    Observation,
    smallest_graph_ops=st.none() | counts,
    break_sites=tuples(sites),
    recompile_events=tuples(st.builds(RecompileEvent, changes=changes)),
    recompile_attempts=tuples(st.builds(RecompileAttempt, changes=changes)),
    fallbacks=...,
    timeline=tuples(entries),
    problems=tuples(texts),
)
violations = st.builds(Violation, allowed=numbers, observed=numbers)
verdicts = st.builds(
    Verdict,
    violations=tuples(violations),
    allowed=...,
    excused_sites=tuples(counts),
    excused_recompiles=tuples(counts),
    excused_fallbacks=tuples(counts),
)
records = st.builds(
    ContractRecord,
    contract=st.dictionaries(texts, numbers | texts | st.lists(texts), max_size=3),
    observed=st.none() | observations,
    verdict=verdicts,
    error=st.none() | texts,
    leaks=tuples(texts),
)


def through_json(data: dict[str, Any]) -> dict[str, Any]:
    decoded: dict[str, Any] = json.loads(json.dumps(data, allow_nan=False))
    return decoded


@given(observations)
def test_observation_survives_json(value: Observation) -> None:
    assert Observation.from_dict(through_json(value.to_dict())) == value


@given(verdicts)
def test_verdict_survives_json(value: Verdict) -> None:
    assert Verdict.from_dict(through_json(value.to_dict())) == value


@given(records)
def test_record_survives_json(value: ContractRecord) -> None:
    assert ContractRecord.from_dict(through_json(value.to_dict())) == value


@dataclass(frozen=True, kw_only=True)
class Point:
    x: int
    y: int | None = 7


@dataclass(frozen=True, kw_only=True)
class Path:
    name: str
    pass_: int
    start: Point | None
    points: tuple[Point, ...]
    by_name: dict[str, Point]
    also: Mapping[str, tuple[Point, ...]]


PATH = Path(
    name="a",
    pass_=2,
    start=None,
    points=(Point(x=1), Point(x=2, y=None)),
    by_name={"b": Point(x=3)},
    also={"c": (Point(x=4),)},
)
ENCODED = {
    "name": "a",
    "pass": 2,
    "start": None,
    "points": [{"x": 1, "y": 7}, {"x": 2, "y": None}],
    "by_name": {"b": {"x": 3, "y": 7}},
    "also": {"c": [{"x": 4, "y": 7}]},
}


def test_fields_keep_their_order_and_pass_its_json_name() -> None:
    assert codec.encode(PATH) == ENCODED
    assert list(codec.encode(PATH)) == list(ENCODED)


def test_nested_values_are_made_of_their_types() -> None:
    assert codec.decode(Path, ENCODED) == PATH


def test_defaults_stand_for_what_is_missing_and_unknown_keys_are_ignored() -> None:
    assert codec.decode(Point, {"x": 1, "z": 9}) == Point(x=1, y=7)


def test_a_field_without_default_must_be_there() -> None:
    with pytest.raises(TypeError, match="'x'"):
        codec.decode(Point, {"y": 1})


@pytest.mark.parametrize(
    "value", [object(), {1, 2}, 1j, b"bytes", Point], ids=lambda value: type(value).__name__
)
def test_what_json_cannot_carry_is_no_plain_value(value: object) -> None:
    with pytest.raises(TypeError, match="is no plain value"):
        codec.encode({"deep": [value]})
