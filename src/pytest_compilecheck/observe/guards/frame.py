"""What is at hand where a guard failed, and what is remembered of when its graph was made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pytest_compilecheck.contract.causes import Cause
from pytest_compilecheck.observe.guards.names import Names
from pytest_compilecheck.observe.guards.scope import Scope
from pytest_compilecheck.observe.values.recompile import Change


@dataclass(frozen=True, slots=True)
class Remembered:
    """What the text of guards does not say of the time when the graph was made.

    `labels` are words for objects and types, `keys` those of dicts, `sizes` those of tensors with
    a symbol among them; all by source. `inference_mode` tells whether it was on.
    """

    labels: Mapping[str, str] = field(default_factory=dict)
    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sizes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    inference_mode: bool = False


@dataclass(frozen=True, slots=True)
class Frame:
    """What is at hand where a guard failed."""

    scope: Scope
    names: Names
    before: Remembered

    def change(
        self, cause: Cause, source: str, expected: str, actual: str, *, name: str = "{}"
    ) -> Change:
        """A change of what an expression of torch's stands for; `name` has "{}" for its name.

        Two things that read the same are told apart.
        """
        holder = self.names.holder(source)
        if holder == "module" and cause == "python_value":
            cause = "module_state"
        return Change(
            cause=cause,
            holder=holder,
            source=name.format(self.names.of(source)),
            expected=expected,
            actual=actual if actual != expected else f"another {actual}",
        )
