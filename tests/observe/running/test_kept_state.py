from __future__ import annotations

import itertools
from collections import Counter, defaultdict, deque
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

from pytest_compilecheck.observe.running.kept_state import emptied, state_kept


def owner() -> Any:
    return SimpleNamespace(
        number=3,
        names=["a"],
        recent=deque(["a"], maxlen=4),
        seen={1, 2},
        counters=defaultdict(Counter, stats=Counter(calls=2)),
        ids=itertools.count(7),
        state=None,
    )


PLACES = ("number", "names", "recent", "seen", "counters", "ids", "state", "no_such_name")


def change(it: Any) -> None:
    it.number += 1
    it.names.append("b")
    it.recent.append("b")
    it.seen.add(3)
    it.counters["stats"]["calls"] += 1
    it.counters["frames"]["ok"] += 1
    it.state = {"learned": 1}
    next(it.ids)


def test_what_was_counted_is_as_before_and_the_same_objects() -> None:
    it, before = owner(), owner()
    objects = {name: value for name, value in vars(it).items() if name != "ids"}
    stats = it.counters["stats"]
    with state_kept([(it, PLACES)]):
        change(it)
    assert next(it.ids) == next(before.ids) == 7
    del it.ids, before.ids
    assert it == before
    assert all(getattr(it, name) is value for name, value in objects.items())
    assert it.counters["stats"] is stats


def test_also_after_an_error_and_where_a_name_was_given_another_object() -> None:
    it = owner()
    names = it.names
    with suppress(ZeroDivisionError), state_kept([(it, ("names",))]):
        it.names = ["other"]
        names.clear()
        raise ZeroDivisionError
    assert it.names is names
    assert names == ["a"]


def test_lists_are_empty_for_a_while() -> None:
    it = owner()
    names = it.names
    with emptied(it, ("names", "no_such_name")):
        assert names == []
        names.append("meanwhile")
    assert it.names is names
    assert names == ["a"]
