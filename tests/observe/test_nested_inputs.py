"""Inputs inside tuples, lists and dicts, and objects that are made of inputs."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest
import torch

from pytest_compilecheck.contract.trace.inputs import (
    Input,
    InputDict,
    InputSequence,
    MadeObject,
    PythonValue,
)
from pytest_compilecheck.contract.trace.model import Step
from pytest_compilecheck.contract.trace.spec import spec
from pytest_compilecheck.observe.running.inputs import (
    InputError,
    import_path,
    make_inputs,
    make_objects,
)

X = spec((2, 3))
IDS = spec((4,), dtype="int64", high=1000)


class Thing:
    """What a contract may have made."""

    def __init__(self, **given: Any) -> None:
        self.given = given

    class Inner:
        """Named with a dot."""


def popping(values: list[int]) -> list[int]:
    """Change the argument, as some constructors do."""
    values.pop()
    return values


def failing(**given: Any) -> None:
    raise ValueError(f"cannot take {sorted(given)}")


@pytest.fixture(autouse=True)
def things() -> Iterator[None]:
    """A module that import paths can name."""
    module = types.ModuleType("things_of_tests")
    module.__dict__.update(Thing=Thing, popping=popping, failing=failing, LIMIT=3)
    sys.modules["things_of_tests"] = module
    yield
    del sys.modules["things_of_tests"]


def make(made: Input, seed: str = "0") -> Any:
    return make_objects({"x": made}, seed)["x"]


def test_containers() -> None:
    made = make(
        InputSequence(
            "tuple",
            (
                X,
                InputSequence("list", (IDS, PythonValue(None))),
                InputDict({"a b": X, "c": PythonValue(5)}),
            ),
        )
    )
    first, (ids, none), rest = made
    assert isinstance(made, tuple)
    assert isinstance(made[1], list)
    assert (first.shape, ids.dtype, none) == ((2, 3), torch.int64, None)
    assert list(rest) == ["a b", "c"]
    assert (rest["a b"].shape, rest["c"]) == ((2, 3), 5)


def test_containers_may_be_empty() -> None:
    assert make(InputSequence("tuple", ())) == ()
    assert make(InputSequence("list", ())) == []
    assert make(InputDict({})) == {}


def test_objects_are_made_from_the_inside() -> None:
    inner = MadeObject("things_of_tests:Thing", {"x": X})
    made = make(MadeObject("things_of_tests:Thing", {"inner": inner, "n": PythonValue(2)}))
    assert (type(made), made.given["n"]) == (Thing, 2)
    assert made.given["inner"].given["x"].shape == (2, 3)


def test_tensors_of_one_input_differ_and_are_the_same_in_each_run() -> None:
    def both(seed: int, index: int = 0) -> list[torch.Tensor]:
        pair = InputSequence("list", (X, X))
        found: list[torch.Tensor] = make_inputs(Step(index=index, inputs={"x": pair}), seed)["x"]
        return found

    first, second = both(0)
    assert not torch.equal(first, second)
    assert all(map(torch.equal, both(0), [first, second]))
    assert not torch.equal(both(1)[0], first)
    assert not torch.equal(both(0, index=1)[0], first)


def test_what_is_made_may_change_its_arguments() -> None:
    made = MadeObject("things_of_tests:popping", {"values": PythonValue([1, 2, 3])})
    assert [make(made), make(made)] == [[1, 2], [1, 2]]


def test_dotted_names() -> None:
    assert import_path("things_of_tests:Thing.Inner") is Thing.Inner


def test_a_module_that_ends_the_program_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "program_of_tests.py").write_text("import sys\nsys.exit(0)\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(RuntimeError, match=r"program_of_tests ends the program when .*: put that"):
        import_path("program_of_tests:model")
    assert import_path("os.path:join").__name__ == "join"


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (
            InputDict({"a": MadeObject("things_of_tests:failing", {"n": PythonValue(1)})}),
            "things_of_tests:failing cannot make the input \"x['a']\": *cannot take ['n']*",
        ),
        (
            MadeObject("things_of_tests:Missing", {}),
            "things_of_tests:Missing cannot make the input 'x': *has no attribute 'Missing'*",
        ),
        (
            MadeObject("things_of_tests:Thign", {}),
            "things_of_tests:Thign cannot make the input 'x': * (did you mean 'Thing'?)",
        ),
        (
            MadeObject("no_such_module_at_all:Thing", {}),
            "no_such_module_at_all:Thing cannot make the input 'x': *No module named*",
        ),
        (
            MadeObject("things_of_tests:LIMIT", {}),
            "things_of_tests:LIMIT cannot make the input 'x': *not callable*",
        ),
        (
            MadeObject("things_of_tests:Thing", {"y": spec((2,), device="nowhere")}),
            "the input 'x.y' (float32, [2]) cannot be made on nowhere: *",
        ),
        (
            InputSequence("list", (spec((10**17,)),)),
            "the input 'x[0]' (float32, [100000000000000000]) cannot be made: *",
        ),
        (
            InputSequence("list", (spec((10**30,)),)),
            "the input 'x[0]' (float32, [1000000000000000000000000000000]) cannot be made: *",
        ),
        (spec((2,), low=0, high=10**400), "the input 'x' (float32, [2]) cannot be made: *"),
        (spec((2, 2), strides=(10**40, 1)), "the input 'x' (float32, [2, 2]) cannot be made: *"),
    ],
)
def test_what_cannot_be_made_is_named(made: Input, told: str) -> None:
    with pytest.raises(InputError) as caught:
        make(made)
    pattern = told.replace("[", "[[]")
    assert fnmatchcase(str(caught.value), pattern), str(caught.value)
