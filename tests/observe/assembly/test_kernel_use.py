"""Kernels that are counted are those that run: Inductor's own modules are the witness."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

from pytest_compilecheck import watch
from pytest_compilecheck.observe.assembly.kernel_use import launched_kernels, launches_in_calls
from pytest_compilecheck.observe.events import GeneratedCode
from pytest_compilecheck.observe.recording.conversion import Graph

MATRIX = torch.ones(16, 16)


@torch.library.custom_op("kernel_use::shift", mutates_args=())
def shift(x: torch.Tensor) -> torch.Tensor:
    return x + 1


@shift.register_fake
def _(x: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(x)


def one_graph(x: torch.Tensor) -> torch.Tensor:
    return ((x @ MATRIX).relu().sort()[0].softmax(-1)).sum(-1)


def broken_in_two(x: torch.Tensor) -> torch.Tensor:
    y = (x @ MATRIX).relu()
    torch._dynamo.graph_break()
    return y.sort()[0] + 1


def branches(x: torch.Tensor) -> torch.Tensor:
    return torch.cond(x.sum() > 0, lambda t: t.sin().sort()[0], lambda t: t.cos(), (x,))


def custom(x: torch.Tensor) -> torch.Tensor:
    return torch.ops.kernel_use.shift(x).relu() @ MATRIX


@pytest.fixture(autouse=True)
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path))
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def launches(run: Callable[[], object], directory: Path) -> int:
    """How many of the functions of generated modules that launch something are called."""
    counted: Counter[str] = Counter()
    modules = [
        module
        for module in list(sys.modules.values())
        if str(getattr(module, "__file__", "") or "").startswith(str(directory))
        and hasattr(module, "call")
    ]
    assert modules
    with pytest.MonkeyPatch.context() as patch:
        for module in modules:
            _count(module, counted, patch)
        run()
    return counted.total()


def _count(module: ModuleType, counted: Counter[str], patch: pytest.MonkeyPatch) -> None:
    for name, value in list(vars(module).items()):
        if name.startswith("cpp_fused"):
            patch.setattr(module, name, _counting(name, value, counted))
    extern = module.extern_kernels
    patch.setattr(module, "extern_kernels", _Counting(extern, counted, leaf=True))
    patch.setattr(module, "torch", _Torch(counted))


def _counting(name: str, value: Any, counted: Counter[str]) -> Any:
    def call(*args: Any, **kwargs: Any) -> Any:
        counted[name] += 1
        return value(*args, **kwargs)

    return call


class _Counting:
    def __init__(self, inner: Any, counted: Counter[str], leaf: bool = False) -> None:
        self.inner, self.counted, self.leaf = inner, counted, leaf

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.inner, name)
        if self.leaf:
            return _counting(name, value, self.counted)
        return _Counting(value, self.counted)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.counted[str(self.inner)] += 1
        return self.inner(*args, **kwargs)


class _Torch:
    """The module torch with `torch.ops` counted."""

    def __init__(self, counted: Counter[str]) -> None:
        self.ops = _Counting(torch.ops, counted)

    def __getattr__(self, name: str) -> Any:
        return getattr(torch, name)


@pytest.mark.parametrize(("function", "kernels"), [(one_graph, 4), (broken_in_two, 4), (custom, 3)])
def test_a_warm_call_launches_what_is_counted(
    function: Callable[[torch.Tensor], torch.Tensor], kernels: int, tmp_path: Path
) -> None:
    compiled = torch.compile(function, backend="inductor")
    x = torch.randn(4, 16)
    with watch() as seen:
        compiled(x)
        compiled(x)
    counted = seen.observation.timeline[1].kernels
    assert counted == launches(lambda: compiled(x), tmp_path)
    assert counted == kernels


def test_of_branches_the_longer_is_counted(tmp_path: Path) -> None:
    compiled = torch.compile(branches, backend="inductor")
    with watch() as seen:
        compiled(torch.ones(8))
        compiled(torch.ones(8))
    most = launches(lambda: compiled(torch.ones(8)), tmp_path)
    assert seen.observation.timeline[1].kernels == most


def test_what_inductor_made_earlier_counts_the_same(tmp_path: Path) -> None:
    """Its cache on disk hands out code without compiling."""
    seen = []
    for _ in range(2):
        torch._dynamo.reset()
        with watch() as once:
            torch.compile(one_graph, backend="inductor")(torch.randn(4, 16))
        seen.append(once.observation)
    assert seen[0].kernels == seen[1].kernels
    assert seen[1].kernels


def test_kernels_of_a_backward_are_no_part_of_a_call() -> None:
    weight = torch.randn(16, 16, requires_grad=True)
    compiled = torch.compile(lambda x: (x @ weight).relu().sum(), backend="inductor")
    with watch() as seen:
        for _ in range(2):
            compiled(torch.randn(4, 16)).backward()
    kinds = Counter(each.kind for each in seen.observation.kernels or ())
    assert kinds == {"generated": 1, "extern": 1}
    assert [entry.kernels for entry in seen.observation.timeline] == [2, 2]
    assert seen.observation.backward_graphs == 1


@pytest.mark.slow
def test_a_rebuild_adds_no_kernels_to_those_of_the_graphs() -> None:
    compiled = torch.compile(one_graph, backend="inductor", dynamic=False)
    with watch() as seen:
        compiled(torch.randn(4, 16))
        once = seen.observation.kernels
        compiled(torch.randn(5, 16))
    assert seen.observation.recompiles == 1
    assert seen.observation.kernels == once


def test_kernels_of_others_that_a_rebuild_alone_has_are_kernels_of_the_graphs() -> None:
    def flagged(x: torch.Tensor, flag: bool) -> torch.Tensor:
        return x.sort()[0] + 1 if flag else x + 1

    compiled = torch.compile(flagged, backend="inductor")
    with watch() as seen:
        compiled(torch.randn(4, 16), False)
        assert [each.kind for each in seen.observation.kernels or ()] == ["generated"]
        compiled(torch.randn(4, 16), True)
    assert seen.observation.recompiles == 1
    (library,) = seen.observation.library_kernels or ()
    assert (library.name, library.launches) == ("aten.sort.stable", 1)


def test_planning_memory_launches_nothing() -> None:
    def three(x: torch.Tensor) -> torch.Tensor:
        return (((x @ MATRIX).relu() @ MATRIX).sin() @ MATRIX).cos().sum(-1)

    found = []
    for planned in (False, True):
        torch._dynamo.reset()
        options = {"memory_planning": planned, "fx_graph_cache": False}
        with watch() as seen, torch._inductor.config.patch(options):
            torch.compile(three, backend="inductor")(torch.randn(4, 16))
        found.append((seen.observation.timeline[0].kernels, seen.observation.kernels))
    assert found[0] == found[1]


def generated(number: int, *launched: str, **fields: Any) -> Graph:
    body = "".join(f"    {name}(buf0)\n" for name in ("aten.sort.default", *launched))
    source = f"aten = torch.ops.aten\ndef call(args):\n{body}"
    return Graph(number, 1, rebuild=False, generated=(GeneratedCode(source),), **fields)


@pytest.mark.parametrize(
    ("variant", "kernels"),
    [
        (generated(2, "aten.cumsum.default", variant_of=1), 2),
        (generated(2, variant_of=1), None),
        (generated(2, "aten.cumsum.default", variant_of=5), 2),
        (Graph(2, 1, rebuild=True, variant_of=1), None),
    ],
    ids=["the same", "fewer", "of another graph", "unknown"],
)
def test_which_variant_of_a_graph_ran_is_not_known(variant: Graph, kernels: int | None) -> None:
    graphs = [generated(0), generated(1, "aten.cumsum.default"), variant]
    launches = {graph.number: launched_kernels(graph) for graph in graphs}
    possible = launches_in_calls(graphs, launches)
    counts = {number: count and count.total() for number, count in possible.items()}
    assert (counts[0], counts[1]) == (1, kernels)


def test_another_backend_has_none() -> None:
    with watch() as seen:
        torch.compile(one_graph, backend="eager")(torch.randn(4, 16))
    assert seen.observation.kernels == ()
    assert seen.observation.timeline[0].kernels is None


@pytest.mark.slow
def test_a_loop_in_the_generated_code_is_unknown() -> None:
    from torch._higher_order_ops import while_loop

    def looped(x: torch.Tensor) -> Any:
        return while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y.sin()), (torch.tensor(0), x))

    compiled = torch.compile(looped, backend="inductor")
    with watch() as seen, torch.no_grad():
        compiled(torch.randn(4))
        compiled(torch.randn(4))
    assert seen.observation.kernels is None
    assert seen.observation.timeline[1].kernels is None


def test_why_cuda_graphs_are_left_out_is_told() -> None:
    linear = torch.nn.Linear(8, 8)
    with watch() as seen, torch.no_grad():
        torch.compile(linear, mode="reduce-overhead")(torch.randn(2, 8))
    (reason,) = seen.observation.cudagraph_skips
    assert "cpu" in reason or "device" in reason
    with watch() as plain, torch.no_grad():
        torch.compile(linear)(torch.randn(3, 8))
    assert plain.observation.cudagraph_skips == ()


@pytest.mark.skipif(not torch.cuda.is_available(), reason="CUDA graphs need a GPU")
def test_a_graph_on_a_gpu_runs_in_a_cuda_graph() -> None:
    linear = torch.nn.Linear(8, 8, device="cuda")
    with watch() as seen, torch.no_grad():
        compiled = torch.compile(linear, mode="reduce-overhead")
        for _ in range(3):
            compiled(torch.randn(2, 8, device="cuda"))
    assert seen.observation.cudagraph_skips == ()


def test_modules_that_inductor_imports_keep_no_hook() -> None:
    with watch():
        torch.compile(one_graph, backend="inductor")(torch.randn(4, 16))
    bound = [
        name
        for name, module in list(sys.modules.items())
        if hasattr(getattr(module, "__dict__", {}).get("trace_structured"), "_compilecheck_patch")
    ]
    assert bound == []
