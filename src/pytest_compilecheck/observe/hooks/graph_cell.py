"""Where the wrapper of a compiled graph keeps the callable that the backend returned."""

from __future__ import annotations

from typing import Any


def graph_cell(wrapper: Any) -> Any:
    """The closure cell with the graph's callable, or None for a wrapper of unknown shape.

    torch puts each graph into a global `__compiled_fn_...`, a `disable` wrapper whose cell is named
    `fn` (torch/_dynamo/eval_frame.py, `DisableContext.__call__`); a dispatch over specializations
    holds that wrapper as `compiled_fn` (output_graph.py).
    """
    names = getattr(getattr(wrapper, "__code__", None), "co_freevars", ())
    if "fn" in names:
        return wrapper.__closure__[names.index("fn")]
    if "compiled_fn" in names:
        return graph_cell(wrapper.__closure__[names.index("compiled_fn")].cell_contents)
    return None
