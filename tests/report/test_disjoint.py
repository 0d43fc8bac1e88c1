from __future__ import annotations

import pytest

from pytest_compilecheck.judge.comparison import compare
from pytest_compilecheck.judge.merge import merged
from pytest_compilecheck.judge.run_report import RunReport
from pytest_compilecheck.report.diff import diff_text
from pytest_compilecheck.report.disjoint import disjoint_lines
from report.values import observation, record, run


def of(*names: str, torch: str = "2.13.0") -> RunReport:
    return run(*(record(id=each, observed=observation()) for each in names), torch=torch)


MERGED = merged([("a", of("x")), ("b", of("x", torch="2.15.0"))], mixed_torch=True)


def told(before: RunReport, after: RunReport) -> str:
    return "\n".join(disjoint_lines(compare(before, after)))


@pytest.mark.parametrize(
    ("reports", "which", "other"),
    [((of("x"), MERGED), "second", "first"), ((MERGED, of("x")), "first", "second")],
)
def test_a_plain_report_and_a_merged_one(
    reports: tuple[RunReport, RunReport], which: str, other: str
) -> None:
    assert told(*reports) == (
        "the reports have no contract in common, so each is told as gone or new: names of the"
        f" {which} end in a release of torch, as `compilecheck merge --mixed-torch` writes them,"
        f" those of the {other} do not; compare it with a report that was merged so too"
    )


def test_reports_of_other_tests() -> None:
    for names in (("y",), ("y", "z [torch 2.13.0] [cpu]")):
        assert told(of("x"), of(*names)).endswith(
            ": they are of other tests, or of one suite from"
            " another rootdir, or whose tests were renamed"
        )
    text = diff_text(compare(of("x"), of("y")))
    assert text.splitlines()[1].startswith("the reports have no contract in common")


def test_nothing_is_said_where_one_is_in_both_or_a_report_is_empty() -> None:
    assert told(of("x", "y"), of("y", "z")) == ""
    assert told(of("x"), of("x")) == ""
    assert told(of(), of("x")) == told(of("x"), of()) == told(of(), of()) == ""
