"""Holds what torch told against what it did: an event that is missing must not look like none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_compilecheck.observe.conversion import Conversion
from pytest_compilecheck.observe.source import author_name, resumed_line


def unrecorded_breaks(conversions: Sequence[Conversion]) -> Iterator[str]:
    """A sentence for each function that was resumed after a line of which no record speaks.

    Regions that were compiled before the watch broke before it, too.
    """
    told = {
        (frame.file, frame.line)
        for conversion in conversions
        for event in (*conversion.breaks, *conversion.unresumed)
        for frame in (*event.traced, *event.above)
    }
    missing = {
        (conversion.code.co_filename, line, author_name(conversion.code.co_name))
        for conversion in conversions
        if (line := resumed_line(conversion.code.co_name)) is not None
        and conversion.region is not None
        and not conversion.region.created_before
        and (conversion.code.co_filename, line) not in told
    }
    for file, line, function in sorted(missing):
        yield f"torch resumed {function} after {file}:{line}, but told of no graph break there"
