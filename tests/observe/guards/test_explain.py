"""What the graph that was made shows of the changes that made it."""

from __future__ import annotations

from typing import Any

import pytest
from observe.guards.made import no_code
from observe.records import change

from pytest_compilecheck.observe.guards.explain import settled
from pytest_compilecheck.observe.guards.failures import Found
from pytest_compilecheck.observe.guards.frame import Remembered
from pytest_compilecheck.observe.guards.memory import Assumed


def made(
    dims: dict[str, tuple[int | None, ...]] | None = None, numbers: tuple[str, ...] = ()
) -> Assumed:
    """A graph with these sizes, None for a symbol, and these numbers as symbols."""
    return Assumed(
        code=no_code.__code__,
        modes={},
        remembered=Remembered(),
        dims=dims or {},
        symbolic_numbers=frozenset(numbers),
    )


def size(source: str = "L['x']", index: int = 0, parameter: bool = False, **fields: Any) -> Found:
    name = source.removeprefix("L['").removesuffix("']")
    given = {"cause": "shape", "source": f"{name}.size({index})", "expected": "4", "actual": "5"}
    return Found(source, change(**{**given, **fields}), parameter)


def automatic(found: Found, after: Assumed | None) -> bool:
    [told] = settled([found], after)
    return told.automatic_dynamic


@pytest.mark.parametrize(
    ("found", "after", "expected"),
    [
        (size(), made({"L['x']": (None, 3)}), True),
        (size(index=1), made({"L['x']": (None, 3)}), False),
        (size(index=1), made({"L['x']": (None,)}), False),
        (size(), made({"L['y']": (None, 3)}), False),
        (size(), None, False),
        # It was a symbol before: the graph that was made is no first one for it.
        (size(expected="2 or more"), made({"L['x']": (None, 3)}), False),
        (size(cause="dtype", source="x.dtype"), made({"L['x']": (None, 3)}), False),
        (Found("L['n']", change()), made(numbers=("L['n']",)), True),
        (Found("L['n']", change(cause="module_state")), made(numbers=("L['n']",)), True),
        (Found("L['n']", change()), made(numbers=("L['m']",)), False),
        (Found("L['n']", change(special="condition")), made(numbers=("L['n']",)), False),
        (Found("L['n']", change(cause="python_type")), made(numbers=("L['n']",)), False),
    ],
)
def test_what_became_a_symbol(found: Found, after: Assumed | None, expected: bool) -> None:
    assert automatic(found, after) is expected


def test_what_became_a_symbol_is_nothing_special_any_more() -> None:
    [told] = settled([size(expected="1", special="zero_one")], made({"L['x']": (None,)}))
    assert (told.automatic_dynamic, told.special) == (True, None)


@pytest.mark.parametrize(
    "found",
    [size(), size(parameter=True, cause="dtype", source="x.dtype")],
    ids=["no parameter", "no size"],
)
def test_only_the_size_of_a_parameter_is_static(found: Found) -> None:
    [told] = settled([found], made({"L['x']": (5,)}))
    assert told.special is None


@pytest.mark.parametrize("after", [None, made({"L['w']": (5,)})])
def test_the_size_of_a_parameter_is_static(after: Assumed | None) -> None:
    [told] = settled([size("L['w']", parameter=True)], after)
    assert told.special == "static_parameter"


def test_the_size_of_a_parameter_may_be_set_free() -> None:
    """By `force_parameter_static_shapes = False`."""
    [told] = settled([size("L['w']", parameter=True)], made({"L['w']": (None,)}))
    assert (told.automatic_dynamic, told.special) == (True, None)


WEIGHT = size("L['w']", parameter=True)


@pytest.mark.parametrize(
    ("found", "after", "names"),
    [
        ([size(), WEIGHT], made({"L['x']": (5,)}), ["w.size(0)", "x.size(0)"]),
        ([WEIGHT, size()], made({"L['x']": (5,)}), ["w.size(0)", "x.size(0)"]),
        # It became a symbol, or changed otherwise: it is not tied.
        ([size(), WEIGHT], made({"L['x']": (None,)}), ["x.size(0)", "w.size(0)"]),
        ([size(actual="6"), WEIGHT], made({"L['x']": (6,)}), ["x.size(0)", "w.size(0)"]),
        ([Found("L['n']", change()), WEIGHT], made(), ["n", "w.size(0)"]),
        ([], made(), []),
    ],
)
def test_a_parameter_that_ties_the_main_size_comes_first(
    found: list[Found], after: Assumed, names: list[str]
) -> None:
    assert [told.source for told in settled(found, after)] == names
