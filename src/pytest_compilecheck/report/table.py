"""All contracts of a run in one table."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_compilecheck.judge.counted import counted_recompiles, counted_sites
from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.observe.recompile import count_recompiles
from pytest_compilecheck.report.grid import Column, grid
from pytest_compilecheck.report.wording import number, printable

_COLUMNS = (
    Column("outcome", "left"),
    Column("breaks"),
    Column("recompiles"),
    Column("graphs"),
    Column("calls"),
    Column("hit rate"),
    Column("compiling"),
    Column("fallbacks", "left"),
    Column("contract", "left"),
)


def summary_table(records: Sequence[ContractRecord]) -> str:
    """One row for each contract; breaks and recompiles as "observed/allowed".

    Unknown figures are "?", a bound that is not set is "-". The id comes last and whole: it is what
    a person copies.
    """
    rows = [(*_figures(record), printable(record.name)) for record in records]
    return "\n".join(grid(_COLUMNS, rows))


def _figures(record: ContractRecord) -> tuple[str, ...]:
    observed = record.observed
    if observed is None:
        return (
            record.outcome,
            _against(None, record, "max_graph_breaks"),
            _against(None, record, "max_recompiles"),
            *("?" * 5),
        )
    rate = observed.hit_rate
    return (
        record.outcome,
        _against(len(counted_sites(record)), record, "max_graph_breaks"),
        _against(count_recompiles(counted_recompiles(record)), record, "max_recompiles"),
        str(observed.graphs),
        str(len(observed.timeline)),
        "?" if rate is None else f"{rate:.0%}",
        f"{observed.compile_seconds:.2f} s",
        ", ".join(sorted({fallback.kind for fallback in observed.fallbacks})) or "none",
    )


def _against(observed: float | None, record: ContractRecord, bound: str) -> str:
    allowed = record.contract.get(bound)
    return f"{number(observed)}/{'-' if allowed is None else number(allowed)}"
