from __future__ import annotations

from typing import get_args

from pytest_compilecheck.judge.outcome import BROKEN, HELD, WORST_FIRST, Outcome


def test_every_outcome_has_a_rank() -> None:
    assert sorted(WORST_FIRST) == sorted(get_args(Outcome))


def test_every_outcome_but_skipped_is_known_to_hold_or_not() -> None:
    assert {*HELD, *BROKEN, "skipped"} == set(get_args(Outcome))
