from __future__ import annotations

from report.values import (
    entry,
    fallback,
    observation,
    recompile,
    record,
    site,
    violation,
)

from pytest_compilecheck.report.ci.properties import properties


def test_all_figures_in_one_order() -> None:
    seen = observation(
        break_sites=(site(), site(line=2)),
        recompile_events=(recompile(), recompile(call=2)),
        fallbacks=(fallback(), fallback(kind="disabled")),
        timeline=(entry(0, "compile"), entry(1), entry(2)),
    )
    broken = record(
        violation("fallback", 0, 1),
        violation("max_graph_breaks", 0, 1),
        observed=seen,
        verdict={"excused_sites": (0,), "excused_recompiles": (0,), "excused_fallbacks": (1,)},
    )
    assert properties(broken) == [
        ("compilecheck.outcome", "failed"),
        ("compilecheck.graph_breaks", "1"),
        ("compilecheck.recompiles", "1"),
        ("compilecheck.fallbacks", "1"),
        ("compilecheck.graphs", "2"),
        ("compilecheck.hit_rate", "0.6667"),
        ("compilecheck.compile_seconds", "0.25"),
        ("compilecheck.violations", "1 graph break, 0 allowed; 1 fallback, 0 allowed"),
    ]


def test_what_was_not_observed_is_not_known() -> None:
    told = dict(properties(record(outcome="skipped")))
    assert told.pop("compilecheck.outcome") == "skipped"
    assert told.pop("compilecheck.violations") == ""
    assert set(told.values()) == {"?"}
    assert len(told) == 6


def test_a_watched_block_has_names_of_its_own() -> None:
    names = [name for name, _ in properties(record(part="prefill"))]
    assert names[0] == "compilecheck.prefill.outcome"
