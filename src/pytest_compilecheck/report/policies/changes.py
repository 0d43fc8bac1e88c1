"""What differs between two reports in what shape policies cost, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_compilecheck.judge.policy_changes import CostChange, PolicyChanges, Standing
from pytest_compilecheck.report.wording import (
    memory_text,
    printable,
    sentence,
)

_QUANTITIES = {"peak_memory": "peak memory", "peak_device_memory": "peak device memory"}


def policy_changes_lines(changes: PolicyChanges) -> Iterator[str]:
    """One sentence for each thing that differs, the worst first."""
    yield from (_standing(each) for each in sorted(changes.standings, key=_rank))
    if changes.cheapest_before:
        before, after = map(_cheapest, (changes.cheapest_before, changes.cheapest_after))
        yield f"{before} cost the least, now {after}"
    yield from map(_cost, sorted(changes.costs, key=lambda each: each.after <= each.before))
    if changes.others:
        yield f"what policies cost is not compared: another {', another '.join(changes.others)}"


def _rank(standing: Standing) -> int:
    return 0 if standing.lost else 1


def _standing(standing: Standing) -> str:
    policy = f"policy {printable(standing.policy)}"
    if standing.before is None:
        return f"{policy} was measured only in the second report"
    if standing.after is None:
        return f"{policy} was measured only in the first report"
    if standing.after:
        return f"{policy} cannot be preferred any more: {sentence(standing.after)}"
    return f"{policy} can be preferred now; before, {sentence(standing.before)}"


def _cheapest(policies: Sequence[str]) -> str:
    first, *near = map(printable, policies)
    return f"{first} (too close to call: {', '.join(near)})" if near else first


def _cost(change: CostChange) -> str:
    policy, more = printable(change.policy), change.after - change.before
    share = f" ({more / change.before:+.0%})" if change.before > 0 else ""
    if change.quantity == "total":
        took = f"costs {change.before:.3g} s -> {change.after:.3g} s"
    else:
        took = (
            f"{_QUANTITIES[change.quantity]} {memory_text(change.before)}"
            f" -> {memory_text(change.after)}"
        )
    return f"policy {policy}: {took}{share}"
