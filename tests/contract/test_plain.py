from __future__ import annotations

import json
import math

from hypothesis import given
from hypothesis import strategies as st

from pytest_compilecheck.contract.plain import plain, shown

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
DATA = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8
)


class Odd:
    pass


def test_functions_and_classes_by_name() -> None:
    assert plain(json.dumps) == "json.dumps"
    assert plain(Odd) == f"{__name__}.Odd"
    assert plain(print) == "builtins.print"


def test_an_object_has_no_address() -> None:
    assert plain(Odd()) == f"<{__name__}.Odd object>"
    assert shown([Odd()]) == f"[<{__name__}.Odd object>]"


def test_what_json_has_no_word_for() -> None:
    assert plain([math.inf, 1 + 2j, {3: (4,)}, range(2)]) == [
        "inf",
        "(1+2j)",
        {"3": [4]},
        "range(0, 2)",
    ]


def test_long_reprs_are_cut() -> None:
    assert len(plain(set(range(1000)))) == 200
    assert len(shown(list(range(1000)))) == 60


def test_a_message_is_one_line() -> None:
    class Tall:
        def __repr__(self) -> str:
            return "tensor([1,\n        2])"

    assert shown(Tall()) == "tensor([1, 2])"


@given(DATA)
def test_json_data_is_kept(data: object) -> None:
    finite = json.loads(json.dumps(plain(data), allow_nan=False))
    assert plain(finite) == finite
