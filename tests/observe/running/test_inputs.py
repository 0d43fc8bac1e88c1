from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pytest_compilecheck.contract.trace.dtypes import NAMES, integer_range
from pytest_compilecheck.contract.trace.inputs import PythonValue
from pytest_compilecheck.contract.trace.model import Step
from pytest_compilecheck.contract.trace.spec import spec
from pytest_compilecheck.observe.running.inputs import make_inputs, make_tensor


def make(shape: tuple[int, ...] = (64,), seed: int = 0, **fields: Any) -> torch.Tensor:
    described = spec(shape, **fields)
    assert described.faults == ()
    return make_tensor(described, seed)


@pytest.mark.filterwarnings("ignore:ComplexHalf support is experimental")
@pytest.mark.parametrize("dtype", NAMES)
def test_every_dtype_of_a_contract_can_be_made(dtype: str) -> None:
    tensor = make((4, 3), dtype=dtype)
    assert (tensor.dtype, tensor.shape) == (getattr(torch, dtype), (4, 3))
    assert tensor.device.type == "cpu"
    assert not tensor.requires_grad


@pytest.mark.parametrize("dtype", [name for name in NAMES if integer_range(name)])
def test_integers_are_small_where_no_range_is_given(dtype: str) -> None:
    values = make(dtype=dtype).long()
    assert 0 <= values.min() < values.max() < 10


def test_flags_are_of_both_kinds() -> None:
    assert make(dtype="bool").unique().tolist() == [False, True]


def test_floats_are_standard_normal_where_no_range_is_given() -> None:
    values = make((10_000,), dtype="float64")
    assert abs(values.mean()) < 0.05
    assert abs(values.std() - 1) < 0.05
    assert make((100,), dtype="complex64").imag.std() > 0.1


@st.composite
def integer_specs(draw: st.DrawFn) -> dict[str, Any]:
    dtype = draw(st.sampled_from(["uint8", "int8", "int16", "uint32", "int32", "int64"]))
    limits = integer_range(dtype)
    assert limits is not None
    low = draw(st.none() | st.integers(limits[0], limits[1] - 1))
    least = limits[0] + 1 if low is None else low + 1
    high = draw(st.none() | st.integers(least, limits[1]))
    return {"dtype": dtype, "low": low, "high": high}


@given(integer_specs())
def test_integers_lie_in_their_range(fields: dict[str, Any]) -> None:
    values = make((16,), **fields).to(torch.int64)
    if fields["low"] is not None:
        assert values.min() >= fields["low"]
    if fields["high"] is not None:
        assert values.max() < fields["high"]


@given(
    st.sampled_from(["float16", "bfloat16", "float32", "float64"]),
    st.none() | st.floats(-100, 100),
    st.none() | st.floats(-100, 100),
)
def test_floats_lie_in_their_range_as_the_dtype_rounds_it(
    dtype: str, low: float | None, high: float | None
) -> None:
    if low is not None and high is not None and low >= high:
        low, high = high, low
    if low == high:
        return
    values = make((16,), dtype=dtype, low=low, high=high)
    bounds = torch.tensor([low or 0.0, high or 0.0], dtype=torch.float64).to(values.dtype)
    if low is not None:
        assert values.min() >= bounds[0]
    if high is not None:
        assert values.max() <= bounds[1]


@pytest.mark.parametrize(("low", "high"), [(1e9, 1e9 + 1), (2.8e-166, 1.4e-117), (-1e300, 1e300)])
def test_a_range_of_doubles_is_kept(low: float, high: float) -> None:
    values = make((100,), dtype="float64", low=low, high=high)
    assert low <= values.min() < values.max() < high


def test_a_range_of_floats_is_filled_evenly() -> None:
    values = make((10_000,), low=2, high=6)
    assert abs(values.mean() - 4) < 0.1
    assert abs(values.std() - 4 / 12**0.5) < 0.1


def test_requires_grad_makes_a_leaf() -> None:
    tensor = make(requires_grad=True, strides=(2,))
    assert tensor.requires_grad
    assert tensor.is_leaf


@pytest.mark.parametrize(
    ("shape", "memory_format"),
    [((2, 3, 4, 5), "channels_last"), ((2, 3, 4, 5, 6), "channels_last_3d"), ((2, 3), None)],
)
def test_memory_format(shape: tuple[int, ...], memory_format: str | None) -> None:
    tensor = make(shape, memory_format=memory_format)
    wanted = getattr(torch, memory_format or "contiguous_format")
    assert tensor.is_contiguous(memory_format=wanted)
    assert torch.equal(tensor, make(shape))


@pytest.mark.parametrize(
    ("shape", "strides"),
    [
        ((4, 8), (1, 4)),
        ((4, 8), (16, 2)),
        ((4, 8), (0, 1)),  # as expand() makes it
        ((6, 4), (2, 1)),  # as unfold() makes it
        ((4, 0), (1, 1)),
        ((), ()),
    ],
)
@pytest.mark.parametrize("device", ["cpu", "meta"])
def test_strides(shape: tuple[int, ...], strides: tuple[int, ...], device: str) -> None:
    tensor = make(shape, strides=strides, device=device)
    assert (tuple(tensor.shape), tensor.stride()) == (shape, strides)
    assert tensor._base is None


def test_elements_that_share_memory_are_equal() -> None:
    tensor = make((3, 4), strides=(0, 1), dtype="int64", high=1000)
    assert torch.equal(tensor[0], tensor[2])
    assert len(tensor[0].unique()) > 1


def test_the_device_does_not_change_what_is_made() -> None:
    on_meta = make((2, 3, 4, 5), device="meta", memory_format="channels_last", dtype="bfloat16")
    assert on_meta.device.type == "meta"
    assert on_meta.dtype is torch.bfloat16
    assert on_meta.is_contiguous(memory_format=torch.channels_last)


@pytest.fixture
def _other_defaults() -> Iterator[None]:
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(99)
    yield
    torch.set_default_dtype(torch.float32)


STEP = Step(
    index=1,
    inputs={
        "x": spec((4, 2)),
        "y": spec((4, 2)),
        "ids": spec((4,), dtype="int64", high=1000),
        "scale": spec((4,), low=0, high=1),
        "n": PythonValue([1, 2]),
    },
)
MADE = make_inputs(STEP, 0)


@pytest.mark.usefixtures("_other_defaults")
def test_inputs_are_the_same_whatever_ran_before() -> None:
    state = torch.get_rng_state()
    again = make_inputs(STEP, 0)
    assert list(again) == ["x", "y", "ids", "scale", "n"]
    for name in ("x", "y", "ids", "scale"):
        assert torch.equal(again[name], MADE[name])
        assert again[name].dtype is MADE[name].dtype
    assert torch.equal(torch.get_rng_state(), state)


def test_inputs_differ_by_argument_step_and_seed() -> None:
    assert not torch.equal(MADE["x"], MADE["y"])
    other_step = Step(index=2, inputs=STEP.inputs)
    for others in (make_inputs(other_step, 0), make_inputs(STEP, 1)):
        assert not torch.equal(others["x"], MADE["x"])


def test_each_run_gets_tensors_of_its_own_and_python_values_as_they_are() -> None:
    again = make_inputs(STEP, 0)
    assert again["x"].data_ptr() != MADE["x"].data_ptr()
    value = STEP.inputs["n"]
    assert isinstance(value, PythonValue)
    assert again["n"] is value.value


def test_the_default_device_is_where_inputs_are_made() -> None:
    with torch.device("meta"):
        assert make().device.type == "meta"
        assert make(device="cpu").device.type == "cpu"


def test_a_device_that_the_machine_lacks_is_torchs_error() -> None:
    with pytest.raises((RuntimeError, AssertionError), match=r"CUDA|cuda"):
        make(device="cuda:99")


def test_sizes_of_a_step_are_those_of_its_tensors() -> None:
    assert STEP.sizes() == {"x": (4, 2), "y": (4, 2), "ids": (4,), "scale": (4,)}
