"""Calls that raised, and what could not be watched."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_compilecheck.observe.values.doubt import FIGURES, Doubt
from pytest_compilecheck.observe.values.observation import TimelineEntry
from pytest_compilecheck.report.ranges import calls_text
from pytest_compilecheck.report.style import Line, Span, line
from pytest_compilecheck.report.wording import sentence


def errors_section(timeline: Iterable[TimelineEntry]) -> list[Line]:
    """The calls that raised and what; equal errors on one line."""
    calls: dict[str, list[int]] = {}
    for entry in timeline:
        if entry.error:
            calls.setdefault(sentence(entry.error), []).append(entry.call)
    return [
        line(Span(f"{calls_text(in_calls)} raised ", "bad"), error)
        for error, in_calls in calls.items()
    ]


def doubts_section(doubts: Iterable[Doubt]) -> list[Line]:
    """What torch does not tell in this process, each doubt with its figures; equal ones once."""
    heading = line(
        Span("Some figures are unknown under this torch, and bounds on them fail:", "bad")
    )
    lines = [
        line(f"  {figures_text(doubt)}: unknown, because {sentence(doubt.why)}")
        for doubt in dict.fromkeys(doubts)
    ]
    return [heading, *lines] if lines else []


def figures_text(doubt: Doubt) -> str:
    """The figures that a doubt is about: "graph breaks, hit rate"."""
    if set(doubt.figures) == set(FIGURES):
        return "all figures"
    return ", ".join(figure.replace("_", " ") for figure in doubt.figures)


def problems_section(problems: Iterable[str]) -> list[Line]:
    """What the watcher could not see, each as a sentence of its own."""
    lines = [line(f"  {sentence(problem)}") for problem in problems]
    heading = line(Span("Not everything could be watched, so no figure is certain:", "bad"))
    return [heading, *lines] if lines else []
