from __future__ import annotations

from dataclasses import replace

from pytest_compilecheck.judge.comparison import compare
from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.report.diff import diff_text
from report.values import observation, record, run, site

BEFORE = run(
    record(id="a.py::mended", observed=observation(break_sites=(site(),)), outcome="failed"),
    record(id="a.py::broke", observed=observation()),
    record(id="a.py::reworded", observed=observation(break_sites=(site(),))),
    record(id="a.py::gone", observed=observation()),
    record(id="a.py::same", observed=observation()),
    record(id="a.py::more", observed=observation(break_sites=(site(),), captured_ops=41)),
)
AFTER = run(
    record(id="a.py::mended", observed=observation()),
    record(
        id="a.py::broke",
        observed=observation(graphs=3, break_sites=(site(line=1), site(line=2))),
        outcome="failed",
    ),
    record(id="a.py::reworded", observed=observation(break_sites=(site(gb_id="GB0999"),))),
    record(id="a.py::same", observed=observation()),
    record(id="a.py::new", observed=observation(), outcome="skipped"),
    record(
        id="a.py::more",
        observed=observation(break_sites=(site(), site(code="z()")), captured_ops=60),
    ),
    torch="2.15.0",
)


BREAK = "graph break GB0170 Data-dependent branching in inner, model/mlp.py"
SUMS = (
    "2 contracts worse, 1 better, 1 only in the first report, 1 only in the second report, "
    "1 the same; -v shows all that differ"
)


def test_the_worst_first_and_no_more_than_needed() -> None:
    assert diff_text(compare(BEFORE, AFTER)).splitlines() == [
        "torch 2.13.0 against 2.15.0: graph breaks: 1 gone, 3 new, 1 moved",
        "worse  a.py::broke: passed, now failed",
        f"    +2 {BREAK.replace('break', 'breaks', 1)}",
        "    graphs 2 -> 3",
        "worse  a.py::more: passed",
        f"    +1 {BREAK} (had 1)",
        "    captured operations 41 -> 60",
        "    more breaks, and more is captured: this torch traces further",
        SUMS,
    ]


def test_all_that_differs() -> None:
    lines = diff_text(compare(BEFORE, AFTER), verbose=True).splitlines()
    assert lines[8:-1] == [
        "       a.py::reworded: passed",
        f"    moved: 1 {BREAK}, now {BREAK.replace('0170', '0999')}",
        "better a.py::mended: failed, now passed",
        f"    -1 {BREAK}",
        "       a.py::gone: passed, only in the first report",
        "       a.py::new: skipped, only in the second report",
    ]
    assert lines[-1].endswith("1 the same")


def test_more_is_captured_under_one_torch() -> None:
    lines = diff_text(compare(BEFORE, replace(AFTER, torch=BEFORE.torch))).splitlines()
    assert "    more breaks, and more is captured" in lines


def test_nothing_differs() -> None:
    assert diff_text(compare(AFTER, AFTER)) == (
        "torch 2.15.0: the findings are the same\n0 contracts worse, 6 the same\n"
    )


def test_a_report_that_lacks_contracts() -> None:
    cut = run(record(id="a.py::same", observed=observation()), complete=False)
    told = diff_text(compare(BEFORE, cut)).splitlines()
    assert "the second report is not complete: contracts that it lacks may be there" in told


def test_names_cannot_steer_a_terminal() -> None:
    def evil(*sites: object) -> ContractRecord:
        return record(id="a.py::\x1b[2J", observed=observation(break_sites=sites))

    odd = site(file="a\r.py", function="f\x07", gb_id=None, reason="a\nb")
    text = diff_text(compare(run(evil()), run(evil(odd))))
    assert all(line.isprintable() for line in text.split("\n"))
