"""Violated bounds in words: allowed and observed, the most important first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from pytest_compilecheck.judge.verdict import Violation
from pytest_compilecheck.report.wording import memory_text, number, sentence

Section = Literal["sites", "recompiles", "fallbacks", "fragile", "opaque", "kernels"]


@dataclass(frozen=True, slots=True)
class BoundWords:
    """How the figure of one bound is told, and which sections of a report are its evidence.

    `one` is for a figure of 1, `other` for the rest; both have "{}" where the figure goes. Where
    they are empty, the judge's sentence says it all. `unknown` says why there may be no figure,
    `shown` writes a figure.
    """

    one: str = ""
    other: str = ""
    evidence: tuple[Section, ...] = ()
    at_least: bool = False
    unknown: str = ""
    shown: Callable[[float | None], str] = number


# From what spoils everything to what is only a figure: the order in which bounds are told.
BOUNDS: Mapping[str, BoundWords] = {
    "error_calls": BoundWords("{} call failed to compile", "{} calls failed to compile"),
    "problems": BoundWords("{} thing not watched", "{} things not watched"),
    "nothing_compiled": BoundWords(
        "nothing was compiled", "nothing was compiled", ("sites", "fallbacks")
    ),
    "uncalled": BoundWords(),
    "match_eager": BoundWords(),
    "check_custom_ops": BoundWords(evidence=("opaque",)),
    "stale_baseline": BoundWords(),
    "max_graph_breaks": BoundWords(
        "{} graph break",
        "{} graph breaks",
        ("sites",),
        unknown="code that was compiled before breaks at several lines",
    ),
    "fallback": BoundWords("{} fallback", "{} fallbacks", ("fallbacks",)),
    "max_recompiles": BoundWords("{} recompile", "{} recompiles", ("recompiles",)),
    "max_recompiles_after_warmup": BoundWords(
        "{} recompile after warm-up",
        "{} recompiles after warm-up",
        ("recompiles",),
        unknown="no call came after the warm-up",
    ),
    "dynamic_dims": BoundWords(evidence=("recompiles",)),
    "max_opaque_ops": BoundWords(
        "{} call of an opaque operator",
        "{} calls of opaque operators",
        ("opaque", "kernels"),
        unknown="graphs that ran were compiled before, or their code cannot be read",
    ),
    "max_kernels": BoundWords(
        "{} kernel in a warm call",
        "{} kernels in a warm call",
        ("kernels", "sites"),
        unknown="no call was warm, or a graph that it ran is not Inductor's or cannot be read",
    ),
    "max_fragile_guards": BoundWords(
        "{} fragile guard",
        "{} fragile guards",
        ("fragile",),
        unknown="graphs that ran were compiled before, or what they assume cannot be read",
    ),
    "max_graph_launches_per_call": BoundWords(
        "{} graph launch in a warm call",
        "{} graph launches in a warm call",
        ("sites",),
        unknown="no call was warm",
    ),
    "max_graphs": BoundWords("{} graph", "{} graphs", ("sites", "recompiles")),
    "min_hit_rate": BoundWords(
        "hit rate {}",
        "hit rate {}",
        ("recompiles", "fallbacks"),
        at_least=True,
        unknown="no call was made",
    ),
    "min_captured_ops": BoundWords(
        "{} operation captured",
        "{} operations captured",
        ("sites",),
        at_least=True,
        unknown="graphs that ran were compiled before",
    ),
    "min_ops_per_graph": BoundWords(
        "{} operation in the smallest graph",
        "{} operations in the smallest graph",
        ("sites",),
        at_least=True,
        unknown="there is no graph, or some were compiled before",
    ),
    "preferred_policy": BoundWords(),
    "max_compile_seconds": BoundWords("{} s of compiling", "{} s of compiling", ("recompiles",)),
    "max_memory_growth": BoundWords(
        "the process grew by {}",
        "the process grew by {}",
        ("recompiles",),
        unknown="this system does not tell the memory of a process",
        shown=memory_text,
    ),
}

_ORDER: Mapping[str, int] = {bound: place for place, bound in enumerate(BOUNDS)}


def by_importance(violations: Iterable[Violation]) -> list[Violation]:
    """Violations with the most important first; bounds that have no words here come last."""
    return sorted(violations, key=lambda each: importance(each.bound))


def importance(bound: str) -> int:
    """The place of a bound in the order in which they are told, from 0."""
    return _ORDER.get(bound, len(_ORDER))


def evidence_for(violations: Iterable[Violation]) -> set[Section]:
    """The sections that a reader of these violations needs."""
    return {
        section
        for violation in violations
        if violation.bound in BOUNDS
        for section in BOUNDS[violation.bound].evidence
    }


def violation_text(violation: Violation) -> str:
    """One line, "1 graph break, 0 allowed"; the judge's own sentence where no figure tells it."""
    words = BOUNDS.get(violation.bound)
    if violation.bound == "nothing_compiled":
        told = sentence(violation.message)
        return (
            told
            if violation.why or told.startswith("nothing was compiled")
            else "nothing was compiled"
        )
    if words is None or not words.one or violation.allowed is None:
        return sentence(violation.message) or violation.bound
    limit = words.shown(violation.allowed)
    wanted = f"at least {limit} required" if words.at_least else f"{limit} allowed"
    figure = words.one if violation.observed == 1 else words.other
    unknown = (violation.why or words.unknown) if violation.observed is None else ""
    why = f": {sentence(unknown)}" if unknown else ""
    known = "" if violation.known is None else f", {words.shown(violation.known)} in the baseline"
    return f"{figure.format(words.shown(violation.observed))}, {wanted}{known}{why}"
