"""Holds what torch told against what it did: an event that is missing must not look like none."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Hashable, Iterator, Mapping, Sequence
from types import CodeType

from pytest_compilecheck.observe.assembly.after_reset import code_identity
from pytest_compilecheck.observe.recording.conversion import Conversion
from pytest_compilecheck.observe.source import author_name, resumed_line


def compiled_after_reset(
    conversions: Sequence[Conversion], inputs: Mapping[int, object]
) -> Iterator[str]:
    """A sentence for each function of which a reset hides whether it would have been recompiled.

    torch takes it for a first compile, whatever else had changed; for inputs for which it was
    compiled before the reset, it is one. `inputs` tells by call what compares equal for the same
    sizes; what else is the same the graphs tell, which assume it.
    """
    before: defaultdict[Hashable, dict[object, int]] = defaultdict(dict)
    again: dict[tuple[str, int, str], None] = {}
    for conversion in conversions:
        if not conversion.outcome.compiled:
            continue
        code, graph = conversion.code, conversion.outcome.graph
        sizes = None if conversion.call is None else inputs.get(conversion.call)
        given = (sizes, graph.digest if graph is not None else None)
        known = before[code_identity(code)]
        is_first = all(resets == conversion.resets for resets in known.values())
        if not (is_first or conversion.had_entries or given in known):
            again[code.co_filename, code.co_firstlineno, author_name(code.co_name)] = None
        known.setdefault(given, conversion.resets)
    for file, line, function in again:
        yield (
            f"torch._dynamo.reset() threw away the graphs of {function} ({file}:{line}) before it "
            "was compiled for other inputs: whether that was a recompile, and what is warm, is "
            "unknown; reset in a fixture"
        )


def unrecorded_breaks(conversions: Sequence[Conversion]) -> Iterator[str]:
    """A sentence for each function that was resumed after a line of which no record speaks.

    Code that was compiled before the watch broke before it, too.
    """
    missing = {
        (code.co_filename, resumed_line(code.co_name), author_name(code.co_name))
        for code in untold_resumes(conversions, told_lines(conversions), of_earlier_code=False)
    }
    for file, line, function in sorted(missing):
        yield f"torch resumed {function} after {file}:{line}, but told of no graph break there"


def untold_resumes(
    conversions: Sequence[Conversion], told: Container[tuple[str, int]], *, of_earlier_code: bool
) -> list[CodeType]:
    """Resume functions behind a line of which no record speaks (`told_lines`), met in calls.

    Those of earlier code are known from before the watch, or their region is.
    """
    found: dict[int, CodeType] = {}
    known: dict[int, bool] = {}
    for conversion in conversions:
        code, region = conversion.code, conversion.region
        if region is None or (line := resumed_line(code.co_name)) is None:
            continue
        earlier = known.setdefault(id(code), conversion.had_entries or region.created_before)
        if earlier == of_earlier_code and (code.co_filename, line) not in told:
            found[id(code)] = code
    return list(found.values())


def told_lines(conversions: Sequence[Conversion]) -> set[tuple[str, int]]:
    """File and line of each place on the way to a break that torch told of."""
    return {
        (frame.file, frame.line)
        for conversion in conversions
        for event in (*conversion.breaks, *conversion.unresumed)
        for frame in (*event.traced, *event.above)
    }
