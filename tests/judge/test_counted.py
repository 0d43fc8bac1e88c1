from __future__ import annotations

from report.values import fallback, observation, record, site

from pytest_compilecheck.judge.counted import counted_fallbacks, counted_sites, foreign_sites


def test_what_is_excused_does_not_count() -> None:
    seen = observation(
        break_sites=(site(line=1), site(line=2), site(line=3)),
        fallbacks=(fallback(line=4), fallback(line=5)),
    )
    judged = record(observed=seen, verdict={"excused_sites": (1,), "excused_fallbacks": (0,)})
    assert [each.line for each in counted_sites(judged)] == [1, 3]
    assert [each.line for each in counted_fallbacks(judged)] == [5]


def test_sites_of_owners_that_the_contract_leaves_out() -> None:
    seen = observation(break_sites=(site(line=1), site(line=2, owner="torch")))
    assert [
        each.line for each in foreign_sites(record(observed=seen, contract={"owners": ["own"]}))
    ] == [2]
    assert foreign_sites(record(observed=seen, contract={"owners": None})) == []


def test_where_nothing_ran_there_is_nothing() -> None:
    empty = record(contract={"owners": ["own"]})
    assert counted_sites(empty) == counted_fallbacks(empty) == foreign_sites(empty) == []
