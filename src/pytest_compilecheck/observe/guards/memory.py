"""What a cached graph assumed when it was made, beyond what the text of its guards says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_compilecheck.observe.guards.frame import Remembered
from pytest_compilecheck.observe.guards.process import ProcessState
from pytest_compilecheck.observe.guards.scope import Scope
from pytest_compilecheck.observe.guards.tensor import Dims, TensorCheck
from pytest_compilecheck.observe.guards.tree import Guard, Tree
from pytest_compilecheck.observe.guards.words import in_words, type_name


@dataclass(frozen=True, slots=True)
class Assumed:
    """Facts of one cached graph; `code` is torch's code object for it, which names it.

    `modes` were in force. `dims` are sizes of tensors by torch's name, None where a size is a
    symbol; only of tensors that have one or are arguments themselves. `symbolic_numbers` are the
    numbers, by torch's name, that the graph takes as they come.
    """

    code: Any
    modes: ProcessState
    remembered: Remembered
    dims: Mapping[str, Dims]
    symbolic_numbers: frozenset[str]


def assumed(code: Any, tree: Tree, scope: Scope, modes: ProcessState) -> Assumed:
    """The facts of a graph that was made just now in a frame with this scope."""
    values = dict(_values(tree, scope))
    dims = dict(_dims(tree))
    constants = {guard.source for guard in tree.guards if guard.kind == "EQUALS_MATCH"}
    constants |= set(_made_numbers(tree))
    return Assumed(
        code=code,
        modes=modes,
        remembered=Remembered(
            labels={
                guard.source: in_words(value) if guard.kind == "ID_MATCH" else type_name(value)
                for guard, value in values.items()
            },
            keys=dict(_dict_keys(tree, scope)),
            sizes={source: tuple(scope.value(source).shape) for source in dims},
            inference_mode=modes["inference mode"] == "on",
        ),
        dims=dims,
        symbolic_numbers=frozenset(
            guard.source
            for guard, value in values.items()
            if isinstance(value, (int, float)) and guard.source not in constants
        ),
    )


# Sizes and strides of a tensor, and numbers in names that torch makes anew for each compile.
_LAYOUT = re.compile(r"s(?:ize|tride)=\[[^\]]*\]")
_FIXED = re.compile(r"^(?P<source>[LG]\[\S+) == -?\d+$")
_NUMBERED = re.compile(r"(__\w+?)(?:_+\d+)+\b")


def digest(tree: Tree, modes: ProcessState) -> int:
    """What is equal for graphs that assume the same of everything but the sizes of tensors.

    Only within a process. Sizes of a tensor, and what relates them, are left out. What torch says
    behind a condition stays: it is the same for the same graph, and to cut it off takes longest.
    """
    # As one text: a graph of a large model has thousands of them.
    texts = "\n".join(text for guard in tree.guards for text in guard.texts)
    plain = _NUMBERED.sub(r"\1", _LAYOUT.sub("", texts))
    return hash((frozenset(plain.splitlines()), frozenset(modes.items())))


def _values(tree: Tree, scope: Scope) -> Iterator[tuple[Guard, object]]:
    """Guards on identities and types, with what they hold for."""
    for guard in tree.guards:
        if guard.kind in ("ID_MATCH", "TYPE_MATCH") and scope.has(guard.source):
            yield guard, scope.value(guard.source)


def _made_numbers(tree: Tree) -> Iterator[str]:
    """Symbols of which the code made numbers: torch guards these with what relates symbols."""
    for guard in tree.relations:
        for condition in guard.conditions:
            fixed = _FIXED.match(condition)
            if fixed is not None:
                yield fixed["source"]


def _dims(tree: Tree) -> Iterator[tuple[str, Dims]]:
    for guard in tree.guards:
        if guard.kind == "TENSOR_MATCH":
            text = guard.texts[0]
            is_argument = guard.source.count("[") <= 2  # itself, or in *args or **kwargs
            check = TensorCheck.read(text) if is_argument or _has_symbol(text) else None
            if check is not None:
                yield guard.source, check.size


def _has_symbol(text: str) -> bool:
    return "None" in text.partition("size=")[2]


def _dict_keys(tree: Tree, scope: Scope) -> Iterator[tuple[str, tuple[str, ...]]]:
    for source in tree.ordered_dicts:
        if scope.has(source):
            yield source, tuple(map(in_words, scope.value(source)))
