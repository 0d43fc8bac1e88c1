"""Nodes of a YAML document, and how the entries of a mapping come together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pytest_compilecheck.contract.faults import Place
from pytest_compilecheck.contract.places import Places
from pytest_compilecheck.contract.yaml_spelling import shown

_MERGE: Final = "<<"


@dataclass(frozen=True, slots=True)
class Node:
    """A node of the document.

    `size` counts the nodes in it, each alias in full; `height` is 1 for a scalar. `plain_text` is
    that of a scalar without quotes, `items` are those of a list, `entries` those of a mapping.
    """

    value: Any
    places: Places
    size: int = 1
    height: int = 1
    plain_text: str | None = None
    items: tuple[Node, ...] | None = None
    entries: Mapping[str, Node] | None = None


class MappingNode:
    """The entries of a mapping; those that `<<` takes over give way to its own."""

    def __init__(self, place: Place, fault: Callable[[str, Place], None], *, sound: bool) -> None:
        self._place = place
        self._add_fault = fault
        self._sound = sound
        self._entries: dict[str, Node] = {}
        self._keys: dict[object, Place] = {}
        self._merged: list[Node] | None = None

    def add(self, key: Node, at: Place, value: Node) -> None:
        """Take an entry; `at` is the place of its key."""
        if key.plain_text == _MERGE:
            if self._merged is not None:
                self._fault("the key << is there twice: give it a list of aliases", at)
            self._merged = self._sources(value)
        elif not isinstance(key.value, str):
            cure = "" if isinstance(key.value, (list, dict)) else ": write it in quotes"
            self._fault(f"the key {shown(key.value)} is no text{cure}", at)
        elif key.value in self._keys:
            first = self._keys[key.value]
            self._fault(f"the key {key.value!r} is there twice, first in line {first.line}", at)
        else:
            self._entries[key.value] = value
            self._keys[key.value] = at
        self._sound = self._sound and key.places.sound and value.places.sound

    def node(self, size: int, height: int) -> Node:
        """The mapping with all entries."""
        for source in self._merged or ():
            for key, node in (source.entries or {}).items():
                if key not in self._entries:
                    self._entries[key] = node
                    self._keys[key] = source.places.keys[key]
        places = Places(
            self._place,
            {key: node.places for key, node in self._entries.items()},
            self._keys,
            sound=self._sound,
        )
        value = {key: node.value for key, node in self._entries.items()}
        return Node(value, places, size, height, entries=self._entries)

    def _sources(self, value: Node) -> list[Node]:
        """The mappings that `<<` names."""
        sources = [value] if value.items is None else list(value.items)
        for source in sources:
            if source.entries is None:
                self._fault(
                    f"<< takes an alias of a mapping, got {shown(source.value)}",
                    source.places.place,
                )
        return sources

    def _fault(self, message: str, place: Place) -> None:
        self._sound = False
        self._add_fault(message, place)
