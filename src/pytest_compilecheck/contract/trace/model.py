"""The shape trace: the steps that a contract makes, in order."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pytest_compilecheck.contract.trace.inputs import Input, tensors, to_plain


@dataclass(frozen=True, slots=True)
class Step:
    """One run of the marked function, with one set of inputs.

    The specs in `inputs` hold sizes only; `dims` are the sizes that names stood for, `named` says
    for each tensor, nested ones too ("pair[0]"), which of its dims have a name. `weight` says how
    many requests of the real workload the step stands for.
    """

    index: int
    inputs: dict[str, Input] = field(default_factory=dict)
    dims: dict[str, int] = field(default_factory=dict)
    weight: int = 1
    named: dict[str, tuple[str | None, ...]] = field(default_factory=dict)

    def dims_text(self) -> str:
        """The sizes of named dims for a message: "B=8, S=128"."""
        return ", ".join(f"{name}={size}" for name, size in self.dims.items())

    def sizes(self) -> dict[str, tuple[int, ...]]:
        """Sizes of every tensor by name, nested ones too ("pair[0]", "out.last_hidden_state")."""
        return {
            name: tuple(int(size) for size in made.shape)
            for name, made in tensors(self.inputs).items()
        }

    def to_dict(self) -> dict[str, Any]:
        """JSON-able form."""
        return {
            "index": self.index,
            "inputs": {name: to_plain(made) for name, made in self.inputs.items()},
            "dims": dict(self.dims),
            "weight": self.weight,
        }


@dataclass(frozen=True, slots=True)
class Trace:
    """The fixed, ordered list of steps; without inputs it is one step.

    `notes` are sentences for the report, on what the steps leave out of a trace file.
    """

    steps: tuple[Step, ...] = (Step(index=0),)
    notes: tuple[str, ...] = ()

    def changing_dims(self) -> tuple[str, ...]:
        """Names of the dims that have several sizes over the trace."""
        names = self.steps[0].dims
        return tuple(name for name in names if len({s.dims[name] for s in self.steps}) > 1)

    def to_dict(self) -> list[dict[str, Any]]:
        """JSON-able form: a list of steps."""
        return [step.to_dict() for step in self.steps]
