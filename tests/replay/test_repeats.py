from __future__ import annotations

import pytest

from pytest_compilecheck.contract.trace.model import Step
from pytest_compilecheck.replay.repeats import LEAST, is_known, latency, quartiles


def test_quartiles_lie_among_the_values() -> None:
    assert quartiles([1.0, 2.0, 3.0, 4.0, 5.0]) == (2.0, 3.0, 4.0)
    assert quartiles([2.0]) == (2.0, 2.0, 2.0)


def test_a_median_of_like_runs_is_known() -> None:
    assert is_known([1.0, 1.01, 0.99] * 3)


def test_few_runs_tell_nothing_however_alike_they_are() -> None:
    assert not is_known([1.0] * (LEAST - 1))
    assert is_known([1.0] * LEAST)


def test_more_runs_make_a_median_known() -> None:
    spread = [1.0, 1.1, 1.2]
    assert not is_known(spread * 3)
    assert is_known(spread * 30)


def test_a_latency_tells_of_its_step() -> None:
    warm = latency(Step(index=3, weight=40), [3.0, 1.0, 2.0])
    assert (warm.step, warm.count, warm.repeats) == (3, 40, 3)
    assert (warm.low, warm.median, warm.high) == pytest.approx((1.5, 2.0, 2.5))
    assert not warm.stable
