"""What must be said of a contract beside its row in the table, also when it passes."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_compilecheck.judge.counted import foreign_sites
from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.report.style import Meaning
from pytest_compilecheck.report.summary_line import headline
from pytest_compilecheck.report.wording import plural, sentence

_NO_BACKWARD = (
    "no graph was compiled for it; the backend 'eager' leaves it to autograd, name 'aot_eager' or"
    " 'inductor'"
)


def aside_lines(record: ContractRecord) -> Iterator[tuple[str, Meaning]]:
    """Lines with their meaning: broken but only warned of, stale, left out, leaked."""
    name = sentence(record.name)
    for note in record.contract.get("trace_notes", ()):
        yield f"trace of {name}: {sentence(note)}", "dim"
    if record.outcome == "warned":
        yield f"broken, only warned of: {name}: {headline(record)}", "bad"
    for rule in record.verdict.allowed if record.observed else ():
        if record.error is None and not (rule.matched or rule.partly):
            told = f"exception that matched nothing: {name}: {sentence(rule.rule)}"
            yield f"{told}; {sentence(rule.near_miss)}" if rule.nearly else told, "bad"
    left_out = foreign_sites(record)
    if left_out:
        breaks = plural(len(left_out), "graph break")
        yield f"not counted: {name}: {breaks} of other owners than the contract's", "dim"
    seen = record.observed
    if record.contract.get("backward") and seen and not (seen.backward_graphs or seen.doubts):
        yield f"backward of {name}: {_NO_BACKWARD}", "dim"
    for leak in record.leaks:
        yield f"setting leaked: {sentence(leak)}", "bad"
