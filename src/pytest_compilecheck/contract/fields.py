"""The register of a contract's fields: name, check, meaning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from pytest_compilecheck.contract import kinds
from pytest_compilecheck.contract.kinds import Kind
from pytest_compilecheck.contract.parsers import Parser


@dataclass(frozen=True, slots=True)
class Field:
    """One field that a person may write.

    `kind` is what it takes; None for the fields that make the trace, which are read together.
    `example` shows it in use: keyword arguments of the decorator, with the fields it needs beside
    it. `to_torch` tells that the value goes to torch.compile unchanged.
    """

    name: str
    kind: Kind | None
    meaning: str
    example: str
    to_torch: bool = False

    @property
    def parse(self) -> Parser | None:
        """The check of its value by itself."""
        return None if self.kind is None else self.kind.parse

    @property
    def schema(self) -> dict[str, Any]:
        """A JSON schema of its value, with its meaning."""
        return {"description": self.meaning, **(self.kind.schema if self.kind else {})}


_count: Final = kinds.bound()

_ROWS: Final = (
    Field(
        "shapes",
        None,
        "shapes of the tensor arguments: a text, a tuple or a spec, of several a dict by parameter;"
        " a list has one for each step",
        'shapes={"x": "B S 64"}, dims={"B": 8, "S": [128, 129]}',
    ),
    Field(
        "dims",
        None,
        "sizes of the dims that the shapes name, by dim; a list has one for each step; or a"
        " trace_file",
        'shapes={"x": "B S 64"}, dims={"B": 8, "S": [128, 129]}',
    ),
    Field(
        "values",
        None,
        "Python arguments, by parameter; a list has one for each step",
        'values={"n": [1, 2, 3]}',
    ),
    Field("passes", kinds.whole_number(low=1), "how often the trace is run", "passes=3"),
    Field(
        "backend",
        kinds.BACKEND,
        "backend of torch.compile; 'eager' where none is named",
        'backend="inductor"',
    ),
    Field(
        "mode",
        kinds.OPTIONAL_TEXT,
        "mode of torch.compile",
        'backend="inductor", mode="max-autotune-no-cudagraphs"',
        to_torch=True,
    ),
    Field(
        "options",
        kinds.OPTIONS,
        "options of torch.compile",
        'backend="inductor", options={"max_autotune": True}',
        to_torch=True,
    ),
    Field(
        "dynamic", kinds.OPTIONAL_FLAG, "dynamic of torch.compile", "dynamic=True", to_torch=True
    ),
    Field("fullgraph", kinds.FLAG, "fullgraph of torch.compile", "fullgraph=True", to_torch=True),
    Field(
        "compiles",
        kinds.PARAMETERS,
        "parameters whose values are compiled, in place of the marked function",
        'compiles="model"',
    ),
    Field(
        "watch_only",
        kinds.FLAG,
        "compile nothing, watch what the function compiles itself",
        "watch_only=True",
    ),
    Field(
        "max_graph_breaks",
        _count,
        "break sites, at most",
        'max_graph_breaks={"<2.14": 2, ">=2.14": 0}',
    ),
    Field("max_recompiles", _count, "recompiles, at most", "max_recompiles=1"),
    Field(
        "max_recompiles_after_warmup",
        _count,
        "recompiles after the first warmup_calls calls, at most",
        "max_recompiles=None, max_recompiles_after_warmup=0, warmup_calls=2",
    ),
    Field(
        "warmup_calls",
        kinds.optional_whole_number(low=1),
        "calls before the steady state that max_recompiles_after_warmup bounds",
        "max_recompiles=None, max_recompiles_after_warmup=0, warmup_calls=2",
    ),
    Field("max_graphs", _count, "compiled graphs in all, at most", "max_graphs=2"),
    Field(
        "max_graph_launches_per_call",
        _count,
        "graphs run by one warm call, at most",
        "max_graph_launches_per_call=1",
    ),
    Field(
        "min_hit_rate",
        kinds.bound(whole=False, high=1),
        "share of hits among calls, each weighted by the count of its step, at least; 0 to 1",
        "min_hit_rate=0.5",
    ),
    Field(
        "min_captured_ops",
        _count,
        "operations in graphs that are no rebuilds, at least",
        "min_captured_ops=40",
    ),
    Field(
        "min_ops_per_graph",
        _count,
        "operations in the smallest graph, at least",
        "min_ops_per_graph=5",
    ),
    Field(
        "max_compile_seconds",
        kinds.bound(whole=False),
        "seconds spent compiling, at most",
        "max_compile_seconds=20",
    ),
    Field(
        "max_memory_growth",
        kinds.MEMORY_BOUND,
        "growth of the process's memory over the trace, at most; bytes, or a size such as '20 MB'",
        'max_memory_growth="20 MB"',
    ),
    Field(
        "dynamic_dims",
        kinds.DIM_NAMES,
        "dims that must be symbolic once they have changed",
        'dynamic_dims=["S"], max_recompiles=1',
    ),
    Field(
        "max_fragile_guards",
        _count,
        "assumptions of the graphs that are likely to fail, at most",
        "max_fragile_guards=0",
    ),
    Field(
        "allow_breaks",
        kinds.allowances("break"),
        "breaks that do not count, each with its reason",
        'allow_breaks=[{"gb_id": "GB0059", "file": "models/*.py", "because": "prints progress"}]',
    ),
    Field(
        "allow_recompiles",
        kinds.allowances("recompile"),
        "recompiles that do not count, each with its reason",
        'allow_recompiles=["automatic_dynamic", {"source": "self.step", "because": "a counter"}]',
    ),
    Field(
        "allow_fallbacks",
        kinds.allowances("fallback"),
        "work that may run eagerly, each with its reason",
        'allow_fallbacks=[{"kind": "disabled", "function": "log", "because": "writes to disk"}]',
    ),
    Field(
        "owners",
        kinds.OWNERS,
        "owners whose breaks count; all where none are named",
        'owners=["own"]',
    ),
    Field(
        "max_kernels",
        _count,
        "kernels that Inductor's code launches in one warm call, at most",
        'backend="inductor", max_kernels=4',
    ),
    Field(
        "max_opaque_ops",
        _count,
        "calls of operators that a compiler cannot see into, at most",
        "max_opaque_ops=0",
    ),
    Field(
        "extra",
        kinds.EXTRA_BOUNDS,
        "bounds that plugins declare, by name",
        'extra={"max_matmuls": 3}',
    ),
    Field(
        "check_custom_ops",
        kinds.FLAG,
        "hold custom operators to torch.library.opcheck",
        "check_custom_ops=True",
    ),
    Field(
        "policies",
        kinds.POLICIES,
        "ways to live with changing shapes, to be compared",
        'policies=["static", "auto", {"bucket": "pow2", "mask": "mask"}]',
    ),
    Field(
        "preferred_policy",
        kinds.OPTIONAL_TEXT,
        "the policy that no other may beat by more than policy_margin",
        'policies=["static", "auto"], preferred_policy="auto"',
    ),
    Field(
        "policy_margin",
        kinds.AMOUNT,
        "by what share of its cost another policy may cost less",
        'policies=["static", "auto"], preferred_policy="auto", policy_margin=0.2',
    ),
    Field(
        "match_eager",
        kinds.FLAG,
        "compare outputs, state and gradients of each step with an eager run",
        "match_eager=True",
    ),
    Field(
        "rtol",
        kinds.TOLERANCE,
        "relative tolerance of match_eager",
        "match_eager=True, rtol=0.001, atol=0.0001",
    ),
    Field(
        "atol",
        kinds.TOLERANCE,
        "absolute tolerance of match_eager",
        "match_eager=True, rtol=0.001, atol=0.0001",
    ),
    Field(
        "backward",
        kinds.FLAG,
        "also run .backward(), and watch its compilation; backend 'eager' compiles none",
        "backward=True",
    ),
    Field(
        "factory",
        kinds.FACTORY,
        "makes the instance for a contract on a method of library code",
        "factory=lambda: Block(width=64)",
    ),
    Field("seed", kinds.whole_number(), "seed of the inputs and of torch", "seed=7"),
    Field(
        "threads",
        kinds.optional_whole_number(low=1),
        "intra-op threads of torch; those that it has where none are named",
        "threads=1",
    ),
)

FIELDS: Final = {row.name: row for row in _ROWS}
"""Every field by name, in the order of the documentation."""
