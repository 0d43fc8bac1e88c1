"""Operations of a graph and of the graphs in it, and operators that a compiler cannot see into.

What `torch.utils.checkpoint`, `torch.cond`, `nested_compile_region` and the like run is a graph of
its own: a body, a submodule of the graph that a node refers to. It is looked through once for each
such node, as if it stood there.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from torch import fx

from pytest_compilecheck.observe.events import OpaqueCall, StackFrame
from pytest_compilecheck.observe.torch_adapter import operator_name

# Operators of torch that its compilers know from within, or that only wrap a graph of their own.
_KNOWN = ("aten", "prim", "prims", "rngprims", "inductor", "higher_order", "_c10d_functional")
_LINE = re.compile(r'File "(?P<file>.+?)", line (?P<line>\d+), in (?P<function>\S+)')


def nodes_of(graph: fx.GraphModule) -> Iterator[fx.Node]:
    """The nodes of a graph and of its bodies."""
    for node in graph.graph.nodes:
        yield node
        body = body_of(graph, node)
        if body is not None:
            yield from nodes_of(body)


def body_of(graph: fx.GraphModule, node: fx.Node) -> fx.GraphModule | None:
    """The graph that a node of another refers to."""
    if node.op not in ("get_attr", "call_module"):
        return None
    found: object = graph
    for name in str(node.target).split("."):
        found = getattr(found, name, None)
    return found if isinstance(found, fx.GraphModule) else None


def operation_count(graph: fx.GraphModule) -> int:
    """How many operations a graph has, those of its bodies among them."""
    return sum(node.op.startswith("call_") for node in nodes_of(graph))


def opaque_calls(graph: fx.GraphModule) -> Iterator[OpaqueCall]:
    """Calls of operators outside of torch's own, each with the stack of the code that makes it."""
    for node in nodes_of(graph):
        name = custom_name(node)
        if name is not None:
            stack = _LINE.finditer(node.meta.get("stack_trace") or "")
            yield OpaqueCall(
                name=name,
                traced=tuple(
                    StackFrame(each["file"], int(each["line"]), each["function"]) for each in stack
                ),
            )


def custom_name(node: fx.Node) -> str | None:
    """The name of an operator that is not torch's own, None for a node that calls no such one."""
    found = operator_name(node.target) if node.op == "call_function" else None
    return None if found is None or found[0] in _KNOWN else found[1]


def custom_nodes(graph: fx.GraphModule) -> Iterator[fx.Node]:
    """Calls of operators that are not torch's own, in a graph and its bodies."""
    return (node for node in nodes_of(graph) if custom_name(node) is not None)


def custom_nodes_under(graph: fx.GraphModule, takers: Collection[str]) -> Iterator[fx.Node]:
    """Those in bodies that are given to one of these operators of torch."""
    for node in graph.graph.nodes:
        body = body_of(graph, node)
        if body is None:
            continue
        if any(str(user.target) in takers for user in node.users):
            yield from custom_nodes(body)
        else:
            yield from custom_nodes_under(body, takers)
