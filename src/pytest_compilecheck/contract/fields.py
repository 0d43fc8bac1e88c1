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
    `to_torch` tells that the value goes to torch.compile unchanged.
    """

    name: str
    kind: Kind | None
    meaning: str
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
    Field("shapes", None, "shapes of the tensor arguments, for each step"),
    Field("dims", None, "sizes of the dims that the shapes name"),
    Field("values", None, "Python arguments, for each step"),
    Field("passes", kinds.whole_number(low=1), "how often the trace is run"),
    Field("backend", kinds.BACKEND, "backend of torch.compile; 'eager' where none is named"),
    Field("mode", kinds.OPTIONAL_TEXT, "mode of torch.compile", to_torch=True),
    Field("options", kinds.OPTIONS, "options of torch.compile", to_torch=True),
    Field("dynamic", kinds.OPTIONAL_FLAG, "dynamic of torch.compile", to_torch=True),
    Field("fullgraph", kinds.FLAG, "fullgraph of torch.compile", to_torch=True),
    Field("compiles", kinds.PARAMETERS, "parameters whose values are compiled"),
    Field("watch_only", kinds.FLAG, "compile nothing, watch what the function compiles itself"),
    Field("max_graph_breaks", _count, "break sites"),
    Field("max_recompiles", _count, "recompiles"),
    Field("max_recompiles_after_warmup", _count, "recompiles after the first warmup_calls calls"),
    Field(
        "warmup_calls",
        kinds.optional_whole_number(low=1),
        "calls before the steady state",
    ),
    Field("max_graphs", _count, "compiled graphs in all"),
    Field("max_graph_launches_per_call", _count, "graphs run by one warm call"),
    Field("min_hit_rate", kinds.bound(whole=False, high=1), "share of hits among calls"),
    Field("min_captured_ops", _count, "operations in first-compiled graphs"),
    Field("min_ops_per_graph", _count, "operations in the smallest graph"),
    Field("max_compile_seconds", kinds.bound(whole=False), "seconds spent compiling"),
    Field(
        "max_memory_growth",
        kinds.MEMORY_BOUND,
        "growth of the process's memory over the trace, such as '20 MB'",
    ),
    Field("dynamic_dims", kinds.DIM_NAMES, "dims that must be symbolic once they have changed"),
    Field("max_fragile_guards", _count, "assumptions of the graphs that are likely to fail"),
    Field("allow_breaks", kinds.allowances("break"), "breaks that do not count"),
    Field(
        "allow_recompiles",
        kinds.allowances("recompile"),
        "recompiles that do not count",
    ),
    Field("allow_fallbacks", kinds.allowances("fallback"), "fallbacks permitted"),
    Field("owners", kinds.OWNERS, "owners whose breaks count"),
    Field("max_kernels", _count, "kernels that Inductor's code launches in one warm call"),
    Field("max_opaque_ops", _count, "calls of operators that a compiler cannot see into"),
    Field("extra", kinds.EXTRA_BOUNDS, "bounds that plugins declare, by name"),
    Field("check_custom_ops", kinds.FLAG, "hold custom operators to torch.library.opcheck"),
    Field("policies", kinds.POLICIES, "ways to live with changing shapes, to be compared"),
    Field("preferred_policy", kinds.OPTIONAL_TEXT, "the policy that no other may beat by far"),
    Field("policy_margin", kinds.AMOUNT, "by what share another policy may cost less"),
    Field("match_eager", kinds.FLAG, "compare each step with an eager run"),
    Field("rtol", kinds.TOLERANCE, "relative tolerance of match_eager"),
    Field("atol", kinds.TOLERANCE, "absolute tolerance of match_eager"),
    Field("backward", kinds.FLAG, "also run .backward(), and watch its compilation"),
    Field(
        "factory", kinds.FACTORY, "makes the instance for a contract on a method of library code"
    ),
    Field("seed", kinds.whole_number(), "seed of the inputs and of torch"),
    Field("threads", kinds.optional_whole_number(low=1), "intra-op threads"),
)

FIELDS: Final = {row.name: row for row in _ROWS}
"""Every field by name, in the order of the documentation."""
