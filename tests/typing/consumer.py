"""A project that uses all that is public, checked with mypy and pyright against the wheel.

`nox -s consumer` does it. Nothing runs: this is what an author's editor sees. A comment that
expects an error is itself an error where there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest
import torch
from torch import nn

import pytest_compilecheck
from pytest_compilecheck import (
    ContractError,
    ContractViolation,
    ExtraBound,
    Format,
    Observation,
    RunReport,
    bucket,
    compile_contract,
    printable,
    spec,
    trace_file,
    watch,
)

if TYPE_CHECKING:
    from pytest_compilecheck import CompileCheck, TensorSpec

# A decorated function is the function that it was.


def make_scorer() -> Scorer:
    """Make an instance for the contract of its method."""
    return Scorer()


class Scorer(nn.Module):
    """A model whose own code carries a contract."""

    @compile_contract(shapes={"x": "B 8"}, dims={"B": [4, 5]}, factory=make_scorer)
    def score(self, x: torch.Tensor, scale: float = 1.0) -> torch.Tensor:
        """Score."""
        return x * scale

    @staticmethod
    @compile_contract(values={"n": [1, 2]})
    def twice(n: int) -> int:
        """Double."""
        return 2 * n


@compile_contract(
    shapes={"ids": spec("B S", dtype="int64", high=32000), "mask": "B S"},
    dims=trace_file("lengths.csv", max_steps=32),
    max_graph_breaks={"<2.14": 2, ">=2.14": 0},
    allow_recompiles=["automatic_dynamic", {"cause": "python_value", "because": "a counter"}],
    policies=["static", bucket([128, 256], dims="S", pad={"ids": 0}, mask="mask")],
    extra={"max_waiting_calls": 2},
)
def test_scores(model: Scorer, ids: torch.Tensor, mask: torch.Tensor) -> None:
    """A test of many fields."""


scored: torch.Tensor = Scorer().score(torch.ones(4, 8), scale=2.0)
doubled: int = Scorer.twice(3)
held: Callable[[Scorer, torch.Tensor, torch.Tensor], None] = test_scores
Scorer.twice("three")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


# A watch, its facts, and the fixture.


def steps(batches: Iterable[torch.Tensor]) -> dict[str, Any]:
    """Watch a script."""
    with watch(root=Path("src")) as seen:
        step = torch.compile(torch.sin)
        for batch in batches:
            step(batch)
    facts: Observation = seen.observation
    places = [(site.file, site.line, site.gb_id or site.reason) for site in facts.break_sites]
    unknown: str = facts.why_unknown("graph_breaks")
    return {**seen.to_dict(), "places": places, "text": str(seen), "unknown": unknown}


def test_parts(compilecheck: CompileCheck) -> None:
    """Hold parts of a test."""
    model = Scorer()
    compiled: Scorer = compilecheck.compile(model, dynamic=True)
    with compilecheck.watch("prefill", max_graph_breaks=0) as seen:
        compiled.score(torch.ones(2, 8))
    rate: float | None = seen.observation.hit_rate
    assert rate is None or rate >= 0


@pytest.mark.xfail(raises=ContractViolation)
@pytest.mark.compile_contract(max_recompiles=1)
def test_expected(x: torch.Tensor) -> None:
    """A contract by its marker."""


def told(error: ContractError | ContractViolation) -> str:
    """What both errors have."""
    if isinstance(error, ContractViolation):
        record = error.record
        return f"{record.name}: {[each.bound for each in record.verdict.violations]}"
    return str(error)


# A plugin.


def pytest_compilecheck_make_input(
    name: str,
    annotation: Any,
    sizes: tuple[int, ...],
    spec: TensorSpec,
    make_tensor: Callable[[], torch.Tensor],
) -> object | None:
    """Make an input of a type of its own."""
    return {name: make_tensor()} if annotation is dict and spec.dtype == "float32" else None


def _waiting(seen: Observation) -> int | None:
    if seen.began_warm:
        return None
    return sum(entry.kind in ("compile", "recompile") for entry in seen.timeline)


def pytest_compilecheck_bounds(config: pytest.Config) -> list[ExtraBound]:
    """Declare a bound."""
    return [ExtraBound(name="max_waiting_calls", about="calls that waited", figure=_waiting)]


def pytest_compilecheck_owner(file: Path) -> Literal["own", "third_party", "torch"] | None:
    """Say whose code a file is."""
    return "third_party" if "vendored" in file.parts else None


def _lines(report: RunReport) -> str:
    failed = [each for each in report.contracts if each.outcome == "failed"]
    return "".join(f"{printable(each.name)}: {each.reason or ''}\n" for each in failed)


LINES = Format("the names of failed contracts", _lines)
BY_NAME = Format("the same", "my_package.reports:lines")


def pytest_compilecheck_formats() -> Mapping[str, Format]:
    """Declare a format."""
    return {"lines": LINES}


# What is wrong is told while it is typed.

ExtraBound(name="max_a", about="a", figure=len)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
spec("B 8", dtyp="int64")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
pytest_compilecheck.wacht()  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]
