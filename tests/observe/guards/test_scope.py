from __future__ import annotations

from collections import OrderedDict, defaultdict
from typing import Any

import pytest
from observe.guards.made import scope

from pytest_compilecheck.observe.guards.scope import Missing


class Counts:
    """Tells how often its attribute was asked for."""

    asked = 0

    @property
    def n(self) -> int:
        self.asked += 1
        return self.asked


class Refuses:
    @property
    def n(self) -> int:
        raise RuntimeError("not now")


HELD = {
    "x": [10, (20, 30)],
    "d": {"a": {"b-c": 1}, 3: 2, "it's": 4},
    "o": OrderedDict(a=5),
    "deep": {"list": [{"k": Counts}]},
}


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("L['x']", HELD["x"]),
        ("L['x'][1][0]", 20),
        ("L['d']['a']['b-c']", 1),
        ("L['d'][3]", 2),
        ("L['d'][\"it's\"]", 4),
        ("L['o']['a']", 5),
        ("L['deep']['list'][0]['k'].asked", 0),
        ("G['GAIN']", 2.0),
        ("type(L['x'])", list),
        ("list(dict.keys(L['d']))[1]", 3),
        ("len(L['x'][1])", 2),
    ],
)
def test_what_an_expression_stands_for(source: str, value: Any) -> None:
    assert scope(**HELD).value(source) == value
    assert scope(**HELD).has(source)


@pytest.mark.parametrize(
    "source",
    ["L['y']", "L['x'][5]", "L['d']['z']", "L['x'].n", "G['N']", "M['x']", "type(L['y'])", "L["],
)
def test_what_is_not_there_is_missing(source: str) -> None:
    names = scope(**HELD)
    for _ in range(2):  # also when asked again
        with pytest.raises(Missing):
            names.value(source)
    assert not names.has(source)


def test_what_raises_is_missing() -> None:
    with pytest.raises(Missing, match="not now"):
        scope(r=Refuses()).value("L['r'].n")


def test_each_part_is_evaluated_once() -> None:
    counts = Counts()
    names = scope(c=counts)
    assert [names.value("L['c'].n"), names.value("L['c'].n"), names.has("L['c'].n")] == [1, 1, True]
    assert counts.asked == 1


class Makes(dict[str, int]):
    def __missing__(self, key: str) -> int:
        self[key] = 1
        return 1


@pytest.mark.parametrize("made", [defaultdict(int), Makes()])
@pytest.mark.parametrize("expression", ["L['d']['a']", "L['d']['a'].real", "L['d'][\"a's\"] == 1"])
def test_a_dict_that_makes_what_it_lacks_is_not_filled(
    made: dict[str, int], expression: str
) -> None:
    names = scope(d=made)
    with pytest.raises(Missing):
        names.evaluate(expression)
    assert not names.has("L['d']['a']")
    assert made == {}


def test_the_path_to_a_value_leads_from_the_inside_out() -> None:
    assert list(scope(**HELD).path("L['d']['a']['b-c']")) == [
        ("L['d']['a']", HELD["d"]["a"]),
        ("L['d']", HELD["d"]),
    ]
    assert [source for source, _ in scope(**HELD).path("L['d']['z'].n.m")] == ["L['d']"]
    assert list(scope(**HELD).path("L['d']")) == []
    assert list(scope().path("G['GAIN'].real")) == [("G['GAIN']", 2.0)]


def test_any_expression_may_be_evaluated() -> None:
    assert scope(**HELD).evaluate("2 <= L['x'][1][0] and len(L['d']) == 3")
    with pytest.raises(ZeroDivisionError):
        scope(**HELD).evaluate("1 // 0")
