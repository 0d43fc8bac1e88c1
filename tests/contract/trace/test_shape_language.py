from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compilecheck.contract.trace.shape_language import Dims, parse_shape

NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]*", fullmatch=True)
ITEMS = st.integers(0, 10**9) | NAMES
SEPARATORS = st.sampled_from([" ", ",", ", ", "  ", " ,\t", "\n"])


def parse(shape: object) -> tuple[Dims, list[str]]:
    faults: list[str] = []
    return parse_shape(shape, faults.append), faults


@given(st.lists(ITEMS))
def test_a_tuple_is_kept(items: list[int | str]) -> None:
    assert parse(tuple(items)) == (tuple(items), [])


@given(st.lists(st.tuples(ITEMS, SEPARATORS), min_size=1), SEPARATORS.filter(str.isspace))
def test_a_text_says_what_its_tuple_says(pairs: list[tuple[int | str, str]], edge: str) -> None:
    text = "".join(f"{item}{separator}" for item, separator in pairs[:-1]) + str(pairs[-1][0])
    assert parse(edge + text + edge) == (tuple(item for item, _ in pairs), [])


@given(st.text())
def test_any_text_is_a_shape_or_a_fault(text: str) -> None:
    dims, faults = parse(text)
    assert all(isinstance(dim, int) or dim.isidentifier() for dim in dims)
    assert faults or dims
    if not faults:
        assert parse(" ".join(map(str, dims))) == (dims, [])


@pytest.mark.parametrize(
    ("shape", "fault"),
    [
        ("B -1", "the size -1 in 'B -1' is negative"),
        ("B S*2 64", "'S*2' in 'B S*2 64' is neither a size nor a dim name"),
        ("8x128", "'8x128' in '8x128' is neither a size nor a dim name"),
        ("B 1.5", "'1.5' in 'B 1.5' is neither a size nor a dim name"),
        ("\u0661", "'\u0661' in '\u0661' is neither a size nor a dim name"),
        ("B,,S", "nothing stands beside a comma in 'B,,S'"),
        ("B,", "nothing stands beside a comma in 'B,'"),
        (" ", "the shape is an empty text: write () for a tensor without dimensions"),
        ((8, -2), "the size -2 in (8, -2) is negative"),
        ((8, True), "True in (8, True) is neither a size nor a dim name"),
        ((8, "a b"), "'a b' in (8, 'a b') is neither a size nor a dim name"),
        ((8, 1.0), "1.0 in (8, 1.0) is neither a size nor a dim name"),
        (((8,), 2), "((8,), 2) is a tuple of tuples: write several steps as a list, [...]"),
        ([8, "S"], "[8, 'S'] is a list: write a shape as a tuple, (8, 'S')"),
        (8, "expected a shape such as (8, 128) or 'B S 64', got 8"),
        (None, "expected a shape such as (8, 128) or 'B S 64', got None"),
    ],
)
def test_faults(shape: object, fault: str) -> None:
    assert parse(shape)[1] == [fault]


def test_every_faulty_item_is_reported() -> None:
    assert len(parse("B -1 2x S")[1]) == 2


def test_no_dimensions() -> None:
    assert parse(()) == ((), [])
