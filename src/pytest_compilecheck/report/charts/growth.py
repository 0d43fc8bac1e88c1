"""What grows over the calls of a trace, policy by policy: compiled versions and memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Final

from pytest_compilecheck.policies.measured import Comparison, PolicyRun, ReplayCall
from pytest_compilecheck.report.charts.chart import (
    LINES_OF_POLICIES,
    Chart,
    Row,
    Spec,
    shortened,
)
from pytest_compilecheck.report.policies.mechanisms import mechanism_text
from pytest_compilecheck.report.wording import memory_text, printable

_MB = 1e6
_X: Final[Spec] = {
    "field": "call",
    "type": "quantitative",
    "axis": {"tickMinStep": 1, "format": "d", "title": "call", "grid": False},
    "scale": {"nice": False, "zero": False, "padding": 14},
}


def _spec(title: str, *, zero: bool) -> Spec:
    y = {
        "field": "value",
        "type": "quantitative",
        "axis": {"title": title, "tickMinStep": 1 if zero else 0.1, "tickCount": 6},
        "scale": {"domainMin": 0} if zero else {"zero": False, "padding": 16},
    }
    tooltip = [{"field": field, "type": "nominal"} for field in ("policy", "call", "value")]
    return {
        "height": 220,
        "layer": [
            {
                "data": {"name": "calls"},
                "mark": {"type": "line", "interpolate": "step-after"},
                "encoding": {"x": _X, "y": y, **LINES_OF_POLICIES},
            },
            {
                "data": {"name": "steps"},
                "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
                "encoding": {
                    "x": _X,
                    "y": y,
                    **LINES_OF_POLICIES,  # the same as of the lines: one legend
                    "tooltip": [*tooltip, {"field": "why", "type": "nominal"}],
                },
            },
            {
                "data": {"name": "steps"},
                "mark": {"type": "text", "align": "left", "dx": 6, "dy": -8},
                "encoding": {"x": _X, "y": y, "text": {"field": "label", "type": "nominal"}},
            },
        ],
    }


VARIANTS: Final = _spec("calls that compiled, so far", zero=True)
MEMORY: Final = _spec("MB", zero=False)


def variants(compared: Comparison) -> Chart | None:
    """How many calls had compiled up to each call, under each policy."""
    runs = [run for run in compared.runs if run.calls]
    if not runs:
        return None
    told = "; ".join(f"{printable(run.policy)}: {run.variants}" for run in runs)
    return Chart(
        kind="variants",
        title="Compilations over the trace",
        alt=f"Compiled versions at the end, by policy: {told}.",
        rows={"calls": [row for run in runs for row in _compiled(run)], "steps": []},
    )


def memory(compared: Comparison) -> Chart | None:
    """Memory of the process after each call, with the steps that stayed."""
    return _memory(compared, "process", lambda call: call.memory)


def device_memory(compared: Comparison) -> Chart | None:
    """Memory of the device after each call; None where there is no device."""
    return _memory(compared, "device", lambda call: call.device_memory)


def _compiled(run: PolicyRun) -> Iterator[Row]:
    compiled = accumulate(int(call.kind in ("compile", "recompile")) for call in run.calls)
    for call, so_far in zip(run.calls, compiled, strict=True):
        yield {"call": call.call, "value": so_far, "policy": printable(run.policy)}


def _memory(
    compared: Comparison, whose: str, held: Callable[[ReplayCall], int | None]
) -> Chart | None:
    known = {
        run.policy: [(call.call, size) for call in run.calls if (size := held(call)) is not None]
        for run in compared.runs
    }
    if not any(known.values()):
        return None
    rows: list[Row] = [
        {"call": call, "value": size / _MB, "policy": printable(policy)}
        for policy, points in known.items()
        for call, size in points
    ]
    told = "; ".join(
        f"{printable(policy)}: {memory_text(points[0][1])} after the first call,"
        f" {memory_text(points[-1][1])} at the end"
        for policy, points in known.items()
        if points
    )
    return Chart(
        kind="memory",
        title=f"Memory of the {whose} after each call",
        alt=f"{told}.",
        rows={"calls": rows, "steps": _steps(compared.runs, known) if whose == "process" else []},
    )


def _steps(runs: Sequence[PolicyRun], known: dict[str, list[tuple[int, int]]]) -> list[Row]:
    """The steps that stayed; the largest of each policy carries its label, if no larger one does.

    Labels of one call would lie upon each other.
    """
    rows: list[Row] = []
    labelled: dict[int, int] = {}
    for run in runs:
        step = max(run.memory_steps, key=lambda step: step.bytes, default=None)
        if step is not None:
            labelled[step.call] = max(step.bytes, labelled.get(step.call, 0))
    for run in runs:
        sizes = dict(known[run.policy])
        for step in run.memory_steps:
            if step.call in sizes:
                why = mechanism_text(step.mechanism, step.detail)
                size = memory_text(step.bytes)
                label = f"+{size} {why}" if labelled.get(step.call) == step.bytes else ""
                rows.append(
                    {
                        "call": step.call,
                        "value": sizes[step.call] / _MB,
                        "policy": printable(run.policy),
                        "why": f"{why}, {size}",
                        "label": shortened(label, 36),
                    }
                )
    return rows
