"""Changes of what is no tensor, in a table."""

from __future__ import annotations

import enum
import functools
from typing import Any

import torch
from observe.guards.cases import Case, Told, everywhere
from torch import nn


class Mode(enum.Enum):
    """Members of an enum are compared by identity."""

    FAST = 1
    SAFE = 2


class Fast:
    """One of two classes with the same attribute."""

    n = 2


class Safe:
    """The other one."""

    n = 2


def times(x: torch.Tensor, v: Any) -> torch.Tensor:
    return x * v


def by_id(x: torch.Tensor, v: object) -> torch.Tensor:
    return x * (id(v) % 2)


def applies(x: torch.Tensor, v: Any) -> torch.Tensor:
    return v(x)


def adds_all(x: torch.Tensor, v: Any) -> torch.Tensor:
    for each in v:
        x = x + each
    return x


def adds_items(x: torch.Tensor, v: dict[str, float]) -> torch.Tensor:
    for key in v:  # noqa: PLC0206 - the keys are what is tested
        x = x + v[key]
    return x


def sine(t: torch.Tensor) -> torch.Tensor:
    return t.sin()


def cosine(t: torch.Tensor) -> torch.Tensor:
    return t.cos()


def scaled(t: torch.Tensor, k: int) -> torch.Tensor:
    return t * k


DROPOUT = nn.Dropout(0.5)
FIRST, SECOND = Fast(), Fast()

TENSOR = (
    'pass {} as a tensor to spare the rebuild; allow_recompiles=["automatic_dynamic"] accepts this'
    " one rebuild"
)
EACH_VALUE = (
    "each value of {} gets a graph of its own: decide on it before the compiled function, or warm"
    " up each value and allow as many rebuilds"
)
AS_ARGUMENT = "do not change {} between calls: pass it as an argument, and keep to few values"
AS_TENSOR = "do not change {} between calls: pass it as a tensor argument"
SET_ONCE = "set {} once, before the first call, or pass it as an argument"
REGISTER = (
    "keep it in a tensor: register_buffer('{word}', torch.tensor(...)); where gradients flow "
    "through it, change it outside of what is compiled"
)
ONE_TYPE = "convert {} to one type before the compiled function"
NOT_NONE = "always pass a value for {}: an empty or zero one instead of None"
SAME_OBJECT = "make what {} is once, outside the calls, and pass the very same object"
ONE_LENGTH = (
    "keep {} at one length (preallocate it, or stack it into one tensor), or loop over it outside"
    " the compiled function"
)
SAME_KEYS = "give {} the same keys in the same order in all calls"
TRAIN_EVAL = "train() and eval() get a graph each: compile them apart, or allow the one rebuild"


def values(before: str, after: str) -> dict[str, tuple[Told, ...]]:
    """A value that torch never makes a symbol: what is told of it differs from place to place."""
    return {
        "argument": (Told("python_value", "{}", before, after, EACH_VALUE),),
        "module": (Told("module_state", "{}", before, after, SET_ONCE),),
        "global": (Told("python_value", "{}", before, after, AS_ARGUMENT),),
        "closure": (Told("python_value", "{}", before, after, AS_ARGUMENT),),
    }


def numbers(
    source: str, before: str, after: str, *, fixed: str, register: str = REGISTER
) -> dict[str, tuple[Told, ...]]:
    """A number; torch makes no symbol of those in a place that is `fixed`."""
    symbol = Told("python_value", source, before, after, TENSOR.replace("{}", source), True)
    of_module = Told("module_state", source, before, after, register, "module" not in fixed)
    of_global = Told("python_value", source, before, after, AS_TENSOR.replace("{}", source))
    return {
        "argument": (symbol,),
        "module": (of_module,),
        "global": (of_global if "global" in fixed else symbol,),
        "closure": (symbol,),
    }


CASES = [
    # torch never makes symbols of whole numbers on modules and in globals.
    Case(
        "int",
        times,
        (lambda: 2, lambda: 3),
        numbers("{}", "2", "3", fixed="module global"),
        deep=True,
    ),
    Case("float", times, (lambda: 2.5, lambda: 3.5), numbers("{}", "2.5", "3.5", fixed="")),
    Case(
        "keyword of a partial",
        applies,
        (lambda: functools.partial(scaled, k=2), lambda: functools.partial(scaled, k=3)),
        numbers(
            "{}.keywords['k']",
            "2",
            "3",
            fixed="module global",
            register=REGISTER.format(word="k"),
        ),
    ),
    Case("bool", times, (lambda: True, lambda: False), values("True", "False")),
    Case(
        "str",
        lambda x, v: x + 1 if v == "a # b" else x + 2,
        (lambda: "a # b", lambda: "c"),
        values("'a # b'", "'c'"),
    ),
    Case(
        "enum member",
        lambda x, v: x + 1 if v is Mode.FAST else x + 2,
        (lambda: Mode.FAST, lambda: Mode.SAFE),
        values("Mode.FAST", "Mode.SAFE"),
    ),
    Case(
        "dtype as a value",
        lambda x, v: x.to(v),
        (lambda: torch.float64, lambda: torch.float16),
        values("torch.float64", "torch.float16"),
    ),
    Case(
        "float for int",
        times,
        (lambda: 2, lambda: 2.5),
        everywhere(Told("python_type", "{}", "int", "float", ONE_TYPE)),
    ),
    Case(
        "float for None",
        lambda x, v: x + 1 if v is None else x + v,
        (lambda: None, lambda: 2.5),
        everywhere(Told("python_type", "{}", "None", "float", NOT_NONE)),
        deep=True,
    ),
    Case(
        "None for float",
        lambda x, v: x + 1 if v is None else x + v,
        (lambda: 2.5, lambda: None),
        everywhere(Told("python_type", "{}", "float", "None", NOT_NONE)),
    ),
    Case(
        "class of an object",
        lambda x, v: x * v.n,
        (Fast, Safe),
        everywhere(Told("python_type", "{}", "Fast", "Safe", ONE_TYPE)),
    ),
    Case(
        "class",
        lambda x, v: x * v.n,
        (lambda: Fast, lambda: Safe),
        everywhere(Told("object_identity", "{}", "class Fast", "class Safe", SAME_OBJECT)),
    ),
    Case(
        "function",
        applies,
        (lambda: sine, lambda: cosine),
        everywhere(Told("object_identity", "{}", "function sine", "function cosine", SAME_OBJECT)),
        deep=True,
    ),
    Case(
        "function of torch",
        applies,
        (lambda: torch.sin, lambda: torch.cos),
        everywhere(Told("object_identity", "{}", "function sin", "function cos", SAME_OBJECT)),
    ),
    Case(
        "function of torch for one of Python",
        applies,
        (lambda: nn.functional.relu, lambda: nn.functional.gelu),
        everywhere(Told("object_identity", "{}", "function relu", "function gelu", SAME_OBJECT)),
    ),
    Case(
        "object",
        by_id,
        (lambda: FIRST, lambda: SECOND),
        everywhere(
            Told("object_identity", "{}", "Fast object", "another Fast object", SAME_OBJECT)
        ),
    ),
    Case(
        "training flag",
        applies,
        (DROPOUT.train, DROPOUT.eval),
        everywhere(
            Told("module_state", "{}.training", "True", "False", TRAIN_EVAL, holder="module")
        ),
        deep=True,
    ),
    Case(
        "length of a list",
        adds_all,
        (lambda: [1.0, 2.0], lambda: [1.0, 2.0, 3.0]),
        everywhere(Told("container_length", "len({})", "2", "3", ONE_LENGTH)),
        deep=True,
    ),
    Case(
        "length of a list of tensors",
        lambda x, v: x + sum(v),
        (lambda: [torch.ones(1)], lambda: [torch.ones(1)] * 2),
        everywhere(Told("container_length", "len({})", "1", "2", ONE_LENGTH)),
    ),
    Case(
        "length of a tuple",
        adds_all,
        (lambda: (1.0, 2.0), lambda: (1.0,)),
        everywhere(Told("container_length", "len({})", "2", "1", ONE_LENGTH)),
    ),
    Case(
        "length of a dict",
        adds_items,
        (lambda: {"a": 1.0, "b": 2.0}, lambda: {"a": 1.0, "b": 2.0, "c": 3.0}),
        everywhere(Told("container_length", "len({})", "2", "3", ONE_LENGTH)),
    ),
    Case(
        "other keys",
        adds_items,
        (lambda: {"a": 1.0, "b": 2.0}, lambda: {"a": 1.0, "c": 2.0}),
        everywhere(Told("dict_keys", "{}", "keys ['a', 'b']", "keys ['a', 'c']", SAME_KEYS)),
        deep=True,
    ),
    Case(
        "order of the keys",
        adds_items,
        (lambda: {"a": 1.0, "b": 2.0}, lambda: {"b": 2.0, "a": 1.0}),
        everywhere(Told("dict_keys", "{}", "keys ['a', 'b']", "keys ['b', 'a']", SAME_KEYS)),
    ),
    Case(
        "a key less",
        lambda x, v: x + v["a"] + v.get("b", 0.0),
        (lambda: {"a": 1.0, "b": 2.0}, lambda: {"a": 1.0}),
        everywhere(Told("dict_keys", "{}", "with 'b'", "without 'b'", SAME_KEYS)),
    ),
    Case(
        "a key more",
        lambda x, v: x + v["a"] + v.get("b", 0.0),
        (lambda: {"a": 1.0}, lambda: {"a": 1.0, "b": 2.0}),
        everywhere(Told("dict_keys", "{}", "without 'b'", "with 'b'", SAME_KEYS)),
    ),
]
