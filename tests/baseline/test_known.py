from __future__ import annotations

from baseline.values import BREAK, CONTRACT, HIT_RATE, PRINT, baseline

from pytest_compilecheck.baseline.known import Baseline, Entry


def test_the_figures_of_the_release_itself_hold() -> None:
    known = baseline((BREAK, {"2.13": 2, "2.15": 1})).known(CONTRACT, "2.15")
    assert (known.counts, known.is_of_release) == ({BREAK: 1}, True)


def test_without_figures_of_a_release_those_of_the_nearest_hold() -> None:
    known = baseline((BREAK, {"2.13": 2})).known(CONTRACT, "2.15")
    assert (known.counts, known.used, known.is_of_release) == ({BREAK: 2}, "2.13", False)


def test_a_finding_without_a_figure_of_a_recorded_release_is_gone_in_it() -> None:
    two = baseline((BREAK, {"2.13": 2}), (PRINT, {"2.13": 1, "2.15": 1}))
    assert two.known(CONTRACT, "2.15").counts == {PRINT: 1}
    assert two.known(CONTRACT, "2.14").counts == {BREAK: 2, PRINT: 1}


def test_nothing_is_known_of_another_contract() -> None:
    known = baseline((BREAK, {"2.13": 2})).known("another", "2.13")
    assert (known.counts, known.used) == ({}, None)


def test_no_more_than_is_known_is_allowed() -> None:
    known = baseline((BREAK, {"2.13": 2}), (HIT_RATE, {"2.13": 0.5})).known(CONTRACT, "2.13")
    assert known.allows(BREAK, 2)
    assert not known.allows(BREAK, 3)
    assert known.allows(HIT_RATE, 0.6)
    assert not known.allows(HIT_RATE, 0.4)
    assert not known.allows(PRINT, 1)


def test_of_two_entries_for_one_finding_the_stricter_holds() -> None:
    entries = [
        Entry(BREAK, {"2.13": 3, "2.15": 1}),
        Entry(BREAK, {"2.13": 2, "2.14": 5}, because="later"),
        Entry(HIT_RATE, {"2.13": 0.5}),
        Entry(HIT_RATE, {"2.13": 0.6}),
    ]
    found = Baseline.of(entries, {}).contracts[CONTRACT]
    assert found[BREAK] == Entry(BREAK, {"2.13": 2, "2.14": 5, "2.15": 1}, because="later")
    assert found[HIT_RATE].counts == {"2.13": 0.6}


def test_of_two_entries_one_that_is_gone_is_the_stricter() -> None:
    for finding in (BREAK, HIT_RATE):
        for gone, known in ((0, 0.5), (0.5, 0)):
            entries = [
                Entry(finding, {"2.13": 0.5, "2.15": gone}),
                Entry(finding, {"2.13": 0.5, "2.15": known}),
            ]
            found = Baseline.of(entries, {}).contracts[CONTRACT]
            assert found[finding].counts == {"2.13": 0.5, "2.15": 0}
    gone = Baseline.of([Entry(BREAK, {"2.13": 0}), Entry(BREAK, {"2.13": 2})], {})
    assert gone.contracts == {}
