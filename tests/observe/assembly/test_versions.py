from __future__ import annotations

from collections import Counter

from observe.records import graph

from pytest_compilecheck.observe.assembly.versions import without_rebuilds


def test_rebuilds_add_what_they_alone_have() -> None:
    counted = without_rebuilds(
        [
            (graph(0), Counter(a=1, b=2)),
            (graph(1, rebuild=True), Counter(a=5, c=1)),
            (graph(2), Counter(a=3)),
            (graph(3, rebuild=True), Counter(c=4, d=1)),
        ]
    )
    assert counted == {"a": 4, "b": 2, "c": 4, "d": 1}


def test_nothing() -> None:
    assert without_rebuilds([]) == {}
