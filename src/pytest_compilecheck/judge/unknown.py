"""Bounds on figures that the whole process cannot know: they fail, and say why."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from pytest_compilecheck.judge.verdict import Violation
from pytest_compilecheck.observe.values.doubt import Figure
from pytest_compilecheck.observe.values.observation import Observation

_FIGURES: Final[Mapping[str, Figure]] = MappingProxyType(
    {
        "max_graph_breaks": "graph_breaks",
        "fallback": "fallbacks",
        "max_recompiles": "recompiles",
        "max_recompiles_after_warmup": "recompiles",
        "max_graphs": "graphs",
        "max_graph_launches_per_call": "graph_launches",
        "min_hit_rate": "hit_rate",
        "min_captured_ops": "captured_ops",
        "min_ops_per_graph": "captured_ops",
        "max_compile_seconds": "compile_seconds",
        "check_custom_ops": "opaque_ops",
        "max_kernels": "kernels",
        "max_opaque_ops": "opaque_ops",
        "dynamic_dims": "dynamic_dims",
        "max_fragile_guards": "fragile_guards",
    }
)
"""The figure that each bound of a contract is on; the others rest on nothing that torch tells."""


def why_unknown(bound: str, seen: Observation) -> str:
    """Why the figure of a bound is unknown in the whole process, "" where nothing makes it so."""
    figure = _FIGURES.get(bound)
    return "" if figure is None else seen.why_unknown(figure)


def why_any_unknown(seen: Observation) -> str:
    """Why a figure that may be made of all others is unknown, "" where nothing makes it so."""
    return "; ".join(doubt.why for doubt in seen.doubts)


def unknown(bound: str, what: str, why: str) -> Violation:
    """The violation of what may not be at all, where it is not known whether it is."""
    message = f"{what}: unknown, because {why}"
    return Violation(bound=bound, allowed=0, observed=None, message=message, why=why)
