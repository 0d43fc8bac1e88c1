from __future__ import annotations

from itertools import permutations
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compilecheck.observe.hooks.patch import Patch


def make_owner() -> Any:
    def original(name: str, *, loud: bool = False) -> list[str]:
        """Says its name."""
        return [name.upper() if loud else name]

    return SimpleNamespace(function=original)


def adds(label: str) -> Any:
    """A replacement that adds a label to what the original gives."""
    return lambda original: lambda *args, **options: [*original(*args, **options), label]


def test_the_replacement_gets_the_original_and_all_arguments() -> None:
    owner = make_owner()
    patch = Patch(owner, "function", adds("a"))
    assert owner.function("x", loud=True) == ["X", "a"]
    assert owner.function.__doc__ == "Says its name."
    patch.undo()
    assert owner.function("x") == ["x"]


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_patches_come_off_in_any_order(order: tuple[int, ...]) -> None:
    owner = make_owner()
    original = owner.function
    patches = [Patch(owner, "function", adds(str(number))) for number in range(3)]
    assert owner.function("x") == ["x", "0", "1", "2"]
    left = ["0", "1", "2"]
    for number in order:
        patches[number].undo()
        left.remove(str(number))
        assert owner.function("x") == ["x", *left]
    assert owner.function is original


def test_somebody_elses_wrapper_stays_and_what_it_wraps_passes_on() -> None:
    owner = make_owner()
    patch = Patch(owner, "function", adds("ours"))
    owner.function = theirs = adds("theirs")(owner.function)
    assert owner.function("x") == ["x", "ours", "theirs"]
    patch.undo()
    assert owner.function is theirs
    assert owner.function("x") == ["x", "theirs"]


def test_somebody_elses_wrapper_below_comes_back() -> None:
    owner = make_owner()
    owner.function = theirs = adds("theirs")(owner.function)
    Patch(owner, "function", adds("ours")).undo()
    assert owner.function is theirs


def test_undoing_twice_changes_nothing() -> None:
    owner = make_owner()
    first, second = (Patch(owner, "function", adds(label)) for label in "ab")
    second.undo()
    second.undo()
    assert owner.function("x") == ["x", "a"]
    first.undo()
    second.undo()
    assert owner.function("x") == ["x"]


def test_a_method_of_a_class_is_replaced_for_its_instances() -> None:
    class Owner:
        def say(self) -> str:
            return "said"

    original = Owner.say
    thing = Owner()
    patch = Patch(Owner, "say", lambda original: lambda self: original(self) + " twice")
    assert thing.say() == "said twice"
    patch.undo()
    assert Owner.say is original
    assert thing.say() == "said"


@given(st.lists(st.tuples(st.booleans(), st.integers(min_value=0)), max_size=12))
def test_what_is_in_force_is_what_was_not_undone(steps: list[tuple[bool, int]]) -> None:
    owner = make_owner()
    original = owner.function
    in_force: dict[str, Patch] = {}
    for number, (install, choice) in enumerate(steps):
        if install or not in_force:
            in_force[str(number)] = Patch(owner, "function", adds(str(number)))
        else:
            in_force.pop(list(in_force)[choice % len(in_force)]).undo()
        assert owner.function("x") == ["x", *in_force]
    for patch in in_force.values():
        patch.undo()
    assert owner.function is original
