from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

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
        contract={"max_graph_breaks": {"<2.14": 2, ">=2.14": 0}, "max_recompiles": 1},
        verdict={"excused_sites": (1,), "excused_recompiles": (0,)},
    )
    unknown = record(id="tests/test_x.py::test_x", outcome="error", contract={})
    assert summary_table([good, bad, unknown], width=140) == (
        "contract                           outcome  breaks  recompiles  graphs  calls  hit rate"
        "  compiling  fallbacks\n"
        "--------                           -------  ------  ----------  ------  -----  --------"
        "  ---------  ---------\n"
        "tests/test_mlp.py::test_mlp        passed      0/0         0/-       2      2       50%"
        "     0.25 s  none\n"
        "tests/test_gpt.py::test_gpt[bf16]  failed    1/map        12/1       2      4       75%"
        "     0.25 s  disabled, recompile_limit\n"
        "tests/test_x.py::test_x            error       ?/-         ?/-       ?      ?         ?"
        "          ?  ?"
    )


def test_a_call_free_watch_has_no_hit_rate() -> None:
    row = summary_table([record(observed=observation(timeline=()))]).splitlines()[-1]
    assert row.split()[-4:] == ["?", "0.00", "s", "none"]


@given(length=st.integers(1, 200), width=st.integers(100, 200))
def test_long_ids_lose_their_left_end_so_that_the_table_fits(length: int, width: int) -> None:
    name = "".join(chr(ord("a") + n % 26) for n in range(length))
    table = summary_table([record(id=name, observed=observation())], width=width)
    shown = table.splitlines()[-1].split()[0]
    assert max(map(len, table.splitlines())) <= width
    assert shown == name or (shown.startswith("...") and name.endswith(shown[3:]))
    # No more is cut than has to be.
    assert shown == name or max(map(len, table.splitlines())) == width


def test_an_id_keeps_sixteen_columns_however_narrow_the_terminal_is() -> None:
    table = summary_table([record(id="x" * 50, observed=observation())], width=20)
    assert table.splitlines()[-1].startswith("..." + "x" * 13 + "  ")


def test_no_contract_leaves_the_headings() -> None:
    assert len(summary_table([]).splitlines()) == 2
