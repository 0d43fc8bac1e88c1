from __future__ import annotations

from dataclasses import replace

from baseline.values import BREAK, CONTRACT, PRINT, baseline, broken
from report.values import record, run, violation

from pytest_compilecheck.baseline.excuse import excused
from pytest_compilecheck.baseline.held import gone, has_new, held, updated_from
from pytest_compilecheck.baseline.known import Baseline, Recorded
from pytest_compilecheck.judge.merge import merged


def test_a_report_is_held_as_the_run_would_have_been() -> None:
    known = baseline((BREAK, {"2.13": 1}))
    seen = [broken(breaks=1), broken(breaks=2, id="b.py::t")]
    found = held(run(*seen), known)
    assert [record.verdict.holds for record in found] == [True, False]


def test_what_another_baseline_excused_is_forgotten() -> None:
    seen = broken(breaks=1, prints=1)
    before = excused(
        seen, baseline((BREAK, {"2.13": 1}), (PRINT, {"2.13": 1})).known(CONTRACT, "2.13")
    )
    assert before.verdict.holds
    (found,) = held(run(before), baseline((BREAK, {"2.13": 1})))
    assert [(each.observed, each.known) for each in found.verdict.violations] == [(2, 1)]
    assert found.verdict.known_sites == (0,)
    stale = replace(seen.verdict, violations=(violation("stale_baseline", 1, 0),))
    (found,) = held(run(replace(seen, verdict=stale)), Baseline())
    assert found.verdict.holds


def test_expected_failures_and_errors_are_left_as_they_are() -> None:
    known = baseline((BREAK, {"2.13": 1}))
    expected, raised = broken(breaks=1, outcome="xfailed"), broken(breaks=1, error="ValueError: x")
    for seen in (expected, raised, record(outcome="failed")):
        assert held(run(seen), known) == [seen]


def test_an_update_takes_torch_and_packages_from_the_report() -> None:
    report = run(broken(breaks=1, packages={"einops": "0.8"}), torch="2.15.1")
    found, changes = updated_from(Baseline(), report, "new")
    assert changes.added == [BREAK]
    assert found.contracts[CONTRACT][BREAK].counts == {"2.15": 1}
    assert found.recorded == {"2.15": Recorded("2.15.1", {"einops": "0.8"})}


def test_a_merged_report_of_two_releases_is_held_and_taken_by_release() -> None:
    records = [broken(breaks=1, torch="2.13.0"), broken(breaks=2, torch="2.15.0")]
    report = run(*records, torch="2.13.0, 2.15.0")
    known = baseline((BREAK, {"2.13": 1, "2.15": 1}))
    assert [each.verdict.holds for each in held(report, known)] == [True, False]
    found, changes = updated_from(Baseline(), report, "new")
    assert found.contracts[CONTRACT][BREAK].counts == {"2.13": 1, "2.15": 2}
    assert set(found.recorded) == {"2.13", "2.15"}
    assert changes.added == [BREAK]


def test_contracts_are_gone_where_their_file_was_looked_into() -> None:
    names = ["a.py::t", "a.py::old", "a.py::missing", "a.py::block (watch 1)", "b.py::t"]
    entries = [(replace(BREAK, contract=name), {"2.13": 1.0}) for name in names]
    report = run(broken(id="a.py::t"), missing=("a.py::missing",), left_out=("a.py::block",))
    assert gone(baseline(*entries), report) == ["a.py::old"]


def test_what_ran_under_no_release_of_a_merged_report_is_not_gone() -> None:
    entries = [(replace(BREAK, contract=f"a.py::{name}"), {"2.13": 1.0}) for name in ("b", "old")]
    reports = run(broken(id="a.py::a"), left_out=("a.py::b",)), run(torch="2.15.0")
    both = merged([("1", reports[0]), ("2", reports[1])], mixed_torch=True)
    assert both.missing == ("a.py::b [torch 2.13.0]",)
    assert gone(baseline(*entries), both) == ["a.py::old"]


def test_a_block_is_not_gone_whose_test_is_there() -> None:
    name = "a.py::block (prefill (2))"
    known = baseline((replace(BREAK, contract=name), {"2.13": 1.0}))
    assert gone(known, run(broken(id="a.py::t"), left_out=("a.py::block",))) == []
    assert gone(known, run(broken(id="a.py::t"))) == [name]


def test_a_report_of_some_tests_of_a_file_tells_nothing_of_the_others() -> None:
    known = baseline((replace(BREAK, contract="a.py::old"), {"2.13": 1.0}))
    seen = broken(id="a.py::t")
    for path in (".", "a.py"):
        assert gone(known, run(seen, paths=("b.py", path))) == ["a.py::old"]
    for paths in (("a.py::t",), ("b.py",), ()):
        assert gone(known, run(seen, paths=paths)) == []


def test_what_did_not_run_under_any_release_is_not_gone() -> None:
    known = baseline((replace(BREAK, contract="a.py::old"), {"2.13": 1.0}))
    seen = broken(id="a.py::t", torch="2.13.0")
    lost = ("a.py::old [torch 2.13.0]", "a.py::old [torch 2.15.0+cpu]")
    assert gone(known, run(seen, torch="2.13.0, 2.15.0+cpu", missing=lost)) == []


def test_an_expected_failure_is_nothing_new() -> None:
    assert has_new(broken(breaks=1))
    assert not has_new(broken(breaks=1, outcome="xfailed"))
    assert not has_new(record())
