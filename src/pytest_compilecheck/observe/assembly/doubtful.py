"""Takes out of an observation what the process cannot know."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pytest_compilecheck.observe.values.doubt import Doubt, Figure
from pytest_compilecheck.observe.values.observation import CallKind, Observation, TimelineEntry


def with_doubts(seen: Observation, doubts: Sequence[Doubt]) -> Observation:
    """The observation with its doubtful figures unknown.

    Break sites and rebuilds stay: there are at least these. Fallbacks go, because what ran in a
    graph may look like one.
    """
    if not doubts:
        return seen
    unknown = {figure for doubt in doubts for figure in doubt.figures}
    fields: dict[str, Any] = {name: value for figure, name, value in _FIELDS if figure in unknown}
    return replace(
        seen,
        **fields,
        timeline=tuple(_entry(entry, unknown) for entry in seen.timeline),
        break_sites=tuple(
            replace(site, executions_per_warm_call=None) if "hit_rate" in unknown else site
            for site in seen.break_sites
        ),
        doubts=tuple(doubts),
    )


_FIELDS: tuple[tuple[Figure, str, object], ...] = (
    ("graphs", "graphs", None),
    ("captured_ops", "captured_ops", None),
    ("captured_ops", "smallest_graph_ops", None),
    ("recompiles", "recompiles", None),
    ("fallbacks", "fallbacks", ()),
    ("kernels", "kernels", None),
    ("fragile_guards", "fragile_guards", None),
)


def _entry(entry: TimelineEntry, unknown: set[Figure]) -> TimelineEntry:
    doubtful: set[CallKind] = set()
    if "hit_rate" in unknown:
        doubtful |= {"hit", "fallback"}
    if "recompiles" in unknown:  # a rebuild may look like a first compile
        doubtful |= {"compile"}
    return replace(
        entry,
        kind="unknown" if entry.kind in doubtful else entry.kind,
        graph_launches=None if "graph_launches" in unknown else entry.graph_launches,
        kernels=None if "kernels" in unknown else entry.kernels,
    )
