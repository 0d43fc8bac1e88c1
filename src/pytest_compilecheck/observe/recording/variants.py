"""Graphs that a backend compiles once more while they run: there is no frame that torch converts.

torch has one compiled for sizes that are special to it (`mark_dynamic(specialize_on=...)`) when it
first runs with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import CodeType

from pytest_compilecheck.observe.events import FrameFacts, Reason
from pytest_compilecheck.observe.values.recompile import Change


class _NoGuards:
    """What there is to explain where no frame is at hand (`events.FrameGuards`)."""

    def name(self, source: str) -> str:
        return source

    def explain(self, reasons: Sequence[Reason]) -> None:
        pass

    def changes(self) -> tuple[Change, ...]:
        return ()


def variant_facts(code: CodeType, number: int) -> FrameFacts:
    """What is known of the compile of a variant: the code and the number of the graph that runs."""
    return FrameFacts(
        code=code,
        has_entries=False,
        is_first=lambda: False,
        sizes=dict,
        reaches_tensor=lambda: False,
        guards=_NoGuards(),
        variant_of=number,
    )
