from __future__ import annotations

import functools
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from pytest_compilecheck.contract.faults import Place
from pytest_compilecheck.decorator import compile_contract, contracts_of


def line() -> int:
    """The line that calls this."""
    return sys._getframe(1).f_lineno


def test_the_function_comes_back_as_it_was() -> None:
    def function() -> int:
        return 3

    assert compile_contract(max_graph_breaks=0)(function) is function


def test_what_is_noted() -> None:
    at = line() + 2

    @compile_contract(
        max_graph_breaks=0,
        shapes=[(8, 128)],
    )
    def function() -> None: ...

    place = Place(__file__, at, "@compile_contract")
    assert contracts_of(function) == (({"max_graph_breaks": 0, "shapes": [(8, 128)]}, place),)


def test_the_topmost_decorator_is_the_nearest() -> None:
    @compile_contract(seed=1)
    @compile_contract(seed=2)
    def function() -> None: ...

    assert [fields["seed"] for fields, _ in contracts_of(function)] == [2, 1]


def test_a_function_without_a_contract() -> None:
    assert contracts_of(line) == ()
    assert contracts_of(print) == ()


class Answers:
    """Like a mock, or a dict whose keys are attributes."""

    def __init__(self, answer: object) -> None:
        self.answer = answer

    def __getattr__(self, name: str) -> object:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.mark.parametrize(
    "answer", [None, 3, [({}, ("a.py", 1))], RuntimeError("no"), Answers(None)]
)
def test_what_answers_anything_has_no_contract(answer: object) -> None:
    assert contracts_of(Answers(answer)) == ()


def test_what_is_made_of_a_function_with_a_contract_has_it() -> None:
    @compile_contract(seed=1)
    def function() -> None: ...

    made = (
        functools.lru_cache(function),
        functools.update_wrapper(functools.partial(function), function),
        functools.update_wrapper(Answers(None), function),
    )
    assert [len(contracts_of(each)) for each in made] == [1, 1, 1]
    assert contracts_of(functools.partial(function)) == ()


def test_methods_of_every_kind() -> None:
    class Model:
        @compile_contract(seed=1)
        def forward(self) -> None: ...

        @compile_contract(seed=2)
        @staticmethod
        def static() -> None: ...

        @classmethod
        @compile_contract(seed=3)
        def below(cls) -> None: ...

        @compile_contract(seed=4)
        @classmethod
        def above(cls) -> None: ...

    found = (Model.forward, Model().forward, Model.static, Model.below, Model().above)
    seeds = [[fields["seed"] for fields, _ in contracts_of(method)] for method in found]
    assert seeds == [[1], [1], [2], [3], [4]]


def test_a_wrapper_does_not_write_to_what_it_wraps() -> None:
    @compile_contract(seed=1)
    def inner() -> None: ...

    @compile_contract(seed=2)
    @functools.wraps(inner)
    def outer() -> None: ...

    assert [fields["seed"] for fields, _ in contracts_of(inner)] == [1]
    assert [fields["seed"] for fields, _ in contracts_of(outer)] == [1, 2]


def test_faulty_fields_do_not_raise() -> None:
    @compile_contract(no_such_field=1, passes="many")
    def function() -> None: ...

    assert len(contracts_of(function)) == 1


@pytest.mark.parametrize("positional", [line, 0])
def test_positional_arguments(positional: object) -> None:
    with pytest.raises(TypeError, match=r"write @compile_contract\(max_graph_breaks=0\), or @com"):
        compile_contract(positional)


def test_a_class() -> None:
    with pytest.raises(TypeError, match=r"TestThing is a class: mark the test that runs it"):

        @compile_contract()
        class TestThing: ...


@pytest.mark.parametrize("target", [functools.partial(line), print, 3, staticmethod(print)])
def test_what_is_no_function(target: Callable[..., Any]) -> None:
    with pytest.raises(TypeError, match="compile_contract marks functions, not a "):
        compile_contract()(target)


def test_importing_and_decorating_is_cheap() -> None:
    code = """
import sys
before = set(sys.modules)
from pytest_compilecheck import compile_contract
@compile_contract(max_graph_breaks=0, shapes=[(8, 128)])
def f(): ...
print(*sorted(set(sys.modules) - before - {"importlib", "types"}))
"""
    process = subprocess.run(
        [sys.executable, "-S", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
    )
    added = process.stdout.split()
    assert {name for name in added if name.startswith("pytest_compilecheck")} == {
        "pytest_compilecheck",
        "pytest_compilecheck.decorator",
    }
    assert not set(added) & {"dataclasses", "inspect", "typing", "re", "torch", "pytest"}
