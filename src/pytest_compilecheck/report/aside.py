"""What must be said of a contract beside its row in the table, also when it passes."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_compilecheck.judge.counted import foreign_sites
from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.report.style import Meaning
from pytest_compilecheck.report.summary_line import headline
from pytest_compilecheck.report.wording import plural, sentence


def aside_lines(record: ContractRecord) -> Iterator[tuple[str, Meaning]]:
    """Lines with their meaning: broken but only warned of, allowed, stale, left out, leaked."""
    name = sentence(record.name)
    for note in record.contract.get("trace_notes", ()):
        yield f"trace of {name}: {sentence(note)}", "dim"
    if record.outcome == "warned":
        yield f"broken, only warned of: {name}: {headline(record)}", "bad"
    for rule in record.verdict.allowed if record.observed else ():
        if rule.matched:
            times = plural(len(rule.matched), "time")
            yield f"allowed {times}: {name}: {sentence(rule.rule)}", "dim"
        elif record.error is None and not rule.partly:
            told = f"exception that matched nothing: {name}: {sentence(rule.rule)}"
            yield f"{told}; {sentence(rule.near_miss)}" if rule.nearly else told, "bad"
    left_out = foreign_sites(record)
    if left_out:
        breaks = plural(len(left_out), "graph break")
        yield f"not counted: {name}: {breaks} of other owners than the contract's", "dim"
    for leak in record.leaks:
        yield f"setting leaked: {sentence(leak)}", "bad"
