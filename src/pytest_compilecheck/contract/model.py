"""The contract: one frozen value, whichever way it was written."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pytest_compilecheck.contract.allow import Allowance
from pytest_compilecheck.contract.bounds import Bound
from pytest_compilecheck.contract.plain import plain
from pytest_compilecheck.contract.policies.policy import Policy
from pytest_compilecheck.contract.trace.model import Trace

_ONE_STEP: Final = Trace()
_UNBOUNDED: Final = Bound()
_NONE: Final = Bound(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """What a test promises of the code that it compiles.

    `backend` is None where the contract names none. `torch_options` are the keywords for
    torch.compile besides the backend. `compiles` are the parameters whose values are compiled, None
    for the marked function itself. `owners` are those whose breaks count, None for all.
    `max_memory_growth` is in bytes, `extra` has the bounds that plugins declare, by name.
    `preferred_policy` is the name of one of `policies`, beside which another may cost less by
    `policy_margin`, a share of the other's cost. `factory` makes the instance where a method is the
    marked one.
    """

    trace: Trace = _ONE_STEP
    passes: int = 2
    backend: object = None
    torch_options: Mapping[str, object] = field(default_factory=dict)
    compiles: tuple[str, ...] | None = None
    watch_only: bool = False
    max_graph_breaks: Bound = _NONE
    max_recompiles: Bound = _NONE
    max_recompiles_after_warmup: Bound = _UNBOUNDED
    warmup_calls: int | None = None
    max_graphs: Bound = _UNBOUNDED
    max_graph_launches_per_call: Bound = _UNBOUNDED
    min_hit_rate: Bound = _UNBOUNDED
    min_captured_ops: Bound = _UNBOUNDED
    min_ops_per_graph: Bound = _UNBOUNDED
    max_compile_seconds: Bound = _UNBOUNDED
    max_memory_growth: Bound = _UNBOUNDED
    dynamic_dims: tuple[str, ...] = ()
    max_fragile_guards: Bound = _UNBOUNDED
    allow_breaks: tuple[Allowance, ...] = ()
    allow_recompiles: tuple[Allowance, ...] = ()
    allow_fallbacks: tuple[Allowance, ...] = ()
    owners: tuple[str, ...] | None = None
    max_kernels: Bound = _UNBOUNDED
    max_opaque_ops: Bound = _UNBOUNDED
    extra: Mapping[str, Bound] = field(default_factory=dict)
    check_custom_ops: bool = False
    policies: tuple[Policy, ...] = ()
    preferred_policy: str | None = None
    policy_margin: float = 0.1
    match_eager: bool = False
    rtol: float | None = None
    atol: float | None = None
    backward: bool = False
    factory: Callable[[], Any] | None = None
    seed: int = 0
    threads: int | None = None

    def backend_or(self, default: object) -> object:
        """The backend; that of the run where the contract names none."""
        return default if self.backend is None else self.backend

    def to_dict(self) -> dict[str, Any]:
        """JSON-able form with every field under its name; bounds as numbers or version maps.

        What JSON cannot carry is given by name: a backend that is a callable, an odd argument.
        """
        data = {item.name: _plain(getattr(self, item.name)) for item in dataclasses.fields(self)}
        return {**data, "trace_notes": list(self.trace.notes)}


def _plain(value: object) -> Any:
    if isinstance(value, Bound):
        return value.to_plain()
    if isinstance(value, Trace):
        return value.to_dict()
    if isinstance(value, tuple):
        written = (Allowance, Policy)
        return [item.to_dict() if isinstance(item, written) else plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    return plain(value)
