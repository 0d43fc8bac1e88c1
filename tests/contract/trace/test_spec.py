from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compilecheck.contract.trace.spec import TensorSpec, spec

NAMES = st.sampled_from("BCHWS")


def test_defaults() -> None:
    assert spec("B S 64") == TensorSpec(shape=("B", "S", 64))
    assert spec((8, "S")).dtype == "float32"


def test_all_that_can_be_said() -> None:
    made = spec("B 3", dtype="long", device="cuda:0", low=1, high=9, strides=(3, 1))
    assert made == TensorSpec(
        shape=("B", 3), dtype="int64", device="cuda:0", low=1, high=9, strides=(3, 1)
    )


@given(
    st.lists(NAMES | st.integers(0, 9)), st.fixed_dictionaries(dict.fromkeys("BCHWS", st.just(7)))
)
def test_resolving_sizes_every_name_and_keeps_the_rest(
    shape: list[int | str], dims: dict[str, int]
) -> None:
    made = spec(tuple(shape), high=3.5)
    resolved = made.resolve(dims)
    assert resolved.shape == tuple(7 if isinstance(dim, str) else dim for dim in shape)
    assert (resolved.dim_names, resolved.high) == ((), 3.5)
    assert resolved.resolve({}) == resolved
    assert set(made.dim_names) == {dim for dim in shape if isinstance(dim, str)}


def test_a_dim_without_a_size() -> None:
    with pytest.raises(KeyError, match="S"):
        spec("B S").resolve({"B": 1})


@pytest.mark.parametrize(
    ("keywords", "fault"),
    [
        ({"dtype": "flot32"}, "dtype 'flot32' is unknown (did you mean 'float32'?)"),
        ({"device": 0}, "device: expected a name such as 'cpu' or 'cuda:0', got 0"),
        ({"requires_grad": 1}, "requires_grad: expected True or False, got 1"),
        ({"low": "1"}, "low: expected a number, got '1'"),
        ({"high": float("nan")}, "high: expected a number, got nan"),
        ({"low": 2, "high": 2}, "low is 2 and high is 2: low must be below high"),
        ({"dtype": "int8", "high": 129}, "high=129 does not fit int8 (-128 to 127)"),
        ({"dtype": "uint8", "low": -1}, "low=-1 does not fit uint8 (0 to 255)"),
        ({"dtype": "uint8", "high": 0}, "high=0 does not fit uint8 (0 to 255)"),
        ({"dtype": "int64", "high": 0.5}, "high: expected a whole number for int64, got 0.5"),
        ({"dtype": "int64", "requires_grad": True}, "requires_grad: a tensor of int64 has no gra"),
        ({"memory_format": "channel_last"}, "memory_format 'channel_last' is unknown (did you m"),
        ({"memory_format": 3}, "memory_format 3 is unknown (known are contiguous_format, "),
        (
            {"memory_format": "channels_last"},
            "memory_format 'channels_last' needs 4 dims, the shape has 2",
        ),
        (
            {"strides": (3, -1)},
            "strides: expected a tuple of whole numbers, 0 or more, got (3, -1)",
        ),
        ({"strides": (1,)}, "strides has 1 numbers, the shape has 2 dims: give one for each"),
        (
            {"strides": (3, 1), "memory_format": "contiguous_format"},
            "memory_format and strides exclude each other: leave one of them out",
        ),
    ],
)
def test_faults_are_kept_for_later(keywords: dict[str, object], fault: str) -> None:
    (found,) = spec("B 3", **keywords).faults  # type: ignore[arg-type]
    assert found.startswith(fault)


def test_all_faults_are_kept() -> None:
    assert len(spec("B -1", dtype="x", low="a", device=3).faults) == 4  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "made",
    [
        spec("B 3", dtype="uint8", low=0, high=256),
        spec("B 3 H W", memory_format="channels_last"),
        spec("B 3 D H W", memory_format="channels_last_3d"),
        spec("B", memory_format="contiguous_format"),
        spec("B 3", dtype="bool"),
        spec((), requires_grad=True),
    ],
)
def test_no_fault(made: TensorSpec) -> None:
    assert made.faults == ()


def test_objects_of_torch() -> None:
    torch = pytest.importorskip("torch")
    made = spec(
        "B 3 4 4",
        dtype=torch.bfloat16,
        device=torch.device("cuda", 1),
        memory_format=torch.channels_last,
    )
    assert (made.dtype, made.device, made.memory_format) == ("bfloat16", "cuda:1", "channels_last")
    assert made.faults == ()


def test_plain_form_and_pickle() -> None:
    made = spec("B 3", low=0.5)
    assert pickle.loads(pickle.dumps(made)) == made
    assert made.to_dict() == {
        "shape": ["B", 3],
        "dtype": "float32",
        "device": None,
        "requires_grad": False,
        "low": 0.5,
        "high": None,
        "memory_format": None,
        "strides": None,
    }
