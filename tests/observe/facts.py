"""What a watch saw, cut down to what a small program pins down."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import torch
from packaging.version import Version

from pytest_compilecheck import watch
from pytest_compilecheck.observe.values.observation import Observation

TORCH = Version(torch.__version__).release[:2]

Fallen = tuple[str, str | None, tuple[int, ...]]
"""A fallback: kind, function, calls."""


@dataclass(frozen=True, slots=True)
class Site:
    """A break site: its source line, function and id, how often it runs in a warm call."""

    code: str
    function: str
    gb_id: str | None
    executions: float | None = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """`kinds` has one word for each call, `recompiles` the call of each completed rebuild."""

    kinds: str
    launches: tuple[int, ...]
    graphs: int
    sites: tuple[Site, ...] = ()
    recompiles: tuple[int, ...] = ()
    fallbacks: tuple[Fallen, ...] = ()
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class Program:
    """Something to run and what is to be seen of it.

    `changes` are facts that are other in some releases; `settings` those of torch._dynamo.config.
    """

    name: str
    run: Callable[[], object]
    facts: Facts
    changes: tuple[tuple[bool, dict[str, Any]], ...] = ()
    settings: dict[str, Any] = field(default_factory=dict)

    def expected(self) -> Facts:
        changed = self.facts
        for applies, fields in self.changes:
            if applies:
                changed = replace(changed, **fields)
        return changed


def facts(seen: Observation) -> Facts:
    """The facts of an observation."""
    return Facts(
        kinds=" ".join(entry.kind for entry in seen.timeline),
        launches=tuple(entry.graph_launches for entry in seen.timeline),
        graphs=seen.graphs,
        sites=tuple(
            Site(site.code, site.function, site.gb_id, site.executions_per_warm_call)
            for site in seen.break_sites
        ),
        recompiles=tuple(event.call for event in seen.recompile_events),
        fallbacks=tuple((each.kind, each.function, each.calls) for each in seen.fallbacks),
        problems=seen.problems,
    )


def watched(run: Callable[[], object]) -> Observation:
    """What is seen while something runs that begins with an empty compile cache."""
    torch._dynamo.reset()
    try:
        with watch(root=Path(__file__).parent) as seen:
            run()
    finally:
        torch._dynamo.reset()
    return seen.observation


def calls(
    function: Callable[..., Any], *arguments: Sequence[Any], **options: Any
) -> Callable[[], None]:
    """Compile a function and call it with each of these; what a call raises is dropped."""

    def run() -> None:
        compiled = torch.compile(function, **{"backend": "eager", **options})
        for each in arguments:
            with contextlib.suppress(Exception):  # the timeline has it
                compiled(*each)

    return run
