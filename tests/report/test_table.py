from __future__ import annotations

import dataclasses

from pytest_compilecheck.judge.told import told_site
from pytest_compilecheck.judge.verdict import Allowed
from pytest_compilecheck.report.table import summary_table
from report.values import (
    entry,
    fallback,
    observation,
    recompile,
    record,
    site,
    violation,
)


def test_all_contracts_in_one_table() -> None:
    good = record(observed=observation(), contract={"max_graph_breaks": 0, "max_recompiles": None})
    bad = record(
        violation("max_recompiles", 1, 12),
        id="tests/test_gpt.py::test_gpt[bf16]",
        observed=observation(
            break_sites=(site(), site(line=20)),
            recompiles=13,
            recompile_events=tuple(recompile(call=call) for call in range(1, 14)),
            fallbacks=(fallback(), fallback(kind="disabled"), fallback()),
            timeline=(entry(0, "compile"), entry(1), entry(2), entry(3)),
        ),
        contract={"max_graph_breaks": 2, "max_recompiles": 1},
        verdict={"excused_sites": (1,), "excused_recompiles": (0,)},
    )
    unknown = record(id="tests/test_x.py::test_x", outcome="error", contract={})
    lines = summary_table([good, bad, unknown]).splitlines()
    headings = "outcome breaks recompiles graphs calls hit rate compiling fallbacks contract"
    assert lines[0].split() == headings.split()
    assert [" ".join(line.split()) for line in lines[2:]] == [
        "passed 0/0 0/- 2 2 50% 0.25 s none tests/test_mlp.py::test_mlp",
        "failed 1/2 12/1 2 4 75% 0.25 s disabled, recompile_limit " + bad.id,
        "error ?/- ?/- ? ? ? ? ? tests/test_x.py::test_x",
    ]
    # Numbers end in one column, ids begin in one.
    assert len({line.index(" s ") for line in lines[2:4]}) == 1
    assert len({line.index("tests/") for line in lines[2:]}) == 1


def test_a_call_free_watch_has_no_hit_rate() -> None:
    row = summary_table([record(observed=observation(timeline=()))]).splitlines()[-1]
    assert row.split()[-5:-1] == ["?", "0.00", "s", "none"]


def test_an_id_is_never_cut() -> None:
    table = summary_table([record(id="x" * 200, observed=observation())])
    assert table.splitlines()[-1].endswith("  " + "x" * 200)


def test_no_contract_leaves_the_headings() -> None:
    assert len(summary_table([]).splitlines()) == 2


def test_what_the_baseline_holds_is_told() -> None:
    two = violation("max_graph_breaks", 0, 2)
    seen = observation(break_sites=(site(), site(line=20)))
    held = record(observed=seen, verdict={"known": (two,)})
    assert "2/0 (2 known)" in summary_table([held])
    partly = record(dataclasses.replace(two, known=1), observed=seen)
    assert "2/0 (1 known)" in summary_table([partly])


def test_what_exceptions_accept_is_told() -> None:
    two = violation("max_graph_breaks", 0, 2)
    rule = Allowed(rule="r", because="b", matched=(told_site(site(line=3)),))
    seen = observation(break_sites=(site(), site(line=3), site(line=4, owner="torch")))
    verdict = {"allowed": (rule,), "excused_sites": (1, 2)}
    passed = record(
        observed=observation(break_sites=seen.break_sites[1:]),
        verdict={"allowed": (rule,), "excused_sites": (0, 1)},
    )
    assert " 0/0 (1 accepted) " in summary_table([passed])  # the other is of an owner left out
    held = record(observed=seen, verdict={**verdict, "known": (two,)})
    assert " 1/0 (2 known, 1 accepted) " in summary_table([held])
