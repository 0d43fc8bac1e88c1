"""Sizes of the named dims from a file of real requests: `dims=trace_file("lengths.csv")`."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from pytest_compilecheck.contract.faults import Report
from pytest_compilecheck.contract.parsers import whole_number
from pytest_compilecheck.contract.plain import shown


@dataclass(frozen=True, slots=True)
class TraceFile:
    """A file of sizes; it is read when the contract is.

    At most `max_steps` steps are made of it. `faults` says what is wrong with the arguments that
    it was made from: a contract that uses it is refused.
    """

    path: str
    max_steps: int
    faults: tuple[str, ...] = field(default=(), repr=False)


def trace_file(path: str | os.PathLike[str], *, max_steps: int = 64) -> TraceFile:
    """Take the sizes of all dims, and how often each combination occurs, from a file.

    Args:
        path: a relative one starts in the folder of the file that has the contract. What ends in
            .jsonl or .ndjson holds JSON lines, one object a row; any other file is CSV, whose first
            line names the columns. Both are UTF-8; `#` begins a comment.
        max_steps: distinct rows that become steps. Of more the largest and then the most frequent
            are kept, and each of the others is counted with a larger one; the trace's notes say
            how many.

    The columns are dim names. A column `count` says for how many requests a row stands: it weights
    the step. Equal rows are one step, whose weight is the sum of their counts.

    Never raises: what is wrong is reported with the contract's other faults when it is read.
    """
    faults: list[str] = []
    name = _path(path, faults.append)
    whole_number(max_steps, lambda text: faults.append(f"max_steps: {text}"), low=1)
    return TraceFile(name, max_steps, tuple(faults))


def _path(path: object, report: Report) -> str:
    name = os.fspath(path) if isinstance(path, os.PathLike) else path
    if isinstance(name, str) and name and "\0" not in name:
        return name
    report(f"trace_file takes the path of a file, got {shown(path)}")
    return ""
