from __future__ import annotations

import dataclasses

import pytest
from policies.values import compared, policy_run, replay
from report.values import observation

from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.contract.policies.policy import Bucket, Policy
from pytest_compilecheck.judge.judge import judge
from pytest_compilecheck.judge.preferred import preferred_violations
from pytest_compilecheck.judge.verdict import Violation
from pytest_compilecheck.policies.measured import Comparison, PolicyRun

CONTRACT = Contract(
    policies=(Policy(kind="auto"), Policy(kind="bucket", bucket=Bucket())), preferred_policy="auto"
)
# 40 requests; hardly anything is compiled, so that the noise is small.
AUTO = replay("auto", (0.1, 0.1), (0.1, 0.1))


def pow2(usual: float, first: float = 0.1) -> PolicyRun:
    return replay("pow2", (first, first), (usual, usual))


def found(*runs: PolicyRun, contract: Contract = CONTRACT, margin: float = 0.1) -> list[Violation]:
    return preferred_violations(
        dataclasses.replace(contract, policy_margin=margin), compared(*runs)
    )


def test_it_holds_where_no_other_is_cheaper_by_more_than_the_margin() -> None:
    assert found(AUTO, pow2(0.2)) == []
    assert found(AUTO, pow2(0.1)) == []
    assert found(AUTO, pow2(0.095)) == []
    assert found(AUTO, pow2(0.05), margin=2.0) == []


def test_it_is_violated_where_another_costs_less_by_more() -> None:
    (violation,) = found(AUTO, pow2(0.05))
    assert violation == Violation(
        bound="preferred_policy",
        allowed=0.1,
        observed=pytest.approx(4.0 / 2.1 - 1),
        message=(
            "the preferred policy 'auto' costs 90% more than 'pow2' (4 s against 2.1 s for 40"
            " requests), 10% allowed"
        ),
    )


def test_the_margin_itself_is_allowed() -> None:
    half = replay("pow2", (0.05, 0.05), (0.05, 0.05))
    assert found(AUTO, half, margin=1.0) == []
    assert found(AUTO, half, margin=0.99) != []


def test_less_than_a_second_has_shares_too() -> None:
    short = replay("auto", (0.01, 0.01), (0.01, 0.01))
    (violation,) = found(short, replay("pow2", (0.005, 0.005), (0.005, 0.005)))
    assert violation.observed == pytest.approx(1.0)


def test_more_than_nothing_is_no_share() -> None:
    (violation,) = found(AUTO, replay("pow2", (0.0, 0.0), (0.0, 0.0)))
    assert violation.observed is None
    assert violation.message.startswith("the preferred policy 'auto' costs more than 'pow2' (4 s ")


def test_it_is_measured_against_the_cheapest() -> None:
    static = replay("static", (0.1, 0.1), (0.02, 0.02))
    (violation,) = found(AUTO, pow2(0.05), static)
    assert "'static'" in violation.message


def test_it_holds_where_the_noise_is_larger_than_the_difference() -> None:
    vague = pow2(0.0, first=1.5)  # 3 s of compiling, of which 10 % may be noise
    close = replay("auto", (1.75, 1.75), (0.0, 0.0))
    assert compared(close, vague).choice is not None
    assert found(close, vague) == []
    assert found(replay("auto", (3.0, 3.0), (0.0, 0.0)), vague) != []


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"error": "it hung"}, "it could not be run: it hung"),
        ({"mismatch": "output: 1 / 6"}, "its outputs differ from the eager run: output: 1 / 6"),
        ({"fallbacks": 1}, "work fell back to eager"),
        ({"calls": (), "warm": ()}, "it was not measured"),
    ],
)
def test_it_is_violated_where_the_preferred_one_is_of_no_use(
    fields: dict[str, object], why: str
) -> None:
    wrong = dataclasses.replace(AUTO, **fields)  # type: ignore[arg-type]
    for others in ([], [pow2(0.5)], [policy_run("pow2", error="it hung too")]):
        (violation,) = found(wrong, *others)
        message = f"the preferred policy 'auto' cannot be preferred: {why}"
        assert (violation.observed, violation.message) == (None, message)


def test_it_is_violated_where_the_preferred_one_is_missing() -> None:
    (violation,) = found(pow2(0.5))
    assert violation.message.endswith("it was not measured")


def test_a_cheap_one_that_is_wrong_does_not_violate_it() -> None:
    assert found(AUTO, dataclasses.replace(pow2(0.05), mismatch="output: 1 / 6")) == []
    assert found(AUTO, dataclasses.replace(pow2(0.05), fallbacks=1)) == []


def test_it_is_not_judged_without_a_comparison_or_where_none_is_preferred() -> None:
    assert preferred_violations(CONTRACT, None) == []
    assert found(AUTO, pow2(0.05), contract=Contract()) == []


def test_the_judge_asks_it() -> None:
    def bounds(policies: Comparison | None) -> list[str]:
        verdict = judge(CONTRACT, observation(), "2.13.0", policies=policies)
        return [violation.bound for violation in verdict.violations]

    assert bounds(compared(AUTO, pow2(0.05))) == ["preferred_policy"]
    assert bounds(None) == []
