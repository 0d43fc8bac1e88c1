"""The figures of one contract by name, for tools that keep numbers of tests (JUnit)."""

from __future__ import annotations

from pytest_compilecheck.judge.counted import (
    counted_fallbacks,
    counted_recompiles,
    counted_sites,
)
from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.observe.recompile import count_recompiles
from pytest_compilecheck.report.violations import by_importance, violation_text
from pytest_compilecheck.report.wording import number, printable


def figures(record: ContractRecord) -> list[tuple[str, str]]:
    """Names and values, always all of them in one order; what is not known is "?".

    Breaks, recompiles and fallbacks are those that count under the contract.
    """
    seen = record.observed
    recompiles = None if seen is None else count_recompiles(counted_recompiles(record))
    violations = "; ".join(map(violation_text, by_importance(record.verdict.violations)))
    values: dict[str, str] = {
        "outcome": record.outcome,
        "graph_breaks": number(None if seen is None else len(counted_sites(record))),
        "recompiles": number(recompiles),
        "fallbacks": number(None if seen is None else len(counted_fallbacks(record))),
        "graphs": number(None if seen is None else seen.graphs),
        "hit_rate": number(None if seen is None else seen.hit_rate),
        "compile_seconds": number(None if seen is None else seen.compile_seconds),
        "violations": printable(violations),
    }
    prefix = "compilecheck" if record.part is None else f"compilecheck.{printable(record.part)}"
    return [(f"{prefix}.{name}", value) for name, value in values.items()]
