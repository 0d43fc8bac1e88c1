"""Holds an observation to its contract; one small function for each bound."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from pytest_compilecheck.contract.allow import Allowance
from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.judge.verdict import Allowed, Number, Verdict, Violation
from pytest_compilecheck.observe.observation import BreakSite, Fallback, Observation
from pytest_compilecheck.observe.recompile import RecompileEvent, count_recompiles


def judge(
    contract: Contract, seen: Observation, torch_version: str, *, strict: bool = False
) -> Verdict:
    """The verdict on an observation, by the bounds that apply to a torch release ("2.13.0").

    `strict` makes a violation of each exception that excused nothing.

    Raises:
        BoundError: a version map does not tell which of its bounds applies.
    """
    case = _Case(contract, seen, torch_version)
    violations = [violation for check in _CHECKS for violation in check(case)]
    if strict:
        violations += _stale_exceptions(case)
    return Verdict(
        violations=tuple(violations),
        allowed=tuple(rule.told() for rule in case.rules),
        excused_sites=tuple(case.excused_sites),
        excused_recompiles=tuple(case.excused_recompiles),
        excused_fallbacks=tuple(case.excused_fallbacks),
    )


@dataclass(slots=True)
class _Rule:
    """An exception of the contract, with what it excused so far."""

    allowance: Allowance
    matched: list[str] = field(default_factory=list)

    def told(self) -> Allowed:
        return Allowed(
            rule=self.allowance.describe(),
            because=self.allowance.because,
            matched=tuple(self.matched),
        )


class _Case:
    """What counts, after exceptions and owners have dropped the rest."""

    def __init__(self, contract: Contract, seen: Observation, torch_version: str) -> None:
        self.contract = contract
        self.seen = seen
        self._torch_version = torch_version
        self.rules: list[_Rule] = []
        break_rules = self._rules(contract.allow_breaks)
        recompile_rules = self._rules(contract.allow_recompiles)
        fallback_rules = self._rules(contract.allow_fallbacks)
        self.sites: list[BreakSite] = []
        self.excused_sites: list[int] = []
        for index, site in enumerate(seen.break_sites):
            place = f"{site.file}:{site.line} {site.reason}"
            foreign = contract.owners is not None and site.owner not in contract.owners
            if _excused(site, place, break_rules) or foreign:
                self.excused_sites.append(index)
            else:
                self.sites.append(site)
        self.events: list[RecompileEvent] = []
        self.excused_recompiles: list[int] = []
        for index, event in enumerate(seen.recompile_events):
            if _excused(event, f"call {event.call}: {event.guard}", recompile_rules):
                self.excused_recompiles.append(index)
            else:
                self.events.append(event)
        self.fallbacks: list[Fallback] = []
        self.excused_fallbacks: list[int] = []
        for index, fallback in enumerate(seen.fallbacks):
            place = f"{fallback.kind} of {fallback.function or 'the region'}: {fallback.reason}"
            if fallback.kind != "nothing_compiled" and _excused(fallback, place, fallback_rules):
                self.excused_fallbacks.append(index)
            else:
                self.fallbacks.append(fallback)

    def _rules(self, allowances: Iterable[Allowance]) -> list[_Rule]:
        rules = [_Rule(allowance) for allowance in allowances]
        self.rules += rules
        return rules

    def bound(self, name: str) -> Number | None:
        """The number that applies, None without a bound."""
        value: Number | None = getattr(self.contract, name).at(self._torch_version)
        return value


def _excused(subject: object, told: str, rules: Sequence[_Rule]) -> bool:
    fitting = [rule for rule in rules if rule.allowance.excuses(subject)]
    for rule in fitting:
        rule.matched.append(told)
    return bool(fitting)


def _at_most(case: _Case, bound: str, observed: Number | None, what: str) -> list[Violation]:
    allowed = case.bound(bound)
    if allowed is None or (observed is not None and observed <= allowed):
        return []
    return [_violation(bound, allowed, observed, what, f"at most {_shown(allowed)} allowed")]


def _at_least(case: _Case, bound: str, observed: Number | None, what: str) -> list[Violation]:
    allowed = case.bound(bound)
    if allowed is None or (observed is not None and observed >= allowed):
        return []
    return [_violation(bound, allowed, observed, what, f"at least {_shown(allowed)} required")]


def _violation(
    bound: str, allowed: Number, observed: Number | None, what: str, wanted: str
) -> Violation:
    seen = "unknown" if observed is None else _shown(observed)
    message = f"{what}: {seen}, {wanted}"
    return Violation(bound=bound, allowed=allowed, observed=observed, message=message)


def _shown(number: Number) -> str:
    return f"{number:g}" if isinstance(number, float) else str(number)


def _nothing_compiled(case: _Case) -> list[Violation]:
    launched = any(entry.graph_launches for entry in case.seen.timeline)
    known = any(fallback.kind == "nothing_compiled" for fallback in case.fallbacks)
    if (case.seen.graphs or launched) and not known:
        return []
    raised = all(entry.kind == "error" for entry in case.seen.timeline)
    if raised and case.seen.timeline and _graph_breaks(case):
        return []  # full-graph mode raised at a break: that is what there is to say
    message = f"nothing was compiled{_why_nothing(case)}"
    return [Violation(bound="nothing_compiled", allowed=0, observed=1, message=message)]


def _why_nothing(case: _Case) -> str:
    if not case.seen.timeline:
        names = ", ".join(case.seen.uncalled)
        if names:
            return f": {names} was compiled, and the test never called it"
        return ": the test called nothing that is compiled"
    kinds = {fallback.kind for fallback in case.fallbacks}
    return ": compilation is switched off" if kinds == {"disabled"} else ""


def _failed_to_compile(case: _Case) -> list[Violation]:
    failed = [entry for entry in case.seen.timeline if entry.failed_to_compile]
    if not failed:
        return []
    message = f"{len(failed)} calls raised an error of the compiler"
    return [Violation(bound="error_calls", allowed=0, observed=len(failed), message=message)]


def _uncalled(case: _Case) -> list[Violation]:
    """What the contract compiles must run; else its figures speak of something else."""
    names, steps = case.seen.uncalled, case.seen.idle_steps
    if not case.seen.timeline or case.contract.compiles is None or not (names or steps):
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


def _graph_breaks(case: _Case) -> list[Violation]:
    return _at_most(case, "max_graph_breaks", len(case.sites), "graph breaks (sites)")


def _recompiles(case: _Case) -> list[Violation]:
    return _at_most(case, "max_recompiles", count_recompiles(case.events), "recompiles")


def _recompiles_after_warmup(case: _Case) -> list[Violation]:
    first = case.contract.warmup_calls or 0
    late = [event for event in case.events if event.call >= first]
    warm = any(entry.call >= first for entry in case.seen.timeline)
    observed = count_recompiles(late) if warm else None
    what = f"recompiles after the first {first} calls"
    return _at_most(case, "max_recompiles_after_warmup", observed, what)


def _fallbacks(case: _Case) -> list[Violation]:
    counted = [fallback for fallback in case.fallbacks if fallback.kind != "nothing_compiled"]
    if not counted:
        return []
    kinds = ", ".join(dict.fromkeys(fallback.kind for fallback in counted))
    message = f"work ran eagerly without an error ({kinds})"
    return [Violation(bound="fallback", allowed=0, observed=len(counted), message=message)]


def _graphs(case: _Case) -> list[Violation]:
    return _at_most(case, "max_graphs", case.seen.graphs, "compiled graphs")


def _launches(case: _Case) -> list[Violation]:
    launches = [entry.graph_launches for entry in case.seen.warm_calls]
    what = "graphs launched by one warm call"
    return _at_most(case, "max_graph_launches_per_call", max(launches, default=None), what)


def _hit_rate(case: _Case) -> list[Violation]:
    return _at_least(case, "min_hit_rate", case.seen.hit_rate, "share of calls that are hits")


def _captured_ops(case: _Case) -> list[Violation]:
    return _at_least(case, "min_captured_ops", case.seen.captured_ops, "captured operations")


def _ops_per_graph(case: _Case) -> list[Violation]:
    smallest = case.seen.smallest_graph_ops
    return _at_least(case, "min_ops_per_graph", smallest, "operations in the smallest graph")


def _compile_seconds(case: _Case) -> list[Violation]:
    seconds = case.seen.compile_seconds
    return _at_most(case, "max_compile_seconds", seconds, "seconds spent compiling")


def _problems(case: _Case) -> list[Violation]:
    if not case.seen.problems:
        return []
    message = "the watch was incomplete, so no figure is certain: " + "; ".join(case.seen.problems)
    return [
        Violation(bound="problems", allowed=0, observed=len(case.seen.problems), message=message)
    ]


def _stale_exceptions(case: _Case) -> list[Violation]:
    return [
        Violation(
            bound="stale_exception",
            allowed=0,
            observed=1,
            message=f"the exception for {rule.allowance.describe()} matched nothing: remove it",
        )
        for rule in case.rules
        if not rule.matched
    ]


# The order is that of a failure: what makes the other figures meaningless comes first.
_CHECKS: tuple[Callable[[_Case], list[Violation]], ...] = (
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
)
