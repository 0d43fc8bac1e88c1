"""Kernels of a watch: those of its graphs, and how many a call launches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from pytest_compilecheck.observe.assembly.kernels import Kernel, kernels_of
from pytest_compilecheck.observe.assembly.versions import without_rebuilds
from pytest_compilecheck.observe.recording.conversion import Call, Graph
from pytest_compilecheck.observe.values.observation import KernelUse

Launches = Mapping[int, "Counter[Kernel] | None"]
"""What one run of each graph launches, by the graph's number; None where it is not known."""


def launched_kernels(graph: Graph) -> Counter[Kernel] | None:
    """What one run of a graph launches; None where it is not Inductor's or cannot be read."""
    total: Counter[Kernel] = Counter()
    for code in graph.generated:
        launches = kernels_of(code.source)
        if launches is None:
            return None
        total += launches
    return total if graph.generated else None


def launches_in_calls(graphs: Iterable[Graph], launches: Launches) -> Launches:
    """What a launch of each graph may run, its variants for special sizes too: None if it differs.

    Which of them a call ran is not known.
    """
    possible = dict(launches)
    for graph in graphs:
        number = graph.variant_of
        if number is not None and possible.get(number) != launches[graph.number]:
            possible[number] = None
    return possible


def kernels_of_call(call: Call, launches: Launches) -> int | None:
    """How many kernels a call launched; None where that of one of its graphs is not known."""
    counts = [launches.get(number) for number in call.launched]
    known = [each.total() for each in counts if each is not None]
    return sum(known) if known and len(known) == len(counts) else None


def kernel_use(graphs: Iterable[Graph], launches: Launches) -> tuple[KernelUse, ...] | None:
    """Kernels of the graphs that are no rebuilds; None where Inductor's code cannot be read.

    Of rebuilds those that are not generated: the names of others are made up for each graph.
    """
    found: list[tuple[Graph, Counter[Kernel]]] = []
    for graph in graphs:
        if not graph.generated:
            continue
        kernels = launches[graph.number]
        if kernels is None:
            return None
        found.append((graph, _of_others(kernels) if graph.rebuild else kernels))
    return tuple(
        KernelUse(name=kernel.name, kind=kernel.kind, launches=count)
        for kernel, count in without_rebuilds(found).items()
    )


def _of_others(kernels: Counter[Kernel]) -> Counter[Kernel]:
    return Counter({each: count for each, count in kernels.items() if each.kind != "generated"})


def cudagraph_skips(graphs: Iterable[Graph]) -> tuple[str, ...]:
    """Why graphs run without CUDA graphs though they were asked for."""
    codes = (code for graph in graphs for code in graph.generated)
    return tuple(code.cudagraph_skip for code in codes if code.cudagraph_skip is not None)
