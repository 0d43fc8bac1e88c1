from __future__ import annotations

import enum
import math
import re
from collections import namedtuple
from typing import Any

import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st

from pytest_compilecheck.observe.guards.words import in_words, short, type_name


class Mode(enum.Enum):
    """An enum."""

    FAST = 1


class Level(enum.IntEnum):
    """Members are numbers, too."""

    LOW = 1


class Thing:
    """An object of the author's."""

    def method(self) -> None:
        """A method."""


Pair = namedtuple("Pair", "a b")  # noqa: PYI024 - as old code has it


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "None"),
        (True, "True"),
        (-2.5, "-2.5"),
        (math.inf, "inf"),
        (1 + 2j, "(1+2j)"),
        ("it's", '"it\'s"'),
        (b"a", "b'a'"),
        (range(3), "range(0, 3)"),
        ((1, ("a", None)), "(1, ('a', None))"),
        ([1.5, [2]], "[1.5, [2]]"),
        ({"b", "a"}, "{'a', 'b'}"),
        (frozenset({2, 1}), "frozenset({1, 2})"),
        (set(), "set()"),
        ({"a": (1,)}, "{'a': (1,)}"),
        (Pair(1, 2), "Pair(a=1, b=2)"),
        (torch.float16, "torch.float16"),
        (torch.device("cpu"), "device(type='cpu')"),
        (torch.Size([4]), "torch.Size([4])"),
        (Mode.FAST, "Mode.FAST"),
        (Level.LOW, "Level.LOW"),
        (torch.ones(2, 3), "Tensor of size (2, 3)"),
        (torch.nn.Parameter(torch.ones(2)), "Parameter of size (2,)"),
        (Thing, "class Thing"),
        (len, "function len"),
        (re.compile, "function compile"),
        (re.compile.__code__, "function compile"),
        (Thing().method, "function method"),
        (math, "module math"),
        (torch.ops.aten.sin.default, "OpOverload sin.default"),
        (Thing(), "Thing object"),
        ([Thing()], "list object"),
        ({"a": Thing()}, "dict object"),
        (re.compile("a"), "Pattern object"),
        (list(range(1000)), "list object"),
        ([1] * 80, "[" + "1, " * 25 + "1..."),
        ([1] * 81, "list object"),
        (dict.fromkeys(range(80)), repr(dict.fromkeys(range(9)))[:77] + "..."),
        (dict.fromkeys(range(81)), "dict object"),
    ],
)
def test_a_value_in_words(value: Any, words: str) -> None:
    assert in_words(value) == words


@pytest.mark.parametrize(
    ("value", "name"), [(None, "None"), (1, "int"), (Thing(), "Thing"), (torch.ones(1), "Tensor")]
)
def test_the_name_of_a_type(value: Any, name: str) -> None:
    assert type_name(value) == name


@given(st.text(max_size=200))
@example("a" * 80)
@example("a" * 81)
@example("ab" * 60)
def test_a_text_fits_in_a_line(text: str) -> None:
    told = short(text)
    assert len(told) <= 80
    assert told == text if len(text) <= 80 else told == text[:77] + "..."


@given(st.sets(st.integers() | st.text(max_size=5), min_size=1, max_size=9))
def test_the_items_of_a_set_are_told_in_the_same_order_in_each_process(items: set[Any]) -> None:
    assert in_words(items) == short("{" + ", ".join(sorted(map(repr, items))) + "}")


def test_no_code_of_an_object_is_run_for_its_name() -> None:
    class Refuses:
        def __getattr__(self, name: str) -> Any:
            raise RuntimeError("not to be asked")

        def __repr__(self) -> str:
            raise RuntimeError("not to be asked")

    assert in_words(Refuses()) == "Refuses object"
    assert in_words([Refuses()]) == "list object"
