"""Verdicts on observations that are made by hand."""

from __future__ import annotations

import dataclasses
from typing import Any

from pytest_compilecheck.contract.bounds import Bound
from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.judge.judge import judge
from pytest_compilecheck.judge.verdict import Verdict
from pytest_compilecheck.observe.values.observation import Observation

TORCH = "2.13.0"
UNBOUNDED = Contract(max_graph_breaks=Bound(), max_recompiles=Bound())


def judged(seen: Observation, *, strict: bool = False, **fields: Any) -> Verdict:
    """The verdict of a contract with these bounds (numbers) and nothing else."""
    made = {k: Bound(v) if k.startswith(("max_", "min_")) else v for k, v in fields.items()}
    return judge(dataclasses.replace(UNBOUNDED, **made), seen, TORCH, strict=strict)


def broken(verdict: Verdict) -> list[str]:
    """The bounds that do not hold."""
    return [violation.bound for violation in verdict.violations]
