from __future__ import annotations

from typing import Any

import pytest
from report.values import fallback, observation, recompile, record, site

from pytest_compilecheck.judge.counted import (
    breaks_counted,
    counted_fallbacks,
    counted_recompiles,
    counted_sites,
    fallbacks_counted,
    foreign_sites,
    new_fallbacks,
    new_recompiles,
    new_sites,
    recompiles_counted,
)
from pytest_compilecheck.observe.values.doubt import Doubt, Figure

SEEN: dict[str, Any] = {
    "break_sites": (site(line=1), site(line=2), site(line=3)),
    "recompile_events": (recompile(line=4), recompile(line=5), recompile(line=6)),
    "fallbacks": (fallback(line=7), fallback(line=8), fallback(line=9)),
}
# The second of each is excused, the first is known to the baseline.
VERDICT = {
    "excused_sites": (1,),
    "excused_recompiles": (1,),
    "excused_fallbacks": (1,),
    "known_sites": (0,),
    "known_recompiles": (0,),
    "known_fallbacks": (0,),
}
JUDGED = record(observed=observation(**SEEN), verdict=VERDICT)


def lines(found: list[Any]) -> list[int]:
    return [each.line for each in found]


def test_what_is_excused_does_not_count() -> None:
    assert lines(counted_sites(JUDGED)) == [1, 3]
    assert lines(counted_recompiles(JUDGED)) == [4, 6]
    assert lines(counted_fallbacks(JUDGED)) == [7, 9]


def test_what_the_baseline_knows_counts_and_is_not_new() -> None:
    assert lines(new_sites(JUDGED)) == [3]
    assert lines(new_recompiles(JUDGED)) == [6]
    assert lines(new_fallbacks(JUDGED)) == [9]


def test_how_many_count() -> None:
    assert (breaks_counted(JUDGED), fallbacks_counted(JUDGED)) == (2, 2)
    assert recompiles_counted(JUDGED) == 2  # one function, rebuilt twice in its call


@pytest.mark.parametrize("figure", ["graph_breaks", "recompiles", "fallbacks"])
def test_what_is_not_known_in_the_whole_process_has_no_number(figure: Figure) -> None:
    doubtful = observation(**SEEN, doubts=(Doubt((figure,), "torch told of none"),))
    judged = record(observed=doubtful, verdict=VERDICT)
    counts = {
        "graph_breaks": breaks_counted(judged),
        "recompiles": recompiles_counted(judged),
        "fallbacks": fallbacks_counted(judged),
    }
    assert counts == {**dict.fromkeys(counts, 2), figure: None}


def test_sites_of_owners_that_the_contract_leaves_out() -> None:
    seen = observation(break_sites=(site(line=1), site(line=2, owner="torch")))
    assert lines(foreign_sites(record(observed=seen, contract={"owners": ["own"]}))) == [2]
    assert foreign_sites(record(observed=seen, contract={"owners": None})) == []


def test_where_nothing_ran_there_is_nothing() -> None:
    empty = record(contract={"owners": ["own"]})
    for found in (counted_sites, counted_recompiles, counted_fallbacks, foreign_sites):
        assert found(empty) == []
    for found in (new_sites, new_recompiles, new_fallbacks):
        assert found(empty) == []
    for count in (breaks_counted, recompiles_counted, fallbacks_counted):
        assert count(empty) is None
