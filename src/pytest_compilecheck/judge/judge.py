"""Holds an observation to its contract; one small function for each bound."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.judge.case import Case
from pytest_compilecheck.judge.dynamic_dims import static_dims, unknown_dims
from pytest_compilecheck.judge.extra import ExtraBound, extra_violations
from pytest_compilecheck.judge.limits import at_least, at_most
from pytest_compilecheck.judge.preferred import preferred_violations
from pytest_compilecheck.judge.unknown import unknown, why_unknown
from pytest_compilecheck.judge.verdict import Number, Verdict, Violation
from pytest_compilecheck.observe.values.observation import Observation
from pytest_compilecheck.observe.values.recompile import count_recompiles
from pytest_compilecheck.policies.measured import Comparison

_NONE: Final[Mapping[str, ExtraBound]] = MappingProxyType({})


def judge(
    contract: Contract,
    seen: Observation,
    torch_version: str,
    *,
    strict: bool = False,
    declared: Mapping[str, ExtraBound] = _NONE,
    policies: Comparison | None = None,
) -> Verdict:
    """The verdict on an observation, by the bounds that apply to a torch release ("2.13.0").

    `strict` makes a violation of each exception that excused nothing. `declared` are the bounds of
    plugins by name: one that the contract has and that is not among them does not hold. Without
    `policies`, what was measured of them, `preferred_policy` is not judged.

    Raises:
        BoundError: a version map does not tell which of its bounds applies.
    """
    case = Case(contract, seen, torch_version)
    violations = [violation for check in _CHECKS for violation in check(case)]
    violations += extra_violations(contract.extra, declared, seen, torch_version)
    violations += preferred_violations(contract, policies)
    if strict:
        violations += _stale_exceptions(case)
    return Verdict(
        violations=tuple(violations),
        allowed=tuple(rule.told() for rule in case.rules),
        excused_sites=tuple(case.excused_sites),
        excused_recompiles=tuple(case.excused_recompiles),
        excused_fallbacks=tuple(case.excused_fallbacks),
    )


def _at_most(case: Case, bound: str, observed: Number | None, what: str) -> list[Violation]:
    why = why_unknown(bound, case.seen)
    return at_most(bound, case.bound(bound), None if why else observed, what, why)


def _at_least(case: Case, bound: str, observed: Number | None, what: str) -> list[Violation]:
    why = why_unknown(bound, case.seen)
    return at_least(bound, case.bound(bound), None if why else observed, what, why)


def _nothing_compiled(case: Case) -> list[Violation]:
    launched = any(entry.graph_launches for entry in case.seen.timeline)
    known = any(fallback.kind == "nothing_compiled" for fallback in case.fallbacks)
    if (case.seen.graphs or launched) and not known:
        return []
    why = case.seen.why_unknown("graphs") or case.seen.why_unknown("graph_launches")
    if why:
        return [unknown("nothing_compiled", "whether anything was compiled", why)]
    raised = all(entry.kind == "error" for entry in case.seen.timeline)
    if raised and case.seen.timeline and _graph_breaks(case):
        return []  # full-graph mode raised at a break: that is what there is to say
    message = f"nothing was compiled{_why_nothing(case)}"
    return [Violation(bound="nothing_compiled", allowed=0, observed=1, message=message)]


def _why_nothing(case: Case) -> str:
    if not case.seen.timeline:
        if case.seen.uncalled:
            names = ", ".join(case.seen.uncalled)
            was, it = ("was", "it") if len(case.seen.uncalled) == 1 else ("were", "them")
            return f": {names} {was} compiled, and the test never called {it}"
        return ": the test called nothing that is compiled"
    kinds = {fallback.kind for fallback in case.fallbacks}
    return ": compilation is switched off" if kinds == {"disabled"} else ""


def _failed_to_compile(case: Case) -> list[Violation]:
    failed = [entry for entry in case.seen.timeline if entry.failed_to_compile]
    if not failed:
        return []
    message = f"{len(failed)} calls raised an error of the compiler"
    return [Violation(bound="error_calls", allowed=0, observed=len(failed), message=message)]


def _uncalled(case: Case) -> list[Violation]:
    """What the contract compiles must run; else its figures speak of something else."""
    names, steps = case.seen.uncalled, case.seen.idle_steps
    if not case.seen.timeline or case.contract.watch_only or not (names or steps):
        return []
    if names:
        told = ", ".join(names)
        message = (
            f"compiled but never called: {told}. A method of a compiled module other than "
            "forward (generate, encode) runs uncompiled: compile what it calls, or mark a "
            "function that calls the model"
        )
        return [Violation(bound="uncalled", allowed=0, observed=len(names), message=message)]
    told = ", ".join(map(str, steps))
    message = f"nothing compiled was called in step {told} of the trace: leave such steps out"
    return [Violation(bound="uncalled", allowed=0, observed=len(steps), message=message)]


def _graph_breaks(case: Case) -> list[Violation]:
    """Breaks from before the watch are one at least, and at most one for each of their places."""
    sites, earlier = len(case.sites), case.seen.earlier_breaks
    allowed = case.bound("max_graph_breaks")
    if earlier and allowed is not None and sites + len(earlier) > allowed:
        known = sites + 1 if sites + 1 > allowed else None
        return _at_most(case, "max_graph_breaks", known, "graph breaks (sites)")
    return _at_most(case, "max_graph_breaks", sites, "graph breaks (sites)")


def _recompiles(case: Case) -> list[Violation]:
    return _at_most(case, "max_recompiles", count_recompiles(case.events), "recompiles")


def _recompiles_after_warmup(case: Case) -> list[Violation]:
    first = case.contract.warmup_calls or 0
    late = [event for event in case.events if event.call >= first]
    warm = any(entry.call >= first for entry in case.seen.timeline)
    observed = count_recompiles(late) if warm else None
    what = f"recompiles after the first {first} calls"
    return _at_most(case, "max_recompiles_after_warmup", observed, what)


def _fallbacks(case: Case) -> list[Violation]:
    why = why_unknown("fallback", case.seen)
    if why:
        return [unknown("fallback", "work that ran eagerly without an error", why)]
    counted = [fallback for fallback in case.fallbacks if fallback.kind != "nothing_compiled"]
    if not counted:
        return []
    kinds = ", ".join(dict.fromkeys(fallback.kind for fallback in counted))
    message = f"work ran eagerly without an error ({kinds})"
    return [Violation(bound="fallback", allowed=0, observed=len(counted), message=message)]


def _graphs(case: Case) -> list[Violation]:
    return _at_most(case, "max_graphs", case.seen.graphs, "compiled graphs")


def _launches(case: Case) -> list[Violation]:
    what = "graphs launched by one warm call"
    return _at_most(case, "max_graph_launches_per_call", case.seen.launches_per_warm_call, what)


def _hit_rate(case: Case) -> list[Violation]:
    return _at_least(case, "min_hit_rate", case.seen.hit_rate, "share of calls that are hits")


def _captured_ops(case: Case) -> list[Violation]:
    captured = None if case.seen.began_warm else case.seen.captured_ops
    return _at_least(case, "min_captured_ops", captured, "captured operations")


def _ops_per_graph(case: Case) -> list[Violation]:
    smallest = None if case.seen.began_warm else case.seen.smallest_graph_ops
    return _at_least(case, "min_ops_per_graph", smallest, "operations in the smallest graph")


def _compile_seconds(case: Case) -> list[Violation]:
    seconds = case.seen.compile_seconds
    return _at_most(case, "max_compile_seconds", seconds, "seconds spent compiling")


def _memory_growth(case: Case) -> list[Violation]:
    growth = case.seen.memory_growth
    return _at_most(case, "max_memory_growth", growth, "bytes by which the process grew")


_WHICH_PART: Final = (
    "the first of the backends eager, aot_eager, aot_eager_decomp_partition and inductor that"
    " differs tells the part of the compiler at fault"
)


def _match_eager(case: Case) -> list[Violation]:
    """A comparison that could not be made is no match."""
    found = case.seen.mismatches
    if not case.contract.match_eager or not found:
        return []
    first = found[0]
    where = f"step {first.step}, pass {first.pass_}"
    if not first.compared:
        message = f"cannot be compared with an eager run ({where}): {first.difference}"
        return [Violation(bound="match_eager", allowed=0, observed=None, message=message)]
    more = len(found) - 1
    others = f" (and {more} more step{'s' if more > 1 else ''})" if more else ""
    message = f"other than the eager run ({where}){others}: {first.difference}; {_WHICH_PART}"
    return [Violation(bound="match_eager", allowed=0, observed=len(found), message=message)]


def _opaque_ops(case: Case) -> list[Violation]:
    library = case.seen.library_kernels
    known = library is not None and not case.seen.began_warm
    calls = sum(each.calls for each in case.seen.opaque_ops)
    calls += sum(each.launches for each in library or ())
    return _at_most(case, "max_opaque_ops", calls if known else None, "calls of opaque operators")


def _kernels(case: Case) -> list[Violation]:
    counts = [entry.kernels for entry in case.seen.warm_calls if entry.graph_launches]
    known = [count for count in counts if count is not None]
    most = max(known, default=None) if len(known) == len(counts) else None
    return _at_most(case, "max_kernels", most, "kernels launched by one warm call")


def _custom_ops(case: Case) -> list[Violation]:
    """An operator that was not checked is not known to be sound."""
    if not case.contract.check_custom_ops:
        return []
    why = why_unknown("check_custom_ops", case.seen)
    if why:
        return [unknown("check_custom_ops", "custom operators", why)]
    faulty = {each.name: each.faults for each in case.seen.opaque_ops if each.faults}
    found = [
        Violation(
            bound="check_custom_ops",
            allowed=0,
            observed=len(faults),
            message=f"the operator {name} is not sound: {'; '.join(faults)}",
            subject=name,
        )
        for name, faults in faulty.items()
    ]
    if not case.seen.began_warm:
        return found
    message = "operators of graphs that were compiled before are not known"
    earlier = Violation(bound="check_custom_ops", allowed=0, observed=None, message=message)
    return [*found, earlier]


def _fragile_guards(case: Case) -> list[Violation]:
    fragile = case.seen.fragile_guards
    observed = None if fragile is None or case.seen.began_warm else len(fragile)
    return _at_most(case, "max_fragile_guards", observed, "fragile guards")


def _dynamic_dims(case: Case) -> list[Violation]:
    dims = case.contract.dynamic_dims
    why = why_unknown("dynamic_dims", case.seen)
    if dims and why:
        return [unknown("dynamic_dims", "which dims are symbols", why)]
    static = static_dims(dims, case.contract.trace, case.seen)
    found = [
        Violation(
            bound="dynamic_dims", allowed=0, observed=1, message=each.told(), subject=each.dim
        )
        for each in static
    ]
    return found + [
        Violation(bound="dynamic_dims", allowed=0, observed=None, message=message)
        for message in unknown_dims(dims, case.contract.trace, case.seen)
    ]


def _problems(case: Case) -> list[Violation]:
    if not case.seen.problems:
        return []
    message = "the watch was incomplete, so no figure is certain: " + "; ".join(case.seen.problems)
    return [
        Violation(bound="problems", allowed=0, observed=len(case.seen.problems), message=message)
    ]


def _stale_exceptions(case: Case) -> list[Violation]:
    return [
        Violation(
            bound="stale_exception",
            allowed=0,
            observed=1,
            message=f"the exception for {rule.allowance.describe()} matched nothing: "
            + (rule.told().near_miss or "remove it"),
        )
        for rule in case.rules
        if not (rule.matched or rule.partly)
    ]


# The order is that of a failure: what makes the other figures meaningless comes first.
_CHECKS: tuple[Callable[[Case], list[Violation]], ...] = (
    _problems,
    _failed_to_compile,
    _nothing_compiled,
    _uncalled,
    _graph_breaks,
    _fallbacks,
    _recompiles,
    _recompiles_after_warmup,
    _graphs,
    _launches,
    _hit_rate,
    _captured_ops,
    _ops_per_graph,
    _compile_seconds,
    _memory_growth,
    _match_eager,
    _custom_ops,
    _kernels,
    _opaque_ops,
    _dynamic_dims,
    _fragile_guards,
)
