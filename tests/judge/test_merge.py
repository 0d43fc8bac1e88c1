from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from policies.values import compared, replay
from report.values import entry, fallback, observation, record, run, site, violation

from pytest_compilecheck.judge.audited import AuditedTest
from pytest_compilecheck.judge.merge import MergeError, merged
from pytest_compilecheck.judge.run_report import RunReport

A = record(id="a.py::a", observed=observation())
B = record(id="a.py::b", observed=observation(break_sites=(site(),)))
BLOCK = record(id="a.py::b", part="watch 1", observed=observation())


def merge(*reports: RunReport, mixed_torch: bool = False, worst: bool = False) -> RunReport:
    named = [(f"{number}.json", report) for number, report in enumerate(reports, 1)]
    return merged(named, mixed_torch=mixed_torch, worst=worst)


def test_two_halves_are_the_report_of_one_run() -> None:
    halves = run(A, left_out=("a.py::b",)), run(B, BLOCK, left_out=("a.py::a",))
    for order in (halves, halves[::-1]):
        assert merge(*order).to_dict() == run(A, B, BLOCK).to_dict()


def test_one_report_alone_lacks_what_it_left_out() -> None:
    found = merge(run(A, left_out=("a.py::b",)))
    assert (found.complete, found.missing, found.left_out) == (False, ("a.py::b",), ())


def test_what_one_lost_another_may_have_run() -> None:
    lost = run(A, missing=("a.py::b",), complete=False)
    assert merge(lost, run(B)).missing == ()
    assert merge(lost, run(B)).complete is False  # one of them was not collected or stopped
    torn = run(A, B, missing=("a.py::b",), complete=False)
    assert merge(torn).missing == ("a.py::b",)


def test_a_test_that_watched_nothing_has_run() -> None:
    halves = run(A, left_out=("a.py::c",)), run(unwatched=("a.py::c",), left_out=("a.py::a",))
    found = merge(*halves)
    assert (found.complete, found.unwatched) == (True, ("a.py::c",))


def test_the_same_contract_twice_is_one_where_only_times_differ() -> None:
    slow = observation(timeline=(entry(0, "compile", seconds=9.0),), memory_growth=1)
    fast = observation(timeline=(entry(0, "compile", seconds=0.1),), memory_growth=2)
    bound = violation("max_compile_seconds", 0.01, 9.0, "9 s")
    first = record(bound, id="a.py::a", observed=slow)
    second = record(replace(bound, observed=0.1, message="0.1 s"), id="a.py::a", observed=fast)
    assert merge(run(first), run(second)).contracts == (first,)


def test_what_policies_cost_may_differ_from_machine_to_machine() -> None:
    fast, slow = compared(replay("auto")), compared(replay("auto", (9.0, 9.0)))
    bound = violation("preferred_policy", 0.1, 0.5, "50 %")
    first = record(bound, id="a.py::a", policies=fast)
    second = record(replace(bound, observed=0.7, message="70 %"), id="a.py::a", policies=slow)
    assert merge(run(first), run(second)).contracts == (first,)
    with pytest.raises(MergeError):
        merge(run(first), run(record(id="a.py::a", policies=slow)))


def test_packages_stand_elsewhere_on_another_machine() -> None:
    files = [f"/{home}/lib/python3.11/site-packages/lib/a.py" for home in ("one", "two")]
    reports = [
        run(record(observed=observation(break_sites=(site(file=file),), fallbacks=(fallback(),))))
        for file in files
    ]
    assert len(merge(*reports).contracts) == 1


def test_different_things_seen_of_one_contract() -> None:
    other = replace(A, observed=B.observed, outcome="failed")
    with pytest.raises(MergeError) as raised:
        merge(run(A), run(other))
    assert str(raised.value) == (
        "1.json and 2.json saw different things of a.py::a: run it in one of them only, or give"
        " --worst to take the worse"
    )
    elsewhere = observation(break_sites=(site(line=99),))
    with pytest.raises(MergeError):  # also where they came out alike
        merge(run(B), run(replace(B, observed=elsewhere)))
    for order in ((A, other), (other, A), (A, other, A)):
        assert merge(*map(run, order), worst=True).contracts == (other,)


def test_releases_of_torch_are_not_mixed_unasked() -> None:
    reports = run(A, torch="2.13.0"), run(A, left_out=("a.py::b",), torch="2.15.0")
    with pytest.raises(MergeError) as raised:
        merge(*reports)
    assert str(raised.value) == (
        "1.json is of torch 2.13.0, 2.json is of torch 2.15.0: merge those of one release, or give"
        " --mixed-torch"
    )
    found = merge(*reports, mixed_torch=True)
    assert found.torch == "2.13.0, 2.15.0"
    assert [each.name for each in found.contracts] == [
        "a.py::a [torch 2.13.0]",
        "a.py::a [torch 2.15.0]",
    ]
    assert found.missing == ("a.py::b [torch 2.15.0]",)
    again = merge(found, run(B, torch="2.15.0"), mixed_torch=True)
    assert (again.torch, again.missing) == ("2.13.0, 2.15.0", ())


def test_under_each_release_tests_are_other_tests() -> None:
    """Where one release lost or left out a test, what another ran of it is no replacement."""
    old = run(A, torch="2.13.0", missing=("a.py::b",), left_out=("a.py::c",), complete=False)
    new = run(A, B, torch="2.15.0", unwatched=("a.py::c",))
    found = merge(old, new, mixed_torch=True)
    assert found.missing == ("a.py::b [torch 2.13.0]", "a.py::c [torch 2.13.0]")
    assert found.unwatched == ("a.py::c [torch 2.15.0]",)


def test_a_test_of_which_only_a_block_was_watched_has_run() -> None:
    found = merge(run(A, left_out=("a.py::b",)), run(BLOCK, left_out=("a.py::a",)))
    assert (found.complete, found.missing) == (True, ())


def test_without_being_asked_nothing_is_mixed_and_nothing_chosen() -> None:
    for other in (run(A, torch="2.15.0"), run(replace(A, observed=B.observed))):
        with pytest.raises(MergeError):
            merged([("1.json", run(A)), ("2.json", other)])


def test_what_several_reports_say_is_said_once() -> None:
    one = run(A, unwatched=("z", "a"), paths=("tests/b.py", "tests/a.py"))
    other = run(B, unwatched=("a", "m"), paths=("tests/b.py",))
    found = merge(one, other)
    assert found.unwatched == ("z", "a", "m")
    assert found.paths == ("tests/a.py", "tests/b.py")


def test_pythons_may_differ() -> None:
    assert merge(run(A, python="3.12.1"), run(B, python="3.11.7")).python == "3.11.7, 3.12.1"


def test_audits() -> None:
    def audited(name: str, graphs: int) -> AuditedTest:
        return AuditedTest(id=name, outcome="passed", observed=observation(graphs=graphs))

    one, two = audited("a", 1), audited("b", 2)
    assert merge(run(audit=(two,)), run(audit=(one, two)), run()).audit == (one, two)
    assert merge(run(), run()).audit is None
    with pytest.raises(MergeError):
        merge(run(audit=(one,)), run(audit=(audited("a", 9),)), worst=True)


names = st.sampled_from([f"a.py::{letter}" for letter in "abcdef"])


@given(st.dictionaries(names, st.integers(0, 2)), st.permutations(range(3)))
def test_shards_in_any_order_are_the_whole(shards: dict[str, int], order: list[int]) -> None:
    def shard(number: int) -> RunReport:
        inside = [
            record(id=name, observed=observation()) for name in shards if shards[name] == number
        ]
        outside = tuple(name for name in shards if shards[name] != number)
        return run(*inside, left_out=outside)

    whole = run(*(record(id=name, observed=observation()) for name in shards))
    assert merge(*map(shard, order)).to_dict() == whole.to_dict()
    partial = merge(*map(shard, order[:2]))
    assert set(partial.missing) == {name for name in shards if shards[name] == order[2]}
    assert partial.complete is not bool(partial.missing)
