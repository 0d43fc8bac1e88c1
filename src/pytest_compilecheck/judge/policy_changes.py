"""What differs between two runs in what shape policies cost: beyond the noise. Plain values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal

from pytest_compilecheck.policies.compare import fit_costs, nearest, overlap
from pytest_compilecheck.policies.measured import Comparison, PolicyRun
from pytest_compilecheck.policies.shortcomings import shortcoming

MEMORY: Final = 0.05
"""Peaks of memory that differ by no more than this share of the larger one are alike: they are read
once, and depend on what else was loaded."""

Quantity = Literal["total", "peak_memory", "peak_device_memory"]
Condition = Literal["backend", "device", "trace"]


@dataclass(frozen=True, slots=True)
class Standing:
    """Whether a policy could be preferred: "" where it could, else why not; None: not measured."""

    policy: str
    before: str | None
    after: str | None

    @property
    def lost(self) -> bool:
        """Whether it could be preferred, and cannot any more."""
        return self.before == "" and bool(self.after)

    @property
    def gained(self) -> bool:
        """Whether it could not be preferred, and can."""
        return bool(self.before) and self.after == ""


@dataclass(frozen=True, slots=True)
class CostChange:
    """What a policy takes in the two runs, in seconds or bytes; they differ by more than noise."""

    policy: str
    quantity: Quantity
    before: float
    after: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyChanges:
    """What differs in the policies of one contract.

    `standings` are those that are others. `cheapest_before` and `cheapest_after` are the policies
    that cost the least, with those that are too near to tell: empty unless no policy is in both.
    `costs` are of policies that can be preferred in both runs. They are compared only where both
    replayed one trace on one backend and device; `others` names what is another.
    """

    standings: tuple[Standing, ...] = ()
    cheapest_before: tuple[str, ...] = ()
    cheapest_after: tuple[str, ...] = ()
    costs: tuple[CostChange, ...] = ()
    others: tuple[Condition, ...] = ()

    encoded: ClassVar[tuple[str, ...]] = ("worse",)

    @property
    def worse(self) -> bool:
        """Whether a policy that could be preferred cannot any more. Times decide nothing."""
        return any(each.lost for each in self.standings)

    @property
    def better(self) -> bool:
        """Whether a policy that could not be preferred can."""
        return any(each.gained for each in self.standings)

    @property
    def costlier(self) -> bool:
        """Whether a policy takes more, or another one is the cheapest."""
        return bool(self.cheapest_before) or any(each.after > each.before for each in self.costs)


def policy_changes(before: Comparison | None, after: Comparison | None) -> PolicyChanges | None:
    """What differs between two comparisons of one contract; None where nothing does."""
    had, has = _runs(before), _runs(after)
    standings = tuple(_standings(had, has))
    found = PolicyChanges(standings=standings)
    if before is not None and after is not None:
        others = tuple(_others(before, after))
        if others:
            found = PolicyChanges(standings=standings, others=others)
        else:
            found = _with_costs(before, after, standings)
    return None if found == PolicyChanges() else found


def _runs(comparison: Comparison | None) -> dict[str, PolicyRun]:
    return {run.policy: run for run in comparison.runs} if comparison else {}


def _standings(had: dict[str, PolicyRun], has: dict[str, PolicyRun]) -> Iterator[Standing]:
    for policy in sorted(had.keys() | has.keys()):
        before, after = (
            shortcoming(runs[policy]) if policy in runs else None for runs in (had, has)
        )
        # Why it cannot be preferred is worded with figures that vary.
        if (before is None, bool(before)) != (after is None, bool(after)):
            yield Standing(policy, before, after)


def _others(before: Comparison, after: Comparison) -> Iterator[Condition]:
    if before.backend != after.backend:
        yield "backend"
    if before.device != after.device:
        yield "device"
    # Where no policy ran the whole trace, its steps are not all known, and nothing is compared.
    if before.choice and after.choice and _trace(before) != _trace(after):
        yield "trace"


def _trace(comparison: Comparison) -> set[Any]:
    """The steps of the trace, their sizes, and how many requests each stands for."""
    return {
        (each.step, each.count, tuple(sorted(each.sizes.items())))
        for run in comparison.runs
        for each in run.warm
    }


def _with_costs(
    before: Comparison, after: Comparison, standings: tuple[Standing, ...]
) -> PolicyChanges:
    had, has = (tuple(cost.policy for cost in nearest(each)) for each in (before, after))
    is_other = had and has and not set(had) & set(has)
    return PolicyChanges(
        standings=standings,
        cheapest_before=had if is_other else (),
        cheapest_after=has if is_other else (),
        costs=tuple(_costs(before, after)),
    )


def _costs(before: Comparison, after: Comparison) -> Iterator[CostChange]:
    had, has = ({cost.policy: cost for cost in fit_costs(each)} for each in (before, after))
    old_runs, new_runs = _runs(before), _runs(after)
    for policy in sorted(had.keys() & has.keys()):
        if not overlap(had[policy], has[policy]):
            yield CostChange(policy, "total", had[policy].total, has[policy].total)
        yield from _peaks(old_runs[policy], new_runs[policy])


def _peaks(old: PolicyRun, new: PolicyRun) -> Iterator[CostChange]:
    peaks: dict[Quantity, tuple[int | None, int | None]] = {
        "peak_memory": (old.peak_memory, new.peak_memory),
        "peak_device_memory": (old.peak_device_memory, new.peak_device_memory),
    }
    for quantity, (was, now) in peaks.items():
        if was is not None and now is not None and abs(was - now) > MEMORY * max(was, now):
            yield CostChange(old.policy, quantity, was, now)
