"""Counts what torch does from its own raw events, without anything of this project.

Sources: the callables that a backend of ours returns (graphs, launches), records of the logger
`torch.__trace` (breaks, reasons for recompiles, finished compiles), the C hook that tells hits from
misses, the hook of translated bytecode, `counters`, and what calls raise.
"""

from __future__ import annotations

import logging
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

import torch
import torch._dynamo.utils
from torch._C._dynamo.eval_frame import set_guard_complete_hook
from torch._dynamo.backends import registry
from torch._dynamo.convert_frame import register_bytecode_hook
from torch._logging.structured import INTERN_TABLE

from fuzz.text import Broken, broken

# Up to 2.10 torch tells of a skipped frame only while this logger is awake.
_SLEEPING = ("torch._dynamo.convert_frame.__graph_breaks",)


@dataclass(slots=True)
class Call:
    """What torch told during one call."""

    region: int
    graphs: int = 0
    launches: int = 0
    misses: int = 0
    traced: bool = False
    error: str | None = None
    error_text: str = ""
    reasons: list[str] = field(default_factory=list)  # compile ids that have entries already
    finished: dict[str, dict[str, Any]] = field(default_factory=dict)  # metrics by compile id
    breaks: list[Broken] = field(default_factory=list)
    printed: Counter[str] = field(default_factory=Counter)
    ops: list[tuple[str, int]] = field(default_factory=list)  # compile id, operations
    codes: dict[str, bytes] = field(default_factory=dict)  # bytecode by compile id


class Oracle(logging.Handler):
    """Listens from entering it until leaving it; `compiled` and `call` are for the program."""

    def __init__(self, fails_at: int | None = None, *, alone: bool = False) -> None:
        super().__init__(logging.DEBUG)
        self._sleeping = _SLEEPING if alone else ()  # a watch has to wake it itself
        self._fails_at, self._asked = fails_at, 0
        self.calls: list[Call] = []
        self.counted: list[str] = []  # why it broke, by torch's counters
        self._regions: list[Any] = []
        self._outside = Call(-1)
        self._current = self._outside
        self._hook_before: Any = None
        self._bytecode_hook: Any = None
        self._propagates = False
        self._levels: dict[str, int] = {}
        self._stdout = sys.stdout
        self._eager: Any = None
        self._compiling = ""  # the file of the code that was begun last

    def __enter__(self) -> Oracle:
        self.begin()
        log = logging.getLogger("torch.__trace")
        log.handlers.insert(0, self)  # torch's own handler takes itself out while it is asked
        self._propagates, log.propagate = log.propagate, False
        self._levels = {name: logging.getLogger(name).level for name in self._sleeping}
        for name in self._sleeping:
            logging.getLogger(name).setLevel(logging.DEBUG)
        self._hook_before = set_guard_complete_hook(self._guarded)  # type: ignore[arg-type]
        self._bytecode_hook = register_bytecode_hook(self._translated)
        self._stdout, sys.stdout = sys.stdout, self
        # Where `torch.cond` is left to Python it compiles itself, by torch's own backend.
        self._eager = registry.lookup_backend("eager")
        registry._COMPILER_FNS["eager"] = self._counting
        return self

    def __exit__(self, *_: object) -> None:
        registry._COMPILER_FNS["eager"] = self._eager
        sys.stdout = self._stdout
        set_guard_complete_hook(self._hook_before)
        self._bytecode_hook.remove()
        log = logging.getLogger("torch.__trace")
        log.handlers.remove(self)
        log.propagate = self._propagates
        for name, level in self._levels.items():
            logging.getLogger(name).setLevel(level)
        counters = torch._dynamo.utils.counters
        self.counted = [*counters["graph_break"], *counters["unimplemented"]]

    # For the program.

    def compiled(self, target: Any, **options: Any) -> Any:
        """A region of the program."""
        region = torch.compile(target, backend=self._backend, **options)
        self._regions.append(region)
        return region

    def call(self, region: Any, *args: Any) -> None:
        """One call of a region."""
        self._current = call = Call(self._regions.index(region))
        self.calls.append(call)
        try:
            region(*args)
        except Exception as error:  # noqa: BLE001 - what it raises is compared
            call.error, call.error_text = type(error).__name__, str(error)
        finally:
            self._current = self._outside

    def begin(self) -> None:
        """Forget what was so far."""
        self.calls.clear()
        torch._dynamo.utils.counters.clear()

    def write(self, text: str) -> int:
        """Take what the program prints."""
        self._current.printed[text] += 1
        return len(text)

    # What torch tells.

    def _backend(self, graph: torch.fx.GraphModule, inputs: Any) -> Callable[..., Any]:
        self._asked += 1
        if self._asked - 1 == self._fails_at:
            raise RuntimeError("the backend refuses")
        return self._counting(graph, inputs)

    def _counting(self, graph: torch.fx.GraphModule, _: Any, **__: Any) -> Callable[..., Any]:
        call, run = self._current, graph.forward
        call.graphs += 1
        call.ops.append((_compile_id(), _ops(graph)))

        def launch(*args: Any) -> Any:
            self._current.launches += 1
            return run(*args)

        return launch

    def _guarded(self, hit: bool) -> bool:
        self._current.misses += not hit
        return hit

    def _translated(self, code: CodeType, new_code: CodeType) -> None:  # noqa: ARG002 - torch's hook
        self._current.codes[_compile_id()] = code.co_code

    def emit(self, record: logging.LogRecord) -> None:
        """A record of torch's structured trace."""
        metadata: dict[str, Any] = record.metadata  # type: ignore[attr-defined]
        call = self._current
        if "compilation_metrics" in metadata:
            metrics = metadata["compilation_metrics"]
            call.traced = True
            call.finished[metrics["compile_id"]] = metrics
        elif "dynamo_start" in metadata:
            call.traced = True
            number = metadata["dynamo_start"]["stack"][-1]["filename"]
            self._compiling = next(f for f, n in INTERN_TABLE.items() if n == number)
        elif "artifact" in metadata:
            name = metadata["artifact"]["name"]
            if name == "dynamo_graph_break_reason":
                record_of_break = broken(str(record.payload), self._compiling)  # type: ignore[attr-defined]
                if record_of_break is not None:
                    call.breaks.append(record_of_break)
            elif name == "recompile_reasons":
                call.reasons.append(f"{metadata['frame_id']}/{metadata['frame_compile_id']}")


def _compile_id() -> str:
    return str(torch._guards.CompileContext.current_compile_id())


def _ops(graph: torch.fx.GraphModule) -> int:
    """Calls in a graph, and in the graphs that it hands to operators such as `torch.cond`."""
    total = 0
    for node in graph.graph.nodes:
        body = getattr(graph, str(node.target), None) if node.op == "get_attr" else None
        total += _ops(body) if isinstance(body, torch.fx.GraphModule) else 0
        total += node.op.startswith("call_")
    return total
