"""Operators that a compiler cannot see into: where graphs call them, and whether they are sound."""

from __future__ import annotations

import re
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import fx

from pytest_compilecheck.observe.errors import told
from pytest_compilecheck.observe.events import OpaqueCall, StackFrame
from pytest_compilecheck.observe.torch_adapter import operator_name

# Operators of torch that its compilers know from within, or that only wrap a graph of their own.
_KNOWN = ("aten", "prim", "prims", "rngprims", "inductor", "higher_order", "_c10d_functional")
_LINE = re.compile(r'File "(?P<file>.+?)", line (?P<line>\d+), in (?P<function>\S+)')


def opaque_calls(graph: fx.Graph) -> Iterator[OpaqueCall]:
    """Calls of operators outside of torch's own, each with the stack of the code that makes it."""
    for node in graph.nodes:
        name = _custom_name(node)
        if name is not None:
            stack = _LINE.finditer(node.meta.get("stack_trace") or "")
            yield OpaqueCall(
                name=name,
                traced=tuple(
                    StackFrame(each["file"], int(each["line"]), each["function"]) for each in stack
                ),
            )


def _custom_name(node: fx.Node) -> str | None:
    found = operator_name(node.target) if node.op == "call_function" else None
    return None if found is None or found[0] in _KNOWN else found[1]


class CustomOpCheck:
    """Holds the custom operators of compiled graphs to `torch.library.opcheck`.

    The inputs of the first launch of each graph that calls one are kept, and the graph is run again
    with them, outside of what is watched, to see what each operator is given.
    """

    def __init__(self) -> None:
        self._graphs: list[tuple[fx.GraphModule, tuple[Any, ...]]] = []
        self._compiling = threading.local()

    def compiled(self, module: fx.GraphModule) -> None:
        """This thread's backend has just compiled a graph."""
        self._compiling.module = module

    def capturing(self, launch: Callable[..., Any]) -> Callable[..., Any]:
        """The callable of the graph compiled last in this thread, made to keep its first inputs."""
        module = getattr(self._compiling, "module", None)
        self._compiling.module = None
        if module is None or not any(_custom_name(node) for node in module.graph.nodes):
            return launch
        kept = False

        def keeping(*args: Any) -> Any:
            nonlocal kept
            if not kept:
                kept = True
                self._graphs.append((module, _clone(args)))
            return launch(*args)

        # Taken out together with the counter of launches that lies around it.
        keeping.__wrapped_graph__ = launch  # type: ignore[attr-defined]
        keeping.over = True  # type: ignore[attr-defined]
        return keeping

    def faults(self) -> dict[str, tuple[str, ...]]:
        """What is wrong with each operator that was met, by its name; () for a sound one."""
        found: dict[str, tuple[str, ...]] = {}
        failed: dict[str, tuple[str, ...]] = {}
        for module, inputs in self._graphs:
            calls, error = _calls(module, inputs)
            for operator, args, kwargs in calls:
                if str(operator) not in found:
                    found[str(operator)] = _check(operator, args, kwargs)
            if error is not None:
                why = f"it cannot be checked, because its graph fails when it runs again: {error}"
                names = (_custom_name(node) for node in module.graph.nodes)
                failed |= {name: (why,) for name in names if name is not None}
        return {**failed, **found}


Called = tuple[Any, tuple[Any, ...], dict[str, Any]]


def _calls(module: fx.GraphModule, inputs: tuple[Any, ...]) -> tuple[list[Called], str | None]:
    """The calls of custom operators in a graph, and what ended its run, if something did."""
    calls: list[Called] = []

    class Noting(fx.Interpreter):
        def run_node(self, n: fx.Node) -> Any:
            if _custom_name(n) is not None:
                args, kwargs = self.fetch_args_kwargs_from_env(n)
                calls.append((n.target, _clone(args), _clone(kwargs)))
            return super().run_node(n)

    with torch.compiler.set_stance("force_eager"), torch.no_grad():
        try:
            Noting(module).run(*inputs)
        except Exception as error:  # noqa: BLE001 - the operator is anybody's code
            return calls, told(error)
    return calls, None


def _check(operator: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[str, ...]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            results = torch.library.opcheck(operator, args, kwargs, raise_exception=False)
        except Exception as error:  # noqa: BLE001 - the operator is anybody's code
            return (told(error),)
    return tuple(
        f"{test}: {_first_line(result)}" for test, result in results.items() if result != "SUCCESS"
    )


def _first_line(result: object) -> str:
    return " ".join(str(result).split("\n\n")[0].split())[:300]


def _clone(value: Any) -> Any:
    """A copy of tensors in tuples, lists and dicts; other values as they are."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone().requires_grad_(value.requires_grad)
    if isinstance(value, (list, tuple)):
        return type(value)(map(_clone, value))
    if isinstance(value, dict):
        return {key: _clone(item) for key, item in value.items()}
    return value
