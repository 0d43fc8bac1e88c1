"""Walks the tree of guards that torch keeps for a cached graph.

The objects are those of `torch._C._dynamo.guards`; source of the facts:
`torch/csrc/dynamo/guards.cpp`, 2.8 to 2.15.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pytest_compilecheck.observe.reason_text import without_place

_ATTRIBUTE = re.compile(r"^GetAttrGuardAccessor\((?P<name>\w+)\)$")
_PLACE = re.compile(r"# (?P<file>[^#]+?):(?P<line>\d+) in (?P<function>[^\s(]+)")


@dataclass(frozen=True, slots=True)
class Guard:
    """One check of the tree. `source` is torch's expression for the value that it checks."""

    source: str
    node: Any

    @property
    def kind(self) -> str:
        """The class of the check, e.g. "EQUALS_MATCH"."""
        return type(self.node).__name__

    @property
    def texts(self) -> list[str]:
        """The conditions that it checks, as torch writes them, with what torch says behind them."""
        return list(self.node.verbose_code_parts())

    @property
    def conditions(self) -> list[str]:
        """The conditions alone."""
        return [without_place(text) for text in self.texts]

    def holds(self, value: object) -> bool | None:
        """Whether the check passes for a value of its source; None for one that cannot be asked."""
        return bool(self.node(value)) if callable(self.node) else None


@dataclass(frozen=True, slots=True)
class Tree:
    """The guards of one cached graph, flat: those on single values, those that relate several.

    `ordered_dicts` are the sources of dicts whose number of items is guarded without a check of
    its own.
    """

    guards: tuple[Guard, ...]
    relations: tuple[Guard, ...]
    ordered_dicts: tuple[str, ...] = ()


def read_tree(root: Any) -> Tree:
    """All guards under a `RootGuardManager`, in the order in which torch checks them."""
    guards: list[Guard] = []
    ordered_dicts: list[str] = []
    managers = [root]
    while managers:
        manager = managers.pop()
        source = manager.get_source() or "L"
        guards += [Guard(source, node) for node in manager.get_leaf_guards()]
        managers += reversed(manager.get_child_managers())
        if hasattr(manager, "get_key_value_managers"):
            ordered_dicts.append(source)
            managers += reversed(list(_of_items(manager)))
    relations = [Guard("L", node) for node in root.get_epilogue_lambda_guards()]
    return Tree(tuple(guards), tuple(relations), tuple(ordered_dicts))


def looked_up(root: Any) -> Iterator[str]:
    """Sources of what must be there, whatever it is."""
    managers = [root]
    while managers:
        manager = managers.pop()
        children = manager.get_child_managers()
        managers += children
        for child, accessor in zip(children, manager.get_accessors(), strict=True):
            if child.get_leaf_guards() or child.get_child_managers():
                continue
            source = child.get_source()
            attribute = _ATTRIBUTE.match(accessor.repr())
            if attribute and source == manager.get_source():  # torch gives it its owner's
                source += f".{attribute['name']}"
            yield source


def place(text: str) -> tuple[str, int] | None:
    """File (shortened by torch) and line of the code that made a guard necessary, if told."""
    found = None
    for found in _PLACE.finditer(text):  # noqa: B007 - the last one is the place
        pass
    return (found["file"].strip(), int(found["line"])) if found else None


def _of_items(manager: Any) -> Iterator[Any]:
    for pair in manager.get_key_value_managers().values():
        yield from (each for each in pair if each is not None)
