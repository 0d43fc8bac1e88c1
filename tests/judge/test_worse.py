from __future__ import annotations

from report.values import observation, record, site

from pytest_compilecheck.judge.worse import worse


def test_the_worse_outcome_wins_whichever_comes_first() -> None:
    failed, passed = record(outcome="failed"), record(outcome="passed")
    skipped = record(outcome="skipped")
    assert worse(failed, passed) is worse(passed, failed) is failed
    assert worse(passed, skipped) is worse(skipped, passed) is skipped


def test_of_equal_outcomes_the_one_with_more_findings() -> None:
    one = record(observed=observation(break_sites=(site(),)))
    two = record(observed=observation(break_sites=(site(line=1), site(line=2))))
    assert worse(one, two) is worse(two, one) is two
    again = record(observed=observation(break_sites=(site(),)))
    assert worse(one, again) is one
