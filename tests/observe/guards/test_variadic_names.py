"""What stands for a parameter of what a wrapper wraps: names made by hand, nothing compiled."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import CodeType
from typing import Any

import pytest
from observe.guards.made import scope
from torch import nn

from pytest_compilecheck.observe.guards.names import Names
from pytest_compilecheck.observe.guards.variadic import variadic_named


def wrapper_of(*closed_over: Any) -> tuple[CodeType, dict[str, Any]]:
    """The code of a wrapper, and the closure variables that its frame shows, in their order."""
    one, two = closed_over

    def wrapper(first: Any, *args: Any, flag: bool = False, **kwargs: Any) -> Any:
        return one, two, first, args, flag, kwargs

    return wrapper.__code__, {"one": one, "two": two}


def scaled(x: Any, scale: Any, /, shift: Any, *rest: Any, bias: Any = None, **more: Any) -> None:
    """A function of an author's."""


class Model(nn.Module):
    def forward(self, hidden: Any, mask: Any = None) -> Any:
        """What a call of the module runs."""

    def encode(self, ids: Any) -> Any:
        """Another method."""


class Decodes(nn.Module):
    """A module with a call of its own."""

    def __call__(self, tokens: Any) -> Any:
        """What is run, before `forward`."""

    def forward(self, hidden: Any) -> Any:
        """What it calls."""


class Step:
    """No module."""

    def __call__(self, batch: Any) -> Any:
        """What is run."""


def named(source: str, *closed_over: Any) -> str:
    code, local = wrapper_of(*(*closed_over, None, None)[:2])
    return variadic_named(source, code, scope(**local))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("L['kwargs']['mask']", "L['mask']"),
        ("L['kwargs']['mask'].size()[0]", "L['mask'].size()[0]"),
        ("L['kwargs']['a'].size()[0] == L['kwargs']['b']", "L['a'].size()[0] == L['b']"),
        # No name of a parameter, or of another variable.
        ("L['kwargs']['a b']", "L['kwargs']['a b']"),
        ("L['kwargs'][0]", "L['kwargs'][0]"),
        ("GL['kwargs']['mask']", "GL['kwargs']['mask']"),
        ("L['first']['mask']", "L['first']['mask']"),
        ("L['flag'][0]", "L['flag'][0]"),
    ],
)
def test_a_keyword_has_its_own_name(source: str, expected: str) -> None:
    assert named(source) == expected


@pytest.mark.parametrize(
    ("closed_over", "names"),
    [
        ((Model.forward, None), ["self", "hidden", "mask"]),
        ((Model().forward, None), ["hidden", "mask"]),
        ((Model(), None), ["hidden", "mask"]),
        ((Model().__call__, None), ["hidden", "mask"]),
        ((Model()._call_impl, None), ["hidden", "mask"]),
        ((Model().encode, None), ["ids"]),
        ((Decodes().__call__, None), ["tokens"]),
        ((Step().__call__, None), ["batch"]),
        # Of positional parameters those that torch can hand over by name.
        ((scaled, None), ["shift"]),
        # The first that has parameters is it.
        ((None, Model().encode), ["ids"]),
        ((lambda: None, Model().encode), ["ids"]),
        ((lambda a: a, Model().encode), ["a"]),
        # What is no function of an author's tells nothing.
        ((len, 3), []),
        ((functools.partial(scaled, 1), None), []),
    ],
)
def test_positional_arguments_have_the_names_of_what_is_wrapped(
    closed_over: tuple[Any, Any], names: list[str]
) -> None:
    for index, name in enumerate(names):
        assert named(f"L['args'][{index}].size()[1]", *closed_over) == f"L['{name}'].size()[1]"
    beyond = f"L['args'][{len(names)}]"
    assert named(beyond, *closed_over) == beyond


def test_an_authors_name_is_that_of_what_is_wrapped() -> None:
    code, local = wrapper_of(Model(), None)
    assert Names(code, scope(**local)).of("L['args'][0].size()[1]") == "hidden.size(1)"


def test_what_cannot_be_asked_for_its_parameters_is_passed_over() -> None:
    def odd() -> None:
        """A function that tells a signature that it does not have."""

    odd.__signature__ = "none"  # type: ignore[attr-defined]
    assert named("L['args'][0]", odd, Model().encode) == "L['ids']"


def test_a_closure_variable_that_is_not_set_is_passed_over() -> None:
    code, local = wrapper_of(None, Model().encode)
    del local["one"]
    assert variadic_named("L['args'][0]", code, scope(**local)) == "L['ids']"


def only_args(*args: Any) -> None:
    """No keywords."""


def only_kwargs(*, args: Any = None, **kwargs: Any) -> None:
    """No positional arguments."""


def neither(args: Any, kwargs: Any) -> None:
    """Ordinary parameters of these names."""


@pytest.mark.parametrize(
    ("function", "keyword"),
    [(only_args, "L['kwargs']['a']"), (only_kwargs, "L['a']"), (neither, "L['kwargs']['a']")],
)
def test_ordinary_parameters_keep_their_names(function: Callable[..., None], keyword: str) -> None:
    code = function.__code__
    assert variadic_named("L['args'][0]", code, scope()) == "L['args'][0]"
    assert variadic_named("L['kwargs']['a']", code, scope()) == keyword
