"""The register of a contract's fields: name, check, meaning."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Final

from pytest_compilecheck.contract import parsers
from pytest_compilecheck.contract.allow import parse_allowances
from pytest_compilecheck.contract.bounds import parse_bound
from pytest_compilecheck.contract.memory_size import parse_memory_bound
from pytest_compilecheck.contract.parsers import Parser


@dataclass(frozen=True, slots=True)
class Field:
    """One field that a person may write.

    `parse` checks its value; None for the fields that make the trace, which are read together.
    `to_torch` tells that the value goes to torch.compile unchanged.
    """

    name: str
    parse: Parser | None
    meaning: str
    to_torch: bool = False


_count: Final[Parser] = parse_bound

_ROWS: Final = (
    Field("shapes", None, "shapes of the tensor arguments, for each step"),
    Field("dims", None, "sizes of the dims that the shapes name"),
    Field("values", None, "Python arguments, for each step"),
    Field("passes", partial(parsers.whole_number, low=1), "how often the trace is run"),
    Field("backend", parsers.backend, "backend of torch.compile; 'eager' where none is named"),
    Field("mode", parsers.optional_text, "mode of torch.compile", to_torch=True),
    Field("options", parsers.optional_options, "options of torch.compile", to_torch=True),
    Field("dynamic", parsers.optional_flag, "dynamic of torch.compile", to_torch=True),
    Field("fullgraph", parsers.flag, "fullgraph of torch.compile", to_torch=True),
    Field("compiles", parsers.parameter_names, "parameters whose values are compiled"),
    Field("watch_only", parsers.flag, "compile nothing, watch what the function compiles itself"),
    Field("max_graph_breaks", _count, "break sites"),
    Field("max_recompiles", _count, "recompiles"),
    Field("max_recompiles_after_warmup", _count, "recompiles after the first warmup_calls calls"),
    Field(
        "warmup_calls",
        partial(parsers.optional_whole_number, low=1),
        "calls before the steady state",
    ),
    Field("max_graphs", _count, "compiled graphs in all"),
    Field("max_graph_launches_per_call", _count, "graphs run by one warm call"),
    Field("min_hit_rate", partial(parse_bound, whole=False, high=1), "share of hits among calls"),
    Field("min_captured_ops", _count, "operations in first-compiled graphs"),
    Field("min_ops_per_graph", _count, "operations in the smallest graph"),
    Field("max_compile_seconds", partial(parse_bound, whole=False), "seconds spent compiling"),
    Field(
        "max_memory_growth",
        parse_memory_bound,
        "growth of the process's memory over the trace, such as '20 MB'",
    ),
    Field("dynamic_dims", parsers.dim_names, "dims that must be symbolic once they have changed"),
    Field("max_fragile_guards", _count, "assumptions of the graphs that are likely to fail"),
    Field("allow_breaks", partial(parse_allowances, kind="break"), "breaks that do not count"),
    Field(
        "allow_recompiles",
        partial(parse_allowances, kind="recompile"),
        "recompiles that do not count",
    ),
    Field("allow_fallbacks", partial(parse_allowances, kind="fallback"), "fallbacks permitted"),
    Field("owners", parsers.owners, "owners whose breaks count"),
    Field("max_kernels", _count, "kernels that Inductor's code launches in one warm call"),
    Field("max_opaque_ops", _count, "calls of operators that a compiler cannot see into"),
    Field("check_custom_ops", parsers.flag, "hold custom operators to torch.library.opcheck"),
    Field("match_eager", parsers.flag, "compare each step with an eager run"),
    Field("rtol", parsers.optional_tolerance, "relative tolerance of match_eager"),
    Field("atol", parsers.optional_tolerance, "absolute tolerance of match_eager"),
    Field("backward", parsers.flag, "also run .backward(), and watch its compilation"),
    Field("seed", parsers.whole_number, "seed of the inputs and of torch"),
    Field("threads", partial(parsers.optional_whole_number, low=1), "intra-op threads"),
)

FIELDS: Final = {row.name: row for row in _ROWS}
"""Every field by name, in the order of the documentation."""
