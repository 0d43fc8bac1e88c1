from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judge.policy_reports import comparisons, measured, mirrored, policy
from report.values import entry, fallback, observation, recompile, record, run, site, violation

from pytest_compilecheck.judge.comparison import (
    Change,
    ContractDiff,
    Figure,
    ReportDiff,
    compare,
    total,
)
from pytest_compilecheck.judge.findings import Finding
from pytest_compilecheck.judge.moved import Moved
from pytest_compilecheck.judge.outcome import Outcome
from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.judge.run_report import RunReport

ID = "tests/test_mlp.py::test_mlp"
BREAK = Finding(ID, "graph_break", "model/mlp.py", "inner", "GB0170")


def one(before: RunReport, after: RunReport) -> ContractDiff:
    (contract,) = compare(before, after).contracts
    return contract


def with_sites(*sites: Any, **fields: Any) -> ContractRecord:
    ops = fields.pop("captured_ops", 41)
    return record(observed=observation(break_sites=sites, captured_ops=ops), **fields)


def test_a_new_finding_is_worse_also_where_the_bound_allows_it() -> None:
    found = one(run(with_sites()), run(with_sites(site(line=3), site(line=4))))
    assert found.changes == (Change(BREAK, 0, 2),)
    assert (found.worse, found.better) == (True, False)


def test_a_finding_that_is_gone_is_better() -> None:
    found = one(run(with_sites(site())), run(with_sites()))
    assert (found.worse, found.better) == (False, True)


def test_another_line_is_no_difference() -> None:
    diff = compare(run(with_sites(site(line=3))), run(with_sites(site(line=9, events=1))))
    assert (diff.contracts, diff.same) == ((), 1)


@pytest.mark.parametrize(
    ("before", "after", "worse"),
    [
        ("passed", "failed", True),
        ("passed", "warned", True),
        ("passed", "error", True),
        ("passed", "xfailed", True),
        ("passed", "skipped", False),
        ("failed", "passed", False),
        ("failed", "error", False),
        ("skipped", "failed", True),
        ("skipped", "xfailed", False),
        (None, "failed", True),
        (None, "error", True),
        (None, "passed", False),
        (None, "xfailed", False),
        ("failed", None, False),
        ("passed", None, False),
    ],
)
def test_outcomes(before: Outcome | None, after: Outcome | None, worse: bool) -> None:
    reports = [run(*([record(outcome=each)] if each else [])) for each in (before, after)]
    diff = compare(*reports)
    assert (diff.worse, one(*reports).worse) == (worse, worse)


@pytest.mark.parametrize(
    "fields",
    [
        {"observed": None, "outcome": "error"},
        {"error": "ValueError: a", "outcome": "failed"},
        {"outcome": "skipped"},
    ],
)
def test_what_was_not_measured_to_its_end_has_mended_nothing(fields: dict[str, Any]) -> None:
    broken = with_sites(site(), outcome="failed")
    unmeasured = record(**{"observed": observation(), **fields})
    found = compare(run(broken), run(unmeasured))
    assert [(each.changes, each.better) for each in found.contracts] in ([((), False)], [])
    back = compare(run(unmeasured), run(broken))
    assert all(each.changes == () for each in back.contracts)


def test_what_a_contract_excuses_is_not_compared() -> None:
    excused = with_sites(site(), verdict={"excused_sites": (0,)})
    assert compare(run(with_sites()), run(excused)).contracts == ()


def test_recompiles_and_fallbacks() -> None:
    seen = observation(recompile_events=(recompile(),), fallbacks=(fallback(),))
    found = one(run(record(observed=observation())), run(record(observed=seen)))
    assert [(change.finding.kind, change.finding.cause) for change in found.changes] == [
        ("fallback", "recompile_limit"),
        ("recompile", "shape"),
    ]


def test_figures_are_told_and_are_no_verdict() -> None:
    timeline = (entry(0, "compile"), entry(1, graph_launches=5))
    old = observation(timeline=(entry(0, "compile"),))
    new = observation(graphs=3, captured_ops=60, timeline=timeline, fragile_guards=())
    found = one(run(record(observed=old)), run(record(observed=new)))
    assert found.figures == (
        Figure("graphs", 2, 3),
        Figure("captured_ops", 41, 60),
        Figure("hit_rate", 0.0, 0.5),
        Figure("graph_launches_per_call", None, 5),
        Figure("fragile_guards", None, 0),
    )
    assert (found.worse, found.better, found.captures_more) == (False, False, False)


def test_more_breaks_and_more_captured() -> None:
    old = with_sites(site())
    further = with_sites(site(), site(function="later"), captured_ops=60)
    assert one(run(old), run(further)).captures_more
    assert not one(run(old), run(with_sites(site(), site(function="later")))).captures_more
    assert not one(run(further), run(old)).captures_more


def test_breaks_that_another_torch_names_otherwise_are_moved() -> None:
    old, new = with_sites(site()), with_sites(site(gb_id="GB0999"), site(function="new", code="z"))
    diff = compare(run(old), run(new, torch="2.15.0"))
    after = Finding(ID, "graph_break", "model/mlp.py", "inner", "GB0999")
    (found,) = diff.contracts
    assert found.moved == (Moved(BREAK, after, 1),)
    assert [change.finding.function for change in found.changes] == ["new"]
    assert total(diff, "graph_break") == Counter({"moved": 1, "new": 1})
    same_torch = compare(run(old), run(new))
    assert total(same_torch, "graph_break") == Counter({"gone": 1, "new": 2, "moved": 0})


def test_a_break_that_is_only_named_otherwise_is_not_worse() -> None:
    diff = compare(run(with_sites(site())), run(with_sites(site(gb_id="GB1")), torch="2.15.0"))
    assert (diff.worse, len(diff.contracts)) == (False, 1)


def test_totals_are_of_all_contracts() -> None:
    def of(name: str, *gb_ids: str) -> ContractRecord:
        return with_sites(*(site(gb_id=each, code="") for each in gb_ids), id=name)

    old = run(of("a", "GB1"), of("b", "GB1"), of("c", "GB1", "GB2"), of("d"))
    new = run(of("a", "GB9"), of("b", "GB9"), of("c", "GB1"), of("d", "GB1"), torch="2.15.0")
    diff = compare(old, new)
    assert total(diff, "graph_break") == Counter({"moved": 2, "gone": 1, "new": 1})
    assert total(diff, "recompile") == Counter({"moved": 0})


def test_a_break_that_stands_at_several_lines_is_known_by_each() -> None:
    old = with_sites(site(code="a()"), site(code="b()"))
    new = with_sites(site(function="new", code="b()"), site(function="new", code="c()"))
    after = Finding(ID, "graph_break", "model/mlp.py", "new", "GB0170")
    assert one(run(old), run(new)).moved == (Moved(BREAK, after, 2),)


def test_a_diff_tells_what_was_compared() -> None:
    old = run(with_sites(), complete=False)
    new = run(with_sites(), record(id="b", observed=observation()), torch="2.15.0")
    diff = compare(old, new)
    assert diff.to_dict() == {
        "torch_before": "2.13.0",
        "torch_after": "2.15.0",
        "complete_before": False,
        "complete_after": True,
        "contracts": [
            {
                "contract": "b",
                "before": None,
                "after": "passed",
                "changes": [],
                "moved": [],
                "figures": [],
                "policies": None,
                "worse": False,
                "better": False,
            }
        ],
        "same": 1,
        "reasons": {},
        "in_common": 1,
        "worse": False,
    }


def test_contracts_in_common_are_those_of_one_name() -> None:
    def under(name: str, torch: str | None = None, *sites: Any) -> ContractRecord:
        return with_sites(*sites, id=name, torch=torch)

    before = run(under("a"), under("b"), under("c"))
    assert compare(before, run(under("a"), under("b", None, site()), under("d"))).in_common == 2
    assert compare(before, run(under("a", "2.13.0"))).in_common == 0


def test_reasons_are_those_of_breaks_that_count_in_either_report() -> None:
    old = with_sites(site(gb_id="GB1", reason="other words"), site(gb_id="GB2", reason="two"))
    excused = {"excused_sites": (2,)}
    sites = site(gb_id="GB1", reason="one"), site(gb_id=None), site(gb_id="GB3", reason="three")
    new = with_sites(*sites, verdict=excused)
    for order in ((old, new), (new, old)):
        assert compare(*map(run, order)).reasons == {"GB1": "one", "GB2": "two"}


sites = st.lists(
    st.builds(
        site,
        function=st.sampled_from(["f", "g"]),
        gb_id=st.sampled_from(["GB1", "GB2", "GB3"]),
        code=st.sampled_from(["x()", "y()", ""]),
        reason=st.sampled_from(["one", "other"]),
    ),
    max_size=4,
).map(tuple)
records = st.builds(
    lambda seen, **fields: record(observed=seen, **fields),
    seen=st.builds(
        observation,
        break_sites=sites,
        graphs=st.integers(1, 2),
        captured_ops=st.integers(1, 3),
        recompile_events=st.lists(st.builds(recompile, call=st.integers(0, 2)), max_size=2).map(
            tuple
        ),
    ),
    id=st.sampled_from(["a.py::a", "a.py::b", "a.py::c"]),
    outcome=st.sampled_from(["passed", "failed", "skipped"]),
    policies=comparisons,
)
reports = st.builds(
    lambda found, torch: run(*found, torch=torch),
    found=st.lists(records, max_size=3, unique_by=lambda each: each.id),
    torch=st.sampled_from(["2.13.0", "2.15.0"]),
)


@given(reports)
def test_a_report_does_not_differ_from_itself(report: RunReport) -> None:
    diff = compare(report, report)
    assert (diff.contracts, diff.worse, diff.same) == ((), False, len(report.contracts))


@given(reports, reports)
def test_swapped_reports_differ_the_other_way(before: RunReport, after: RunReport) -> None:
    assert compare(after, before) == swapped(compare(before, after))


def swapped(diff: ReportDiff) -> ReportDiff:
    return ReportDiff(
        torch_before=diff.torch_after,
        torch_after=diff.torch_before,
        complete_before=diff.complete_after,
        complete_after=diff.complete_before,
        same=diff.same,
        reasons=diff.reasons,
        contracts=tuple(
            ContractDiff(
                contract=each.contract,
                before=each.after,
                after=each.before,
                changes=tuple(Change(c.finding, c.after, c.before) for c in each.changes),
                moved=tuple(sorted(Moved(m.after, m.before, m.count) for m in each.moved)),
                figures=tuple(Figure(f.name, f.after, f.before) for f in each.figures),
                policies=mirrored(each.policies),
            )
            for each in diff.contracts
        ),
    )


@given(reports, reports)
def test_counts_add_up(before: RunReport, after: RunReport) -> None:
    """What was found before, less what is gone, more what is new, is what is found after."""
    diff = compare(before, after)
    for contract in diff.contracts:
        if contract.changes or contract.moved:
            had = next(r for r in before.contracts if r.name == contract.contract)
            has = next(r for r in after.contracts if r.name == contract.contract)
            assert had.observed is not None
            assert has.observed is not None
            breaks = [c for c in contract.changes if c.finding.kind == "graph_break"]
            more = sum(change.after - change.before for change in breaks)
            assert len(has.observed.break_sites) - len(had.observed.break_sites) == more


def test_violations_alone_are_told_by_the_outcome() -> None:
    held, broke = (
        record(observed=observation()),
        record(violation("min_hit_rate", 1, 0.5), observed=observation()),
    )
    found = one(run(held), run(broke))
    assert (found.before, found.after, found.changes) == ("passed", "failed", ())


def test_policies_are_worse_where_one_runs_wrong_and_not_where_one_costs_more() -> None:
    usual = run(measured(policy("auto")))
    dear = run(measured(policy("auto", 9.0)))
    wrong = run(measured(policy("auto", mismatch="output: 1 / 6")))
    assert (one(usual, dear).worse, one(usual, dear).costlier) == (False, True)
    assert (one(usual, wrong).worse, compare(usual, wrong).worse) == (True, True)
    assert (one(wrong, usual).worse, one(wrong, usual).better) == (False, True)


def test_policies_of_a_contract_that_was_not_measured_to_its_end_are_not_compared() -> None:
    wrong = measured(policy("auto", mismatch="output: 1 / 6"), outcome="skipped")
    assert one(run(measured(policy("auto"))), run(wrong)).policies is None
