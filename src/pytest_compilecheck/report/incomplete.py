"""Says of a run that it is not complete: which contracts did not run, and which workers died."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from pytest_compilecheck.report.wording import plural, printable

_NAMED = 5


def incomplete_text(
    missing: Collection[str],
    crashes: Mapping[str, str],
    *,
    noun: str = "contract",
    certain: bool = True,
    collected: bool = True,
    verbose: bool = False,
) -> str:
    """One line.

    Args:
        missing: ids of what did not run to its end.
        crashes: the test that a worker died in, "" for none, by the name of the worker.
        noun: what is missing.
        certain: whether it is known that what is missing holds contracts.
        collected: whether all tests could be collected.
        verbose: name all that is missing, not only the first.
    """
    if missing:
        what = plural(len(missing), noun if certain else "test")
        told = f"{what} did not run to the end: {_names(missing, verbose=verbose)}"
        if not certain:
            told += "; no worker was left to say which of them hold contracts"
    elif not collected:
        told = "tests that could not be collected may hold contracts"
    else:
        told = "the run was stopped"
    died = ", ".join(_crash(worker, test) for worker, test in sorted(crashes.items()))
    return f"incomplete: {told} ({died})" if died else f"incomplete: {told}"


def _names(ids: Collection[str], *, verbose: bool) -> str:
    shown = sorted(ids)[: None if verbose else _NAMED]
    more = len(ids) - len(shown)
    told = ", ".join(map(printable, shown))
    return f"{told} and {more} more (-v names all)" if more else told


def _crash(worker: str, test: str) -> str:
    return f"worker {worker} crashed in {printable(test)}" if test else f"worker {worker} crashed"
