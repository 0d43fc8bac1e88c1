"""An observation without a contract: what `print(watch())` shows."""

from __future__ import annotations

from pytest_compilecheck.observe.values.observation import Observation
from pytest_compilecheck.report.parts.earlier import earlier_section
from pytest_compilecheck.report.parts.fallbacks import fallbacks_section
from pytest_compilecheck.report.parts.fragile import fragile_section
from pytest_compilecheck.report.parts.kernels import kernels_section
from pytest_compilecheck.report.parts.opaque import opaque_section
from pytest_compilecheck.report.parts.recompiles import attempts_section, recompiles_section
from pytest_compilecheck.report.parts.sites import sites_section
from pytest_compilecheck.report.parts.timeline import kinds_text, timeline_section
from pytest_compilecheck.report.parts.trouble import (
    doubts_section,
    errors_section,
    problems_section,
)
from pytest_compilecheck.report.style import Line, Span, line, separated
from pytest_compilecheck.report.wording import plural, seconds_text


def observation_lines(observation: Observation, *, root: str) -> list[Line]:
    """All that was seen, in the words of a contract's failure.

    `root` is the directory that relative paths start from; source is read from there.
    """
    return separated(
        [
            [line(Span(_summary(observation), "heading"))],
            errors_section(observation.timeline),
            problems_section(observation.problems),
            doubts_section(observation.doubts),
            earlier_section(observation),
            sites_section(observation.break_sites, root=root, verbose=False),
            recompiles_section(observation.recompile_events, observation.timeline, verbose=False),
            fallbacks_section(observation.fallbacks, observation),
            attempts_section(observation.recompile_attempts, observation.fallbacks),
            opaque_section(observation.opaque_ops),
            kernels_section(observation, verbose=False),
            fragile_section(observation.fragile_guards, verbose=False),
            timeline_section(observation.timeline, (), verbose=False),
        ]
    )


def _summary(observation: Observation) -> str:
    if not observation.timeline:
        return "No call of a compiled function was seen."
    kinds = kinds_text(entry.kind for entry in observation.timeline)
    figures = (
        f"{plural(len(observation.timeline), 'call')} ({kinds})",
        plural(observation.graphs, "graph"),
        plural(observation.captured_ops, "operation"),
        plural(observation.known_breaks, "graph break"),
        plural(observation.recompiles, "recompile"),
        plural(observation.known_fallbacks, "fallback"),
        f"{seconds_text(observation.compile_seconds)} of compiling",
    )
    return ", ".join(figures)
