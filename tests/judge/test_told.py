from __future__ import annotations

from report.values import change, fallback, site

from pytest_compilecheck.judge.told import told_change, told_fallback, told_site


def test_each_thing_is_one_line() -> None:
    assert told_site(site()) == "model/mlp.py:14 Data-dependent branching"
    assert told_change(3, change()) == "call 3: x.size(1): 128 -> 129"
    told = "recompile_limit of forward: n changes from call to call"
    assert told_fallback(fallback()) == told


def test_a_fallback_of_all_functions() -> None:
    everything = fallback(kind="disabled", function=None, reason="a stance")
    assert told_fallback(everything) == "disabled of the region: a stance"
