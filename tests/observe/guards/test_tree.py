from __future__ import annotations

import pytest
from observe.guards.made import DictManager, Manager, guard

from pytest_compilecheck.observe.guards.tree import Guard, looked_up, place, read_tree

SIZE = "L['n'] == 0    # return x * n  # project/model.py:51 in forward"


def check(source: str) -> tuple[Guard, ...]:
    return (guard("EQUALS_MATCH", source, f"{source} == 0"),)


def test_guards_come_in_the_order_in_which_torch_checks_them() -> None:
    root = Manager(
        "",
        check("L"),
        {
            "L['a']": Manager("L['a']", check("L['a']"), {"b": Manager("L['a'].b", check("b"))}),
            "L['c']": Manager("L['c']", check("L['c']") * 2),
        },
        relations=check("r"),
    )
    tree = read_tree(root)
    assert [each.source for each in tree.guards] == ["L", "L['a']", "L['a'].b", "L['c']", "L['c']"]
    assert [each.texts for each in tree.guards[1:3]] == [["L['a'] == 0"], ["b == 0"]]
    assert [(each.source, each.texts) for each in tree.relations] == [("L", ["r == 0"])]
    assert tree.ordered_dicts == ()


def test_keys_and_values_of_an_ordered_dict_are_part_of_the_tree() -> None:
    key = Manager("list(dict.keys(L['d']))[0]", check("key"))
    values = Manager("L['d']['a']", check("a")), Manager("L['d']['b']", check("b"))
    pairs = {0: (key, values[0]), 1: (None, values[1])}
    tree = read_tree(Manager("", (), {"L['d']": DictManager("L['d']", pairs=pairs)}))
    assert [each.source for each in tree.guards] == [
        "list(dict.keys(L['d']))[0]",
        "L['d']['a']",
        "L['d']['b']",
    ]
    assert [each.kind for each in tree.guards] == ["EQUALS_MATCH"] * 3
    assert tree.ordered_dicts == ("L['d']",)


def test_what_must_only_be_there_is_looked_up() -> None:
    root = Manager(
        "",
        (),
        {
            "FrameLocalsGuardAccessor(key='c')": Manager(
                "L['c']",
                check("L['c']"),
                {
                    "GetAttrGuardAccessor(n)": Manager("L['c']"),
                    "GetAttrGuardAccessor(m)": Manager("L['c'].m", check("L['c'].m")),
                    "GetAttrGuardAccessor(k)": Manager("L['c'].k"),
                },
            ),
            "GlobalsGuardAccessor": Manager(
                "G", (), {"DictGetItemGuardAccessor('N')": Manager("G['N']")}
            ),
        },
    )
    assert set(looked_up(root)) == {"L['c'].n", "L['c'].k", "G['N']"}


def test_a_guard_tells_its_kind_and_conditions() -> None:
    told = guard("LAMBDA_GUARD", "L", SIZE, "L['n'] > 0 (HINT: static)", holds=bool)
    assert told.kind == "LAMBDA_GUARD"
    assert told.texts == [SIZE, "L['n'] > 0 (HINT: static)"]
    assert told.conditions == ["L['n'] == 0", "L['n'] > 0"]
    assert (told.holds(1), told.holds(0)) == (True, False)


def test_a_guard_that_cannot_be_asked_is_not() -> None:
    assert Guard("L", object()).holds(1) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (SIZE, ("project/model.py", 51)),
        ("L['n'] == 0", None),
        # The last place is that of the code that needs it.
        ("x > 2  # a(x)  # a.py:1 in f and b(x)  # dir/b.py:20 in <lambda>", ("dir/b.py", 20)),
        ("n == 0  # x * n  # C:\\model.py:3 in forward", ("C:\\model.py", 3)),
    ],
)
def test_the_place_that_needs_a_guard(text: str, expected: tuple[str, int] | None) -> None:
    assert place(text) == expected
