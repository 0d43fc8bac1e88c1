"""Says of a run that it is not complete: which contracts did not run, and which workers died."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from pytest_compilecheck.judge.run_report import RunReport
from pytest_compilecheck.report.wording import plural, printable

_NAMED = 5
_MAY_BE_MISSING = (
    "incomplete: the run was stopped or tests could not be collected, so contracts may be missing"
)


def incomplete_report_text(report: RunReport, *, verbose: bool = False) -> str:
    """One line on a report that is not complete, long after its run; `verbose` names all."""
    if not report.missing:
        return _MAY_BE_MISSING
    noun = "contract" if report.audit is None else "test"
    rest = "the JSON report names all"
    return incomplete_text(report.missing, {}, noun=noun, verbose=verbose, rest=rest)


def incomplete_text(
    missing: Collection[str],
    crashes: Mapping[str, str],
    *,
    noun: str = "contract",
    certain: bool = True,
    collected: bool = True,
    verbose: bool = False,
    rest: str = "-v names all",
) -> str:
    """One line at the end of a run.

    Args:
        missing: ids of what did not run to its end.
        crashes: the test that a worker died in, "" for none, by the name of the worker.
        noun: what is missing.
        certain: whether it is known that what is missing holds contracts.
        collected: whether all tests could be collected.
        verbose: name all that is missing, not only the first.
        rest: where the others are named.
    """
    if missing:
        what = plural(len(missing), noun if certain else "test")
        told = f"{what} did not run to the end: {_names(missing, '' if verbose else rest)}"
        if not certain:
            told += "; no worker was left to say which of them hold contracts"
    elif not collected:
        told = "tests that could not be collected may hold contracts"
    else:
        told = "the run was stopped"
    died = ", ".join(_crash(worker, test) for worker, test in sorted(crashes.items()))
    return f"incomplete: {told} ({died})" if died else f"incomplete: {told}"


def _names(ids: Collection[str], rest: str) -> str:
    """The first ids and where the rest is named; all where that is nowhere."""
    shown = sorted(ids)[: _NAMED if rest else None]
    more = len(ids) - len(shown)
    told = ", ".join(map(printable, shown))
    return f"{told} and {more} more ({rest})" if more else told


def _crash(worker: str, test: str) -> str:
    return f"worker {worker} crashed in {printable(test)}" if test else f"worker {worker} crashed"
