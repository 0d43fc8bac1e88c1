"""All contracts of a run in one table."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_compilecheck.judge.accepted import excused
from pytest_compilecheck.judge.counted import breaks_counted, counted_fallbacks, recompiles_counted
from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.observe.values.observation import Observation
from pytest_compilecheck.report.grid import Column, grid
from pytest_compilecheck.report.top import CONTRACTS, most, shown_first
from pytest_compilecheck.report.wording import number, printable, seconds_text

COLUMNS = (
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


def summary_table(records: Sequence[ContractRecord], top: int | None = None) -> str:
    """One row for each contract; breaks and recompiles as "observed/allowed (beside them)".

    Beside what counts stands how much the baseline knows, and what exceptions accept.

    Unknown figures are "?", a bound that is not set is "-". The id comes last and whole: it is what
    a person copies. Of more than `top` rows (0 for all, None for the usual number) the broken ones
    are shown, and a last line tells of the others.
    """
    shown, rest = shown_first(records, most(top, CONTRACTS))
    rows = [(*figures_of(record), printable(record.name)) for record in shown]
    return "\n".join([*grid(COLUMNS, rows), *([rest] if rest else [])])


def breaks_text(record: ContractRecord) -> str:
    """Break sites that count, against their bound: "1/0"; with others "0/0 (1 accepted)"."""
    beside = len(excused(record).sites)
    return _against(breaks_counted(record), record, "max_graph_breaks", beside)


def recompiles_text(record: ContractRecord) -> str:
    """Recompiles that count, against their bound: "1/0"."""
    beside = excused(record).recompiles
    return _against(recompiles_counted(record), record, "max_recompiles", beside)


def fallbacks_text(record: ContractRecord) -> str:
    """Fallbacks that count; none may be, unless the contract allows its kind."""
    counted = "?" if record.observed is None else str(len(counted_fallbacks(record)))
    return f"{counted}/0{beside_text(accepted_words(len(excused(record).fallbacks)))}"


def figures_of(record: ContractRecord) -> tuple[str, ...]:
    """The cells of a contract under `COLUMNS`, but for its name."""
    observed = record.observed
    if observed is None:
        return (
            record.outcome,
            breaks_text(record),
            recompiles_text(record),
            *("?" * 5),
        )
    rate = observed.hit_rate
    return (
        record.outcome,
        breaks_text(record),
        recompiles_text(record),
        number(observed.graphs),
        str(len(observed.timeline)),
        "?" if rate is None else f"{rate:.0%}",
        seconds_text(observed.compile_seconds),
        _fallbacks(observed),
    )


def _fallbacks(observed: Observation) -> str:
    if observed.why_unknown("fallbacks"):
        return "?"
    return ", ".join(sorted({fallback.kind for fallback in observed.fallbacks})) or "none"


def _against(observed: float | None, record: ContractRecord, bound: str, accepted: int) -> str:
    allowed = record.contract.get(bound)
    known = _known(record, bound)
    beside = [] if known is None else [f"{number(known)} known"]
    told = f"{number(observed)}/{'-' if allowed is None else number(allowed)}"
    return f"{told}{beside_text([*beside, *accepted_words(accepted)])}"


def accepted_words(count: int) -> list[str]:
    """How much exceptions accept, if anything."""
    return [f"{count} accepted"] if count else []


def beside_text(words: Sequence[str]) -> str:
    """What stands beside a figure, in brackets."""
    return f" ({', '.join(words)})" if words else ""


def _known(record: ContractRecord, bound: str) -> float | None:
    """How much of a figure the baseline knows; None where it is not needed."""
    held = [each.observed for each in record.verdict.known if each.bound == bound]
    held += [each.known for each in record.verdict.violations if each.bound == bound]
    return held[0] if held else None
