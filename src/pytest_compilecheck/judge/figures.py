"""The figures of one contract, as the summary of a run shows them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_compilecheck.judge.counted import (
    breaks_counted,
    fallbacks_counted,
    recompiles_counted,
)
from pytest_compilecheck.judge.verdict import Number

if TYPE_CHECKING:
    from pytest_compilecheck.judge.record import ContractRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What counts under the contract, and what was seen; None where it is not known.

    `graph_breaks` are sites, `recompiles` and `fallbacks` what no exception and no choice of owners
    excuses. `hit_rate` is the share of calls that are hits, where each call of a step, one that
    compiled too, counts as often as the trace's count of the step. `compile_seconds` are those of
    all calls and of the backward.
    """

    graph_breaks: int | None = None
    recompiles: int | None = None
    fallbacks: int | None = None
    calls: int | None = None
    graphs: int | None = None
    captured_ops: int | None = None
    graph_launches_per_call: Number | None = None
    hit_rate: float | None = None
    compile_seconds: float | None = None


def figures(record: ContractRecord) -> Figures:
    """The figures of a record; none is known where nothing ran."""
    seen = record.observed
    if seen is None:
        return Figures()
    return Figures(
        graph_breaks=breaks_counted(record),
        recompiles=recompiles_counted(record),
        fallbacks=fallbacks_counted(record),
        calls=None if seen.why_unknown("calls") else len(seen.timeline),
        graphs=seen.graphs,
        captured_ops=seen.captured_ops,
        graph_launches_per_call=seen.launches_per_warm_call,
        hit_rate=seen.hit_rate,
        compile_seconds=seen.compile_seconds,
    )
