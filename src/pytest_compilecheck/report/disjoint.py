"""What is said of two reports that have no contract in common."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from pytest_compilecheck.judge.comparison import ReportDiff

_RELEASE: Final = re.compile(r" \[torch [^\[\]]+\]$")  # as under_torch writes it
_NOTHING: Final = "the reports have no contract in common, so each is told as gone or new: "
_OTHERS: Final = (
    "they are of other tests, or of one suite from another rootdir, or whose tests were renamed"
)


def disjoint_lines(diff: ReportDiff) -> Iterator[str]:
    """A line that says so, and why that may be; none where one report is empty."""
    first = [each.contract for each in diff.contracts if each.after is None]
    second = [each.contract for each in diff.contracts if each.before is None]
    if diff.in_common or not (first and second):
        return
    merged = [_merged(each) for each in (first, second)]
    if merged[0] == merged[1]:
        yield _NOTHING + _OTHERS
        return
    which, other = ("first", "second") if merged[0] else ("second", "first")
    yield (
        f"{_NOTHING}names of the {which} end in a release of torch, as `compilecheck merge"
        f" --mixed-torch` writes them, those of the {other} do not; compare it with a report that"
        " was merged so too"
    )


def _merged(names: Sequence[str]) -> bool:
    return all(map(_RELEASE.search, names))
