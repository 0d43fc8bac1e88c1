"""The bounds that hold exactly what was seen, each with what it was and why it is that number."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from pytest_compilecheck.contract.allow import Allowance, AllowanceKind, parse_allowances
from pytest_compilecheck.contract.bounds import Bound
from pytest_compilecheck.contract.combinations import runs_graph_as_is
from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.judge.judge import judge
from pytest_compilecheck.judge.verdict import Number
from pytest_compilecheck.observe.values.observation import Observation
from pytest_compilecheck.report.parts.exceptions import AS_IT_WAS, explained
from pytest_compilecheck.report.parts.timeline import kinds_text
from pytest_compilecheck.report.suggested.seen_dims import seen_dims
from pytest_compilecheck.report.suggested.seen_exceptions import (
    Excused,
    seen_breaks,
    seen_fallbacks,
    seen_recompiles,
)
from pytest_compilecheck.report.wording import plural


@dataclass(frozen=True, slots=True)
class SeenBound:
    """A field of a contract. `value` is None where the figure is not known: no bound holds it.

    `why` says what was seen, a list has one sentence or more beside each of its items in `notes`.
    """

    name: str
    value: object
    why: str
    notes: tuple[tuple[str, ...], ...] = ()


def seen_bounds(
    contract: Contract, seen: Observation, torch_version: str, given: Container[str] = ()
) -> list[SeenBound]:
    """The bounds for a contract that has none yet, in the order of a report.

    Args:
        contract: what was run; its exceptions count where they are among the fields of `given`.
        seen: what was seen of it.
        torch_version: the release of torch that it was seen under.
        given: fields that the author of the contract gave, which no bound takes the place of.
    """
    excused = {
        name: [each for each in found(seen) if _parsed(name, [each])]
        for name, found in _EXCEPTIONS.items()
        if name not in given
    }
    exceptions: dict[str, Any] = {name: _parsed(name, each) for name, each in excused.items()}
    figures = _figures(replace(contract, **exceptions), seen, torch_version)
    made = [
        *_counted("max_graph_breaks", seen.known_breaks, "graph break", figures, excused),
        *_counted("max_recompiles", seen.recompiles, "recompile", figures, excused),
        *_allowed("allow_fallbacks", excused),
        *_measured(contract, seen, figures),
        *(SeenBound("dynamic_dims", *found) for found in seen_dims(contract.trace, seen)),
    ]
    return [bound for bound in made if bound.name not in given]


_EXCEPTIONS: Final[dict[str, Callable[[Observation], list[Excused]]]] = {
    "allow_breaks": seen_breaks,
    "allow_recompiles": seen_recompiles,
    "allow_fallbacks": seen_fallbacks,
}
_KINDS: Final[dict[str, AllowanceKind]] = {
    "allow_breaks": "break",
    "allow_recompiles": "recompile",
    "allow_fallbacks": "fallback",
}
_TO_DO: Final = "say in each because why it may stay, or mend it and take it out"
_WORD: Final = "the rebuild in which torch makes a symbol of a size that changed"
_WITH: Final = {"max_graph_breaks": "allow_breaks", "max_recompiles": "allow_recompiles"}

# No figure keeps to these: the violations of a contract that has them tell every figure.
_PROBES: Final[dict[str, Any]] = {
    "max_graph_breaks": Bound(-1),
    "max_recompiles": Bound(-1),
    "max_graphs": Bound(-1),
    "max_graph_launches_per_call": Bound(-1),
    "min_hit_rate": Bound(math.inf),
    "max_kernels": Bound(-1),
}


def _figures(contract: Contract, seen: Observation, torch_version: str) -> dict[str, Number | None]:
    """What a judge holds against each bound; None where that is not known."""
    verdict = judge(replace(contract, **_PROBES), seen, torch_version)
    return {each.bound: each.observed for each in verdict.violations if each.bound in _PROBES}


def _parsed(name: str, excused: Sequence[Excused]) -> tuple[Allowance, ...]:
    """Exceptions as a contract has them; () where one cannot be written as an exception."""
    faults: list[str] = []
    written = [explained(each.exception, AS_IT_WAS) for each in excused]
    parsed = parse_allowances(written, faults.append, kind=_KINDS[name])
    return () if faults else parsed


def _counted(
    name: str,
    count: int | None,
    noun: str,
    figures: dict[str, Number | None],
    excused: dict[str, list[Excused]],
) -> Iterator[SeenBound]:
    """A bound on what exceptions excuse, and these."""
    left = figures.get(name)
    if count is None:
        why = f"unknown, so without a bound (torch does not tell of each {noun} here)"
    elif count == 0:
        why = f"no {noun} was seen"
    else:
        whose = f", which {_WITH[name]} excuses" if left == 0 else ""
        why = f"{plural(count, noun)} {'was' if count == 1 else 'were'} seen{whose}"
    yield SeenBound(name, left, why)
    yield from _allowed(_WITH[name], excused)


def _allowed(name: str, excused: dict[str, list[Excused]]) -> Iterator[SeenBound]:
    found = excused.get(name)
    if found:
        written = [explained(each.exception, AS_IT_WAS) for each in found]
        why = _TO_DO if any(isinstance(each, dict) for each in written) else _WORD
        yield SeenBound(name, written, why, tuple(each.seen for each in found))


def _measured(
    contract: Contract, seen: Observation, figures: dict[str, Number | None]
) -> Iterator[SeenBound]:
    calls = (
        f"{plural(len(seen.timeline), 'call')}: {kinds_text(entry.kind for entry in seen.timeline)}"
    )
    rate = figures["min_hit_rate"]
    weighed = any(entry.weight != 1 for entry in seen.timeline)
    by_count = ", each call weighted by the count of its step" if weighed else ""
    whys: dict[str, tuple[Number | None, str]] = {
        "max_graphs": (
            figures["max_graphs"],
            f"with {plural(seen.captured_ops, 'operation')} in those that are no rebuilds",
        ),
        "max_graph_launches_per_call": (
            figures["max_graph_launches_per_call"],
            "the most graphs that one warm call ran",
        ),
        # A share that is rounded up would not hold what was seen.
        "min_hit_rate": (rate and math.floor(rate * 1000) / 1000, calls + by_count),
    }
    if not runs_graph_as_is(contract.backend):
        kernels = figures["max_kernels"]
        whys["max_kernels"] = kernels, "the most kernels that one warm call launched"
    for name, (value, why) in whys.items():
        if value is None:
            yield SeenBound(name, None, f"unknown, so without a bound ({calls})")
        elif value or name != "min_hit_rate":
            yield SeenBound(name, value, why)
