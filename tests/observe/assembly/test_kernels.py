from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compilecheck.observe.assembly.kernels import Kernel, kernels_of

HEAD = """
aten = torch.ops.aten
inductor_ops = torch.ops.inductor
extern_kernels = torch._inductor.select_algorithm.extern_kernels
reinterpret_tensor = torch._C._dynamo.guards._reinterpret_tensor
alloc_from_pool = torch.ops.inductor._alloc_from_pool
cpp_fused_add_0 = async_compile.cpp_pybinding(['float*'], 'void kernel() { launch(); }')
triton_poi_fused_1 = async_compile.triton('triton_poi_fused_1', 'def run(): aten.sort(x)')
"""


def told(source: str) -> dict[str, int] | None:
    counted = kernels_of(HEAD + source)
    if counted is None:
        return None
    return {f"{kernel.kind}:{kernel.name}": count for kernel, count in counted.items()}


LAUNCHES = {
    "cpp_fused_add_0(buf0, buf1)": "generated:cpp_fused_add_0",
    "triton_poi_fused_1.run(buf0, 64, stream=stream0)": "generated:triton_poi_fused_1",
    "extern_kernels.mm(buf0, reinterpret_tensor(buf0, (8, 4), (1, 8), 0), out=buf1)": "extern:mm",
    "buf1 = torch.ops.aten.sort.stable(buf0, stable=False)": "fallback:aten.sort.stable",
    "buf1 = aten.cumsum.default(buf0, 0)": "fallback:aten.cumsum.default",
    "inductor_ops.accumulate_grad_(buf0, buf1)": "fallback:inductor.accumulate_grad_",
    "buf2 = torch.ops.lib.scale.default(buf0, 2.0)": "fallback:lib.scale.default",
    "with torch.cuda._DeviceGuard(0):\n        cpp_fused_add_0(buf0)": "generated:cpp_fused_add_0",
}
NOTHING = (
    "buf0 = empty_strided_cpu((4, 8), (8, 1), torch.float32)",
    "assert_size_stride(buf0, (4, 8), (8, 1), 'torch.ops.aten.sort.default')",
    "stream0 = get_raw_stream(0)",
    "buf1 = alloc_from_pool(pool0, 0, torch.float32, (8, 8), (8, 1))",
    "inductor_ops.resize_storage_bytes_(buf0, 0)",
    "inductor_ops.resize_storage_bytes_.default(buf0, 256)",
    "buf2 = torch.ops.inductor._reinterpret_tensor(buf0, (8, 4), (1, 8), 0)",
    "buf3 = buf1[0]; del buf1  # reuse",
)


@given(st.lists(st.sampled_from([*LAUNCHES, *NOTHING])), st.booleans())
def test_each_launch_is_counted_by_kind_and_name(statements: list[str], method: bool) -> None:
    expected = Counter(LAUNCHES[each] for each in statements if each in LAUNCHES)
    body = "\n    ".join([*statements, "return (buf0,)"])
    source = f"def call(args):\n    {body}\n"
    if method:
        source = "class Runner:\n    " + source.replace("\n", "\n    ")
    assert told(source) == dict(expected)


def test_of_branches_the_one_with_most_launches_counts() -> None:
    source = """
def true_graph_0(args):
    cpp_fused_add_0(args)
    cpp_fused_add_0(args)

def false_graph_0(args):
    extern_kernels.mm(args)

def call(args):
    if arg0.item():
        buf0 = true_graph_0(args)
    else:
        buf0 = false_graph_0(args)
"""
    assert told(source) == {"generated:cpp_fused_add_0": 2}


def test_partitions_are_followed() -> None:
    source = """
def partition_0(args):
    cpp_fused_add_0(args)

def partition_1(args):
    extern_kernels.mm(args)

class Runner:
    def call(self, args):
        (buf0,) = self.partitions[0](args)
        buf1 = torch.ops.aten.sort.stable(buf0)
        (buf2,) = self.partitions[1](args)

runner = Runner(partitions=[partition_0, partition_1])
"""
    assert told(source) == {
        "generated:cpp_fused_add_0": 1,
        "extern:mm": 1,
        "fallback:aten.sort.stable": 1,
    }


@pytest.mark.parametrize(
    "source",
    [
        "#include <torch/csrc/inductor/cpp_wrapper.h>",
        "def other(args):\n    pass",
        "def call(args):\n    while should_loop:\n        cpp_fused_add_0(args)",
        "def call(args):\n    call(args)",
        "class Runner:\n    def call(self, args):\n        self.partitions[n](args)",
        "class Runner:\n    def call(self, args):\n        self.partitions[3](args)",
        "\0",
    ],
    ids=["C++", "no entry", "loop", "recursion", "which partition", "no partition", "no text"],
)
def test_what_the_code_does_not_tell_is_unknown(source: str) -> None:
    assert kernels_of(HEAD + source) is None


def test_a_loop_without_launches_does_no_harm() -> None:
    assert kernels_of("def call(args):\n    for each in args:\n        del each") == Counter()


def test_names_are_those_of_the_code() -> None:
    counted = kernels_of(HEAD + "def call(args):\n    cpp_fused_add_0(args)")
    assert counted == {Kernel("generated", "cpp_fused_add_0"): 1}
