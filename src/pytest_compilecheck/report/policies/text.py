"""The comparison of a contract's shape policies, in the terminal and in Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.policies.measured import (
    Comparison,
    MemoryStep,
    PolicyRun,
    ReplayCall,
    Warm,
)
from pytest_compilecheck.report.grid import Column, Columns, column_grid
from pytest_compilecheck.report.policies.mechanisms import mechanism_text
from pytest_compilecheck.report.policies.table import policy_columns
from pytest_compilecheck.report.policies.verdict import choice_text, left_out_text, ranges_text
from pytest_compilecheck.report.style import Line, Span, line, separated
from pytest_compilecheck.report.wording import (
    duration_text,
    memory_text,
    plural,
    printable,
    sizes_text,
)

_SHOWN: Final = 6


def policies_lines(record: ContractRecord, *, verbose: bool) -> list[Line]:
    """What the policies of a contract cost, and which one costs the least.

    Where nothing was measured there are no lines; with `verbose` one says that a bound on it was
    not judged.
    """
    name = printable(record.name)
    compared = record.policies
    preferred = record.contract.get("preferred_policy")
    if compared is None:
        told = f"preferred_policy of {name} was not judged: --compilecheck-policies measures it"
        return [line(Span(told, "dim"))] if preferred and verbose else []
    return separated(
        [
            _head(name, compared),
            _table(policy_columns(compared)),
            _warm_section(compared, verbose=verbose),
            _spikes_section(compared.runs, verbose=verbose),
            _memory_section(compared.runs, verbose=verbose),
        ]
    )


def _head(name: str, compared: Comparison) -> list[Line]:
    what = (
        f"{plural(compared.requests, 'request')},"
        f" backend {printable(compared.backend)}, on {printable(compared.device)}"
    )
    ranges = ranges_text(compared)
    return [
        line(Span(f"policies of {name}", "heading"), f": {what}"),
        line(Span(choice_text(compared), "good" if _is_clear(compared) else "bad")),
        *([line(ranges)] if ranges else []),
        *(line(Span(told, "bad")) for told in left_out_text(compared)),
    ]


def _is_clear(compared: Comparison) -> bool:
    return compared.choice is not None and not compared.choice.close


def _table(columns: Columns) -> list[Line]:
    return [line("  ", Span(row, "row")) for row in column_grid(columns)]


def _warm_section(compared: Comparison, *, verbose: bool) -> list[Line]:
    """The warm median of each step under each policy."""
    runs = [run for run in compared.runs if run.warm]
    if not runs:
        return []
    steps = sorted({each.step: each for run in runs for each in run.warm}.items())
    shown = steps if verbose else steps[:_SHOWN]
    figures = {run.policy: {each.step: each for each in run.warm} for run in runs}
    columns = {
        Column("step"): [str(step) for step, _ in shown],
        Column("requests"): [f"{each.count:,}" for _, each in shown],
        **{
            Column(printable(policy)): [_median(found.get(step)) for step, _ in shown]
            for policy, found in figures.items()
        },
        Column("sizes", "left"): [sizes_text(each.sizes) for _, each in shown],
    }
    unstable = any(not each.stable for run in runs for each in run.warm)
    note = "; ? behind one that other runs may not repeat" if unstable else ""
    return [
        line(Span("warm latency of each step, median", "heading"), note),
        *_table(columns),
        *_rest(len(steps) - len(shown), "step"),
    ]


def _median(warm: Warm | None) -> str:
    if warm is None:
        return "-"
    return duration_text(warm.median) + ("" if warm.stable else " ?")


def _spikes_section(runs: Sequence[PolicyRun], *, verbose: bool) -> list[Line]:
    """Calls that took much longer than their step does when it is warm, the slowest first."""
    lines: list[Line] = []
    for run in runs:
        spikes = [call for call in run.calls if call.mechanism is not None]
        spikes.sort(key=lambda call: -call.seconds)
        shown = spikes if verbose else spikes[:_SHOWN]
        usual = {each.step: each.median for each in run.warm}
        lines += [_spike(run.policy, call, usual.get(call.step)) for call in shown]
        lines += _rest(len(spikes) - len(shown), "slow call", run.policy)
    return [line(Span("slow calls", "heading")), *lines] if lines else []


def _spike(policy: str, call: ReplayCall, usual: float | None) -> Line:
    assert call.mechanism is not None
    against = "" if usual is None else f", {duration_text(usual)} when warm"
    return line(
        f"  {printable(policy)}, call {call.call} ({sizes_text(call.sizes)}):"
        f" {duration_text(call.seconds)}{against}: ",
        mechanism_text(call.mechanism, call.detail),
    )


def _memory_section(runs: Sequence[PolicyRun], *, verbose: bool) -> list[Line]:
    """Memory that calls took and that was still held in the end."""
    lines: list[Line] = []
    for run in runs:
        shown = run.memory_steps if verbose else run.memory_steps[:_SHOWN]
        lines += [_memory_step(run.policy, step) for step in shown]
        lines += _rest(len(run.memory_steps) - len(shown), "memory step", run.policy)
    heading = "memory that was held to the end, by the call that took it"
    return [line(Span(heading, "heading")), *lines] if lines else []


def _memory_step(policy: str, step: MemoryStep) -> Line:
    return line(
        f"  {printable(policy)}, call {step.call}: {memory_text(step.bytes)}: ",
        mechanism_text(step.mechanism, step.detail),
    )


def _rest(count: int, noun: str, policy: str | None = None) -> list[Line]:
    """What is said of those that are not shown."""
    of = "" if policy is None else f" of {printable(policy)}"
    return [line(f"  and {plural(count, f'more {noun}')}{of}: -v shows all")] if count else []
