from __future__ import annotations

from pytest_compilecheck.observe.values.observation import KernelUse
from pytest_compilecheck.report.parts.kernels import kernels_section, kernels_text
from pytest_compilecheck.report.style import plain
from tests.report.values import observation

SORT = KernelUse(name="aten.sort.stable", kind="fallback", launches=1)
MM = KernelUse(name="mm", kind="extern", launches=2)
FUSED = tuple(
    KernelUse(name=f"cpp_fused_add_{number}", kind="generated", launches=1) for number in range(10)
)


def test_kernels_are_listed_by_kind() -> None:
    seen = observation(kernels=(SORT, MM, FUSED[0]))
    assert plain(kernels_section(seen, verbose=False)).splitlines() == [
        "Kernels that one run of the compiled code launches: 4",
        "  1 generated: cpp_fused_add_0",
        "  2 of a library: mm x2",
        "  1 of plain operators, which nothing is fused into: aten.sort.stable",
    ]


def test_many_are_cut_but_with_verbose() -> None:
    seen = observation(kernels=FUSED)
    assert "cpp_fused_add_7, and 2 others" in plain(kernels_section(seen, verbose=False))
    assert "cpp_fused_add_9" in plain(kernels_section(seen, verbose=True))


def test_code_that_cannot_be_read_is_said() -> None:
    assert "unknown" in plain(kernels_section(observation(kernels=None), verbose=False))


def test_without_inductor_there_is_nothing_to_say() -> None:
    assert kernels_section(observation(kernels=()), verbose=True) == []


def test_each_reason_against_cuda_graphs_is_told_once() -> None:
    seen = observation(cudagraph_skips=("mutated inputs", "mutated inputs"))
    assert plain(kernels_section(seen, verbose=False)) == "CUDA graphs left out: mutated inputs"


def test_recordings_that_were_made_again_are_counted() -> None:
    seen = observation(cudagraph_rerecords=("an input moved", "an input moved"))
    text = "CUDA graph recorded again, 2 times: an input moved"
    assert plain(kernels_section(seen, verbose=False)) == text


def test_kinds_in_one_line() -> None:
    assert kernels_text((SORT, MM)) == "2 of a library, 1 of plain operators"
