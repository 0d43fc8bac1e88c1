from __future__ import annotations

from pytest_compilecheck.judge.audited import AuditedTest
from pytest_compilecheck.report.audit import audit_lines
from pytest_compilecheck.report.style import plain
from report.values import observation, site

TESTS = [
    AuditedTest(
        id=f"test_it.py::test_{number:02}",
        outcome="passed",
        observed=observation(break_sites=(site(line=number + 1),)),
    )
    for number in range(20)
]


def rows(text: str) -> int:
    return text.count("model/mlp.py:")


def test_fifteen_rows_are_usual() -> None:
    text = plain(audit_lines(TESTS))
    assert rows(text) == 15
    assert text.count("and 5 more: -v or --compilecheck-top=0 shows all") == 2


def test_as_many_rows_as_are_asked_for() -> None:
    assert rows(plain(audit_lines(TESTS, top=3))) == 3
    everything = plain(audit_lines(TESTS, top=0))
    assert rows(everything) == 20
    assert "more" not in everything


def test_files_of_idle_tests_are_cut_too() -> None:
    idle = [
        AuditedTest(
            id=f"test_{number}.py::test_it", outcome="passed", observed=observation(timeline=())
        )
        for number in range(4)
    ]
    text = plain(audit_lines(idle, top=3))
    assert "  and those of 1 more file" in text
    assert text.count("1 test of test_") == 3
    assert "::" not in text
    assert plain(audit_lines(idle, top=3, verbose=True)).count("::test_it") == 4


def test_what_could_not_be_watched_is_told() -> None:
    unsure = [
        AuditedTest(
            id=f"test_it.py::test_{number}",
            outcome="passed",
            observed=observation(timeline=(), problems=("the owner of lib.py is not known: no",)),
        )
        for number in range(3)
    ]
    text = plain(audit_lines(unsure))
    assert "what could not be watched: figures of these tests may be wrong" in text
    assert "3      3  the owner of lib.py is not known: no" in text
    assert "what could not" not in plain(audit_lines(TESTS))
