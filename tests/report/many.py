"""Reports of many contracts, as large suites have them: each with breaks, recompiles and calls."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.judge.run_report import RunReport
from pytest_compilecheck.judge.told import told_site
from pytest_compilecheck.judge.verdict import Allowed
from pytest_compilecheck.observe.values.observation import BreakSite, Observation, TimelineEntry
from pytest_compilecheck.observe.values.recompile import RecompileEvent
from report.values import (
    change,
    entry,
    fallback,
    frame,
    observation,
    recompile,
    record,
    run,
    site,
    violation,
)

_CALLS = 8
_FUNDAMENTAL = (
    "This graph break is fundamental - it is unlikely that Dynamo will ever be able to trace"
    " through your code. Consider finding a workaround."
)
_HINTS = (_FUNDAMENTAL, "Use `torch.cond` to express dynamic control flow.")


def many_contracts(count: int) -> RunReport:
    """A report of so many contracts, of which a tenth is broken."""
    return run(*(_record(number) for number in range(count)))


def _record(number: int) -> ContractRecord:
    is_broken = number % 10 == 0
    seen = _observation(number, is_broken)
    told = tuple(map(told_site, seen.break_sites))
    allowed = Allowed(rule="graph break GB0170", because="the mask needs it", matched=told)
    bounds = {"max_graph_breaks": 0, "max_recompiles": 1, "owners": None}
    contract = {"shapes": {"x": "B S 64"}, "dims": {"B": 8, "S": [128, 129]}, **bounds}
    excused = {"allowed": (allowed,), "excused_sites": tuple(range(len(told)))}
    broken = (violation("max_graph_breaks", 0, len(told)), violation("max_recompiles", 1, 3))
    return record(
        *(broken if is_broken else ()),
        id=f"tests/test_models_{number // 50}.py::test_forward[{number}-bfloat16]",
        contract=contract,
        observed=seen,
        verdict=None if is_broken else excused,
    )


def _observation(number: int, is_broken: bool) -> Observation:
    rebuilt = tuple(_recompiles(number, 3 if is_broken else 1))
    return observation(
        break_sites=tuple(_sites(number, 3 if is_broken else 2)),
        recompiles=len(rebuilt),
        recompile_events=rebuilt,
        fallbacks=(fallback(),) if number % 30 == 0 else (),
        timeline=tuple(_calls(len(rebuilt))),
    )


def _sites(number: int, count: int) -> Iterator[BreakSite]:
    for each in range(count):
        file, line = f"src/models/block_{number % 40}.py", 20 + 7 * each
        yield site(
            file=file,
            line=line,
            function="forward",
            explanation="Detected data-dependent branching (e.g. `if my_tensor.sum() > 0:`)."
            " Dynamo does not support tracing dynamic control flow.",
            hints=_HINTS,
            own_frame=frame(file, line, "forward"),
            chain=(frame(f"tests/test_models_{number // 50}.py", 30, "test_forward"),),
        )


def _recompiles(number: int, count: int) -> Iterator[RecompileEvent]:
    for call in range(1, count + 1):
        step = change(
            cause="module_state",
            holder="module",
            source="self.step",
            expected=str(call - 1),
            actual=str(call),
        )
        yield recompile(
            call=call,
            file=f"src/models/block_{number % 40}.py",
            line=12,
            guard=f"self.step == {call - 1}",
            guards=(f"self.step == {call - 1}",),
            changes=(step,),
        )


def _calls(recompiles: int) -> Iterator[TimelineEntry]:
    for call in range(_CALLS):
        kind = "compile" if call == 0 else "recompile" if call <= recompiles else "hit"
        yield entry(call, kind, sizes={"x": (8, 128 + call, 64)})
