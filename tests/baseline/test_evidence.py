from __future__ import annotations

from dataclasses import replace

import pytest
from baseline.values import (
    BREAK,
    CONTRACT,
    FALLBACK,
    HIT_RATE,
    PRINT,
    REBUILD,
    RECOMPILES,
    STEP,
    broken,
    fell_back,
    raised,
    rebuilt,
    slow,
)
from report.values import observation, record, violation

from pytest_compilecheck.baseline.evidence import (
    evidence_of,
    is_certain,
    is_worse,
    untold,
    violated,
)
from pytest_compilecheck.judge.findings import Finding
from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.observe.values.observation import Frame


@pytest.mark.parametrize(
    ("seen", "counts"),
    [
        (broken(breaks=2, prints=1), {BREAK: 2, PRINT: 1}),
        (rebuilt(2, 2, 3), {REBUILD: 2, STEP: 2, RECOMPILES: 3}),
        (fell_back("recompile_limit", "nothing_compiled"), {FALLBACK: 1}),
        (slow(0.666666), {HIT_RATE: 0.6667}),
    ],
    ids=["breaks", "recompiles", "fallbacks", "a share"],
)
def test_a_violated_bound_stands_on_its_findings(
    seen: ContractRecord, counts: dict[Finding, float]
) -> None:
    (evidence,) = violated(seen)
    assert evidence.counts == counts


def test_after_warm_up_only_late_recompiles_count() -> None:
    late = rebuilt(3, 1, 0, contract={"warmup_calls": 1})
    evidence = evidence_of(late, violation("max_recompiles_after_warmup", 0, 2))
    assert evidence is not None
    assert evidence.counts == {REBUILD: 2, Finding(CONTRACT, "max_recompiles_after_warmup"): 2}


def test_a_dim_is_known_by_its_name() -> None:
    static = replace(violation("dynamic_dims", 0, 1), subject="S")
    evidence = evidence_of(record(observed=observation()), static)
    assert evidence is not None
    assert evidence.counts == {Finding(CONTRACT, "dynamic_dims", cause="S"): 1}


@pytest.mark.parametrize(
    "what",
    [
        violation("nothing_compiled", 0, 1),
        violation("error_calls", 0, 1),
        violation("problems", 0, 1),
        violation("uncalled", 0, 1),
        violation("match_eager", 0, 1),
        violation("check_custom_ops", 0, 1),
        violation("stale_exception", 0, 1),
        violation("max_graph_breaks", 0, None),
        violation("min_hit_rate", 0.5, 0.0),
        violation("max_compile_seconds", 1.0, 2.0),
        violation("max_memory_growth", 1, 2),
        violation("preferred_policy", 0.1, 0.3),
    ],
    ids=lambda what: what.bound,
)
def test_what_no_baseline_can_know(what: object) -> None:
    assert evidence_of(record(observed=observation()), what) is None  # type: ignore[arg-type]


def test_breaks_from_before_the_watch_are_in_no_baseline() -> None:
    seen = broken(breaks=1)
    assert seen.observed is not None
    earlier = (Frame(file="model/mlp.py", line=3, function="warm"),)
    seen = replace(seen, observed=replace(seen.observed, earlier_breaks=earlier))
    assert evidence_of(seen, violation("max_graph_breaks", 0, 2)) is None
    assert untold(record(violation("max_graph_breaks", 0, 2), observed=seen.observed)) >= {
        "graph_break"
    }


def test_a_small_figure_keeps_its_digits() -> None:
    seen = record(observed=observation())
    evidence = evidence_of(seen, violation("max_seconds_of_mine", 0, 0.000123456))
    assert evidence is not None
    assert list(evidence.counts.values()) == [0.0001235]


def test_bounds_from_below_are_worse_when_they_are_less() -> None:
    assert is_worse(HIT_RATE, 0.5, 0.6)
    assert not is_worse(HIT_RATE, 0.7, 0.6)
    assert is_worse(BREAK, 2, 1)
    assert not is_worse(BREAK, 1, 1)


@pytest.mark.parametrize(
    ("seen", "certain"),
    [
        (broken(breaks=1), True),
        (broken(), True),
        (broken(breaks=1, outcome="warned"), True),
        (broken(breaks=1, outcome="xpassed"), True),
        (broken(breaks=1, outcome="xfailed"), False),
        (broken(breaks=1, outcome="skipped"), False),
        (broken(breaks=1, error="ValueError: x"), False),
        (raised(broken(breaks=1)), False),
        (record(observed=None), False),
        (record(observed=observation(problems=("lost",))), False),
        (record(violation("nothing_compiled", 0, 1), observed=observation()), False),
        (record(violation("uncalled", 0, 1), observed=observation()), False),
    ],
)
def test_only_a_whole_run_tells_how_a_contract_stands(seen: ContractRecord, certain: bool) -> None:
    assert is_certain(seen) == certain
