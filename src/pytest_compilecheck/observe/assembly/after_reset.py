"""Code that is compiled once more after `torch._dynamo.reset()`: torch takes it for new."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from types import CodeType

from pytest_compilecheck.observe.recording.conversion import Conversion
from pytest_compilecheck.observe.source import resumed_line


def code_identity(code: CodeType) -> Hashable:
    """What is equal for the same code before and after a reset.

    torch makes the functions anew that follow a graph break, perhaps with other constants. Those
    that follow the two ways of one branch have one name, and jump to different places.
    """
    place = code.co_filename, code.co_firstlineno, code.co_name
    return (*place, code.co_code if resumed_line(code.co_name) is not None else code)


def mark_repeated_graphs(conversions: Sequence[Conversion]) -> None:
    """Make rebuilds of the graphs of code that had been compiled before a reset.

    Also of those that came to nothing: torch may find only then that a guard cannot hold.
    """
    first: dict[Hashable, int] = {}
    for each in conversions:
        if each.outcome.compiled:
            code = code_identity(each.code)
            first[code] = min(each.resets, first.get(code, each.resets))
    for each in conversions:
        if each.graphs and each.resets > first.get(code_identity(each.code), each.resets):
            for graph in each.graphs:
                graph.rebuild = True
