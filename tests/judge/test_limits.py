from __future__ import annotations

import pytest

from pytest_compilecheck.judge.limits import at_least, at_most
from pytest_compilecheck.judge.verdict import Number, Violation


@pytest.mark.parametrize(
    ("allowed", "observed", "holds"),
    [(None, None, True), (None, 9, True), (3, 3, True), (3, 4, False), (3, 2, True)],
)
def test_a_figure_may_be_its_bound(
    allowed: Number | None, observed: Number | None, holds: bool
) -> None:
    assert (at_most("max_x", allowed, observed, "x", "") == []) is holds
    mirrored = -allowed if allowed is not None else None, -observed if observed else None
    assert (at_least("min_x", *mirrored, "x", "") == []) is holds


@pytest.mark.parametrize(
    ("observed", "why", "told"),
    [
        (4, "", "4"),
        (1234567, "", "1234567"),
        (3.25, "", "3.25"),
        (2 / 3 + 3, "", "3.66667"),
        (None, "", "unknown"),
        (None, "torch told of none", "unknown, because torch told of none"),
    ],
)
def test_a_figure_above_its_bound_or_not_known(
    observed: Number | None, why: str, told: str
) -> None:
    message = f"graphs: {told}, at most 0.5 allowed"
    assert at_most("max_x", 0.5, observed, "graphs", why) == [
        Violation(bound="max_x", allowed=0.5, observed=observed, message=message, why=why)
    ]


@pytest.mark.parametrize(
    ("observed", "why", "told"),
    [
        (0, "", "0"),
        (1 / 3, "", "0.333333"),
        (None, "", "unknown"),
        (None, "torch told of none", "unknown, because torch told of none"),
    ],
)
def test_a_figure_below_its_bound_or_not_known(
    observed: Number | None, why: str, told: str
) -> None:
    message = f"share: {told}, at least 1 required"
    assert at_least("min_x", 1, observed, "share", why) == [
        Violation(bound="min_x", allowed=1, observed=observed, message=message, why=why)
    ]
