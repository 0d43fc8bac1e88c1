from __future__ import annotations

from pytest_compilecheck.report.incomplete import incomplete_report_text, incomplete_text
from report.values import run


def test_what_is_missing_and_who_died() -> None:
    assert incomplete_text({"a.py::b", "a.py::a"}, {"gw1": "a.py::b", "gw0": ""}) == (
        "incomplete: 2 contracts did not run to the end: a.py::a, a.py::b"
        " (worker gw0 crashed, worker gw1 crashed in a.py::b)"
    )


def test_many_are_named_when_asked_for() -> None:
    many = [f"a.py::t{number}" for number in range(8)]
    told = "incomplete: 8 contracts did not run to the end: a.py::t0, a.py::t1, a.py::t2, "
    assert incomplete_text(many, {}) == f"{told}a.py::t3, a.py::t4 and 3 more (-v names all)"
    assert incomplete_text(many, {}, verbose=True).endswith("a.py::t6, a.py::t7")


def test_where_nobody_can_tell_which_tests_hold_contracts() -> None:
    assert incomplete_text(["a.py::a"], {}, certain=False) == (
        "incomplete: 1 test did not run to the end: a.py::a;"
        " no worker was left to say which of them hold contracts"
    )


def test_nothing_is_known_to_be_missing() -> None:
    assert incomplete_text([], {}, collected=False) == (
        "incomplete: tests that could not be collected may hold contracts"
    )
    assert incomplete_text([], {}) == "incomplete: the run was stopped"


def test_a_report_says_it_without_its_run() -> None:
    report = run(complete=False, missing=[f"a.py::t{number}" for number in range(6)])
    told = incomplete_report_text(report)
    assert told.startswith("incomplete: 6 contracts did not run to the end: a.py::t0, ")
    assert told.endswith("a.py::t4 and 1 more (the JSON report names all)")
    assert incomplete_report_text(report, verbose=True).endswith("a.py::t4, a.py::t5")
    assert incomplete_report_text(run(complete=False)).endswith("contracts may be missing")


def test_what_an_audit_lacks_are_tests() -> None:
    told = incomplete_report_text(run(complete=False, missing=("a.py::t",), audit=()))
    assert told == "incomplete: 1 test did not run to the end: a.py::t"


def test_names_cannot_steer_a_terminal() -> None:
    told = incomplete_text(["a.py::\x1b[2J"], {"gw0": "a.py::\r"})
    assert told.isprintable()
