"""All contracts of a run in one table."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.observe.observation import count_recompiles
from pytest_compilecheck.report.counted import counted_recompiles, counted_sites
from pytest_compilecheck.report.grid import Column, grid
from pytest_compilecheck.report.wording import number, printable

_COLUMNS = (
    Column("contract", "left"),
    Column("outcome", "left"),
    Column("breaks"),
    Column("recompiles"),
    Column("graphs"),
    Column("calls"),
    Column("hit rate"),
    Column("compiling"),
    Column("fallbacks", "left"),
)
_SHORTEST_ID = 16
_CUT = "..."


def summary_table(records: Sequence[ContractRecord], *, width: int = 120) -> str:
    """One row for each contract; breaks and recompiles as "observed/allowed".

    Unknown figures are "?", a bound that is not set is "-" and one that depends on the version
    of torch is "map". Ids are shortened from the left so
    that the table fits `width` columns, but never below 16.
    """
    figures = [_figures(record) for record in records]
    without_ids = grid(_COLUMNS, [("", *row) for row in figures])
    taken = max(map(len, without_ids)) - len(_COLUMNS[0].heading)
    room = max(_SHORTEST_ID, width - taken)
    ids = [_shortened(printable(record.id), room) for record in records]
    return "\n".join(grid(_COLUMNS, [(name, *row) for name, row in zip(ids, figures, strict=True)]))


def _shortened(text: str, room: int) -> str:
    return text if len(text) <= room else _CUT + text[len(text) - room + len(_CUT) :]


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
    if isinstance(allowed, dict):
        # A map from versions of torch: which of its numbers holds is for the judge to say.
        return f"{number(observed)}/map"
    return f"{number(observed)}/{'-' if allowed is None else number(allowed)}"
