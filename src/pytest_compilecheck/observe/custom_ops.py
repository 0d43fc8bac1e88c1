"""Whether custom operators are sound: `torch.library.opcheck`, with what graphs give to them."""

from __future__ import annotations

import threading
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any, Final

import torch
from torch import fx

from pytest_compilecheck.observe.errors import told
from pytest_compilecheck.observe.graph_rerun import Copies, OperatorCall, run_again
from pytest_compilecheck.observe.operators import custom_name, custom_nodes, custom_nodes_under
from pytest_compilecheck.observe.torch_adapter import SHAPES

_MOST_LAUNCHES: Final = 32
_MOST_CALLS: Final = 100

_BRANCHING: Final = ("cond", "while_loop")  # torch may leave out a body of these
_DIFFERENTIABLE: Final = ("autograd_function_apply",)  # one body of it is for the backward
_NUMBERS: Final = (torch.SymInt, torch.SymFloat, torch.SymBool)


class CustomOpCheck:
    """Holds the custom operators of compiled graphs to `torch.library.opcheck`.

    Inputs of each graph that calls one are kept, and the graph is run again with them, outside of
    what is watched, to see what each operator is given.
    """

    def __init__(self) -> None:
        self._graphs: list[_Graph] = []
        self._operators: defaultdict[str, _Operator] = defaultdict(_Operator)
        self._copies = Copies()
        self._compiling = threading.local()

    def compiled(self, module: fx.GraphModule) -> None:
        """This thread's backend has just compiled a graph."""
        self._compiling.graph = _Graph(module)

    def capturing(self, launch: Callable[..., Any]) -> Callable[..., Any]:
        """The callable of the graph compiled last in this thread, made to keep inputs."""
        graph = getattr(self._compiling, "graph", None)
        self._compiling.graph = None
        if graph is None or not graph.nodes:
            return launch
        self._graphs.append(graph)

        def keeping(*args: Any) -> Any:
            if graph.wants(args):
                graph.inputs.append(self._copies.of(args))
            return launch(*args)

        # Taken out together with the counter of launches that lies around it.
        keeping.__wrapped_graph__ = launch  # type: ignore[attr-defined]
        keeping.over = True  # type: ignore[attr-defined]
        return keeping

    def faults(self) -> dict[str, tuple[str, ...]]:
        """What is wrong with each operator that was called, by its name; () for a sound one."""
        for graph in self._graphs:
            while graph.inputs:
                self._run_again(graph, graph.inputs.pop(0))
            if graph.cut:
                why = f"a graph ran with more numbers than the {_MOST_LAUNCHES} that are tried"
                self._leave_unchecked(
                    graph.given_numbers, f"not all of its calls are checked: {why}"
                )
        return {name: operator.told() for name, operator in self._operators.items()}

    def _run_again(self, graph: _Graph, inputs: tuple[Any, ...]) -> None:
        if graph.unmet or graph.given_numbers:
            self._run(graph, graph.nodes, inputs, backward=False)
        of_backward = graph.unmet & graph.differentiable
        if of_backward:
            self._run(graph, of_backward, inputs, backward=True)

    def _run(
        self, graph: _Graph, nodes: set[fx.Node], inputs: tuple[Any, ...], *, backward: bool
    ) -> None:
        reached: set[fx.Node] = set()
        calls: list[OperatorCall] = []

        def note(node: fx.Node, call: OperatorCall) -> None:
            if node in nodes:
                reached.add(node)
                if self._operators[str(call.operator)].is_new(call):
                    calls.append(call.copy())

        error = run_again(graph.module, inputs, note, backward=backward)
        graph.unmet -= reached
        for call in calls:
            self._operators[str(call.operator)].check(call)
        if error is not None:
            why = "it cannot be checked, because its graph fails when it runs again"
            self._leave_unchecked(nodes - reached, f"{why}: {error}")

    def _leave_unchecked(self, nodes: Iterable[fx.Node], why: str) -> None:
        for name in _names(nodes):
            self._operators[name].unchecked[why] = None


class _Graph:
    """A graph that was compiled: its calls of custom operators, and inputs that it ran with."""

    def __init__(self, module: fx.GraphModule) -> None:
        self.module = module
        self.inputs: list[tuple[Any, ...]] = []
        self.cut = False
        self.nodes = set(custom_nodes(module))
        self.unmet = set(self.nodes)
        self.differentiable = set(custom_nodes_under(module, _DIFFERENTIABLE))
        numbers = {node: _numbers(node) for node in self.nodes}
        self.given_numbers = {node for node, given in numbers.items() if given}
        self._by_data = any(map(SHAPES.free_unbacked_symbols, numbers.values()))
        self._branches = any(custom_nodes_under(module, _BRANCHING))
        self._seen: set[str] = set()
        self._kept = 0

    def wants(self, inputs: tuple[Any, ...]) -> bool:
        """Whether a run with these inputs may give an operator what none before has given it."""
        numbers = [each for each in inputs if not isinstance(each, torch.Tensor)]
        key = repr(numbers) if self.given_numbers else ""
        differs = self._by_data or key not in self._seen
        if not (differs or self._branches):
            return False
        if self._kept == _MOST_LAUNCHES:
            self.cut |= differs
            return False
        self._seen.add(key)
        self._kept += 1
        return True


class _Operator:
    """What is known of an operator."""

    def __init__(self) -> None:
        self.unchecked: dict[str, None] = {}  # why, in order
        self._faults: tuple[str, ...] = ()
        self._kinds: set[str] = set()

    def is_new(self, call: OperatorCall) -> bool:
        """Whether a call should be checked."""
        known = len(self._kinds)
        self._kinds.add(call.kind)
        return known < len(self._kinds) <= _MOST_CALLS

    def check(self, call: OperatorCall) -> None:
        """Hold it to what it says of itself, until a fault is found."""
        if not self._faults:
            self._faults = _check(call)

    def told(self) -> tuple[str, ...]:
        """What is wrong with it, and what of it could not be checked."""
        if len(self._kinds) <= _MOST_CALLS or self._faults:
            return (*self._faults, *self.unchecked)
        why = f"it is called in more ways than the {_MOST_CALLS} that are tried"
        return (*self.unchecked, f"not all of its calls are checked: {why}")


def _names(nodes: Iterable[fx.Node]) -> set[str]:
    """The operators that these nodes call."""
    return {name for name in map(custom_name, nodes) if name is not None}


def _numbers(node: fx.Node) -> list[Any]:
    """Numbers that a graph works out or is given, and gives to an operator."""
    values = [given.meta.get("example_value") for given in node.all_input_nodes]
    return [value for value in values if isinstance(value, _NUMBERS)]


def _check(call: OperatorCall) -> tuple[str, ...]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            results = torch.library.opcheck(
                call.operator, call.args, call.kwargs, raise_exception=False
            )
        except Exception as error:  # noqa: BLE001 - the operator is anybody's code
            return (told(error),)
    return tuple(
        f"{test}: {_first_line(result)}" for test, result in results.items() if result != "SUCCESS"
    )


def _first_line(result: object) -> str:
    return " ".join(str(result).split("\n\n")[0].split())[:300]
