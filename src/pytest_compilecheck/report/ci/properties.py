"""The figures of one contract by name, for tools that keep numbers of tests (JUnit)."""

from __future__ import annotations

from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.report.parts.violations import by_importance, violation_text
from pytest_compilecheck.report.wording import number, printable


def properties(record: ContractRecord) -> list[tuple[str, str]]:
    """Names and values, always all of them in one order; what is not known is "?".

    Breaks, recompiles and fallbacks are those that count under the contract.
    """
    found = record.figures
    violations = "; ".join(map(violation_text, by_importance(record.verdict.violations)))
    values: dict[str, str] = {
        "outcome": record.outcome,
        "graph_breaks": number(found.graph_breaks),
        "recompiles": number(found.recompiles),
        "fallbacks": number(found.fallbacks),
        "graphs": number(found.graphs),
        "hit_rate": number(found.hit_rate),
        "compile_seconds": number(found.compile_seconds),
        "violations": printable(violations),
    }
    prefix = "compilecheck" if record.part is None else f"compilecheck.{printable(record.part)}"
    return [(f"{prefix}.{name}", value) for name, value in values.items()]
