from __future__ import annotations

from typing import Literal

import pytest
from baseline.values import (
    BREAK,
    CONTRACT,
    HIT_RATE,
    PRINT,
    REBUILD,
    RECOMPILES,
    baseline,
    broken,
    raised,
    rebuilt,
    slow,
)
from hypothesis import given
from hypothesis import strategies as st

from pytest_compilecheck.baseline.evidence import is_worse
from pytest_compilecheck.baseline.excuse import excused, improvements, seen_counts
from pytest_compilecheck.baseline.known import Baseline, Entry, Recorded
from pytest_compilecheck.baseline.update import Changes, updated
from pytest_compilecheck.judge.findings import Finding
from pytest_compilecheck.judge.record import ContractRecord

Update = Literal["new", "tighten", "all"]
Counts = dict[Finding, dict[str, float]]
NOW = "2.13"


def after(
    before: Baseline, update: Update, *records: ContractRecord, gone: tuple[str, ...] = ()
) -> tuple[Baseline, Changes]:
    recorded = Recorded("2.13.0", {"einops": "0.8.1"})
    return updated(before, records, update, release=NOW, recorded=recorded, gone=gone)


def counts(found: Baseline) -> Counts:
    return {
        finding: dict(entry.counts)
        for entries in found.contracts.values()
        for finding, entry in entries.items()
    }


BEFORE: list[tuple[Finding, dict[str, float]]] = [(BREAK, {NOW: 2}), (PRINT, {NOW: 1})]


@pytest.mark.parametrize(
    ("update", "seen", "expected"),
    [
        ("new", rebuilt(1, 0, 1), {BREAK: 2, PRINT: 1, REBUILD: 1, RECOMPILES: 1}),
        ("new", broken(breaks=3), {BREAK: 2, PRINT: 1}),
        ("new", broken(breaks=1), {BREAK: 2, PRINT: 1}),
        ("tighten", rebuilt(1, 0, 1), {}),
        ("tighten", broken(breaks=3, prints=1), {BREAK: 2, PRINT: 1}),
        ("tighten", broken(breaks=1), {BREAK: 1}),
        ("all", rebuilt(1, 0, 1), {REBUILD: 1, RECOMPILES: 1}),
        ("all", broken(breaks=3), {BREAK: 3}),
        ("all", broken(breaks=1), {BREAK: 1}),
    ],
)
def test_new_adds_tighten_lowers_and_drops_all_does_both_and_raises(
    update: Update, seen: ContractRecord, expected: dict[Finding, float]
) -> None:
    found, _ = after(baseline(*BEFORE), update, seen)
    assert counts(found) == {finding: {NOW: count} for finding, count in expected.items()}


def test_changes_are_told_by_what_they_are() -> None:
    before = baseline((BREAK, {NOW: 2}), (PRINT, {NOW: 1}), (HIT_RATE, {NOW: 0.5}))
    _, changes = after(before, "all", broken(breaks=1, prints=2))
    assert (changes.added, changes.lowered) == ([], [BREAK])
    assert (changes.raised, changes.dropped) == ([PRINT], [HIT_RATE])
    _, changes = after(baseline((HIT_RATE, {NOW: 0.5})), "all", slow(0.6))
    assert (changes.lowered, changes.raised) == ([HIT_RATE], [])
    _, changes = after(baseline((BREAK, {NOW: 1})), "all", broken(breaks=1))
    assert not changes


@pytest.mark.parametrize("update", ["new", "tighten", "all"])
@pytest.mark.parametrize(
    "seen",
    [
        raised(broken(breaks=1)),
        broken(error="ValueError: x"),
        broken(outcome="skipped"),
        broken(outcome="xfailed"),
    ],
)
def test_a_record_that_tells_nothing_changes_nothing(update: Update, seen: ContractRecord) -> None:
    before = baseline(*BEFORE)
    found, changes = after(before, update, seen)
    assert found.contracts == before.contracts
    assert not changes


@pytest.mark.parametrize("update", ["new", "tighten", "all"])
@pytest.mark.parametrize("rate", [None, 0.0])
def test_a_figure_that_is_not_known_leaves_its_entry_alone(
    update: Update, rate: float | None
) -> None:
    before = baseline((HIT_RATE, {NOW: 0.5}))
    found, changes = after(before, update, slow(rate))
    assert found.contracts == before.contracts
    assert not changes


def test_contracts_that_did_not_run_keep_their_entries() -> None:
    before = baseline(*BEFORE)
    other = broken(breaks=1, id="tests/test_other.py::test_it")
    found, _ = after(before, "all", other)
    assert found.contracts[CONTRACT] == before.contracts[CONTRACT]
    assert found.contracts.keys() == {CONTRACT, other.unit}


@pytest.mark.parametrize(("update", "left"), [("new", 2), ("tighten", 0), ("all", 0)])
def test_contracts_that_are_no_more_are_dropped_but_by_new(update: Update, left: int) -> None:
    found, changes = after(baseline(*BEFORE), update, gone=(CONTRACT, "unknown"))
    assert sum(map(len, found.contracts.values())) == left
    assert len(changes.dropped) == 2 - left


def test_new_records_a_further_release_whole() -> None:
    before = baseline((BREAK, {"2.12": 2}), (PRINT, {"2.12": 1}))
    found, changes = after(before, "new", broken(breaks=3))
    assert counts(found) == {BREAK: {"2.12": 2, NOW: 3}, PRINT: {"2.12": 1, NOW: 0}}
    assert (changes.released, changes.raised, changes.dropped) == (True, [], [])
    assert found.known(CONTRACT, NOW).counts == {BREAK: 3}
    assert found.known(CONTRACT, "2.12").counts == {BREAK: 2, PRINT: 1}


def test_what_is_gone_in_one_release_stays_for_another() -> None:
    before = baseline((BREAK, {"2.12": 2, NOW: 2}), (PRINT, {"2.12": 1, NOW: 1}))
    found, _ = after(before, "tighten", broken(breaks=2))
    assert counts(found) == {BREAK: {"2.12": 2, NOW: 2}, PRINT: {"2.12": 1, NOW: 0}}


def test_tighten_lowers_under_a_release_without_figures() -> None:
    before = baseline((BREAK, {"2.12": 2}), (PRINT, {"2.12": 1}))
    found, _ = after(before, "tighten", broken(breaks=1, prints=1))
    assert counts(found) == {BREAK: {"2.12": 2, NOW: 1}, PRINT: {"2.12": 1, NOW: 1}}


def test_what_comes_back_is_new() -> None:
    before = baseline((BREAK, {"2.12": 2, NOW: 0}), (PRINT, {NOW: 1}))
    found, changes = after(before, "new", broken(breaks=1, prints=1))
    assert counts(found)[BREAK] == {"2.12": 2, NOW: 1}
    assert changes.added == [BREAK]


def test_reasons_are_kept() -> None:
    before = Baseline.of([Entry(BREAK, {NOW: 2}, because="a log")], {})
    for update in ("new", "tighten", "all"):
        found, _ = after(before, update, broken(breaks=1))  # type: ignore[arg-type]
        assert found.contracts[CONTRACT][BREAK].because == "a log"


def test_versions_are_those_of_the_last_run_that_changed_something() -> None:
    old = Recorded("2.13.0", {"einops": "0.8.0", "transformers": "5.0"})
    before = Baseline(baseline(*BEFORE).contracts, {NOW: old})
    same, _ = after(before, "tighten", broken(breaks=2, prints=1))
    assert same.recorded == {NOW: old}
    found, _ = after(before, "tighten", broken(breaks=1))
    assert found.recorded == {NOW: Recorded("2.13.0", {"einops": "0.8.1", "transformers": "5.0"})}


FINDINGS = (BREAK, PRINT)
RELEASES = ("2.12", NOW, "2.15")
BASELINES = st.builds(
    lambda entries: baseline(*entries),
    st.lists(
        st.tuples(
            st.sampled_from(FINDINGS),
            st.dictionaries(st.sampled_from(RELEASES), st.integers(0, 3), min_size=1),
        ),
        max_size=3,
    ),
)
RECORDS = st.builds(
    lambda breaks, prints: broken(breaks=breaks, prints=prints),
    st.integers(0, 4),
    st.integers(0, 4),
)


@given(BASELINES, RECORDS)
def test_after_all_the_run_holds_and_nothing_is_better(
    before: Baseline, seen: ContractRecord
) -> None:
    found, _ = after(before, "all", seen)
    known = found.known(CONTRACT, NOW)
    assert excused(seen, known).verdict.holds
    assert improvements(seen, known) == []
    assert known.counts == seen_counts(seen) or not known.is_of_release


@given(BASELINES, RECORDS)
def test_after_new_what_was_excused_for_it_holds(before: Baseline, seen: ContractRecord) -> None:
    told = excused(seen, before.known(CONTRACT, NOW), "new").verdict
    found, _ = after(before, "new", seen)
    assert excused(seen, found.known(CONTRACT, NOW)).verdict.holds == told.holds


@given(BASELINES, RECORDS)
def test_tighten_allows_no_more_and_breaks_nothing(before: Baseline, seen: ContractRecord) -> None:
    found, _ = after(before, "tighten", seen)
    was, now = before.known(CONTRACT, NOW), found.known(CONTRACT, NOW)
    assert all(not is_worse(f, count, was.counts.get(f, 0)) for f, count in now.counts.items())
    assert excused(seen, now).verdict.holds == excused(seen, was).verdict.holds
    assert improvements(seen, now) == []


@given(BASELINES, RECORDS, st.sampled_from(["new", "tighten", "all"]))
def test_other_releases_are_left_as_they_are(
    before: Baseline, seen: ContractRecord, update: Update
) -> None:
    found, _ = after(before, update, seen)
    for release in ("2.12", "2.15"):
        was = {f: c[release] for f, c in counts(before).items() if c.get(release)}
        now = {f: c[release] for f, c in counts(found).items() if c.get(release)}
        assert now == was


@given(BASELINES, RECORDS, st.sampled_from(["new", "tighten", "all"]))
def test_an_update_is_done_once(before: Baseline, seen: ContractRecord, update: Update) -> None:
    once, _ = after(before, update, seen)
    twice, changes = after(once, update, seen)
    assert twice.contracts == once.contracts
    assert not changes
