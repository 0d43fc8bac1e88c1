from __future__ import annotations

from pytest_compilecheck.report.table import summary_table
from pytest_compilecheck.report.top import most, outcomes_text, shown_first, worst_first
from report.values import observation, record

OUTCOMES = ["passed", "failed", "skipped", "error", "warned", "xfailed", "passed", "xpassed"]
RECORDS = [
    record(id=f"test_{number}", outcome=outcome, observed=observation())
    for number, outcome in enumerate(OUTCOMES)
]


def test_none_is_the_usual_number_and_0_is_all() -> None:
    assert [most(None, 50), most(0, 50), most(3, 50)] == [50, None, 3]


def test_what_broke_comes_first() -> None:
    outcomes = [each.outcome for each in worst_first(RECORDS)]
    expected = "failed error warned xfailed skipped xpassed passed passed"
    assert outcomes == expected.split()


def test_a_table_that_is_not_cut_keeps_its_order() -> None:
    for rows in (None, len(RECORDS), 100):
        assert shown_first(RECORDS, rows) == (RECORDS, "")


def test_a_cut_table_has_the_broken_ones_and_says_what_is_left_out() -> None:
    shown, rest = shown_first(RECORDS, 3)
    assert [each.outcome for each in shown] == ["failed", "error", "warned"]
    assert rest == (
        "and 5 more (1 xfailed, 1 skipped, 1 xpassed, 2 passed):"
        " -v or --compilecheck-top=0 shows all"
    )


def test_outcomes_are_counted_the_worst_first() -> None:
    assert outcomes_text(RECORDS[:3]) == "1 failed, 1 skipped, 1 passed"
    assert outcomes_text([RECORDS[3], RECORDS[3]]) == "2 errors"
    assert outcomes_text([]) == ""


def test_the_summary_table_is_cut() -> None:
    lines = summary_table(RECORDS, 2).splitlines()
    assert [line.split()[0] for line in lines[2:4]] == ["failed", "error"]
    assert lines[4].startswith("and 6 more (1 warned,")
    assert len(lines) == 5
    assert len(summary_table(RECORDS, 0).splitlines()) == 2 + len(RECORDS)


def test_fifty_rows_are_usual() -> None:
    many = [record(id=f"test_{number:03}", observed=observation()) for number in range(51)]
    lines = summary_table(many).splitlines()
    assert len(lines) == 2 + 50 + 1
    assert lines[-1].startswith("and 1 more (1 passed): ")
