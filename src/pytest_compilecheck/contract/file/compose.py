"""YAML text to plain data with the place of every key and value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pytest_compilecheck.contract.faults import Fault, Place
from pytest_compilecheck.contract.file.nodes import MappingNode, Node
from pytest_compilecheck.contract.file.scalars import (
    ScalarError,
    is_collection_tag,
    resolve,
    unknown_tag,
)
from pytest_compilecheck.contract.file.syntax import escape_fault, syntax_fault
from pytest_compilecheck.contract.file.text import Text, UnreadableError
from pytest_compilecheck.contract.places import Places

_MOST_NODES: Final = 20_000
_DEEPEST: Final = 64
_MOST_DIRECTIVES: Final = 10  # the parser in C compares each with all of them
_DIRECTIVE: Final = re.compile("^%", re.MULTILINE)
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Written:
    """Plain data (None, bool, int, float, str, list, dict) and where it is written."""

    value: Any
    places: Places

    def items(self) -> dict[Any, Written]:
        """What is inside a mapping or list, by key or index."""
        inner = self.value.items() if isinstance(self.value, Mapping) else enumerate(self.value)
        return {key: Written(item, self.places.parts[key]) for key, item in inner}


def compose(text: Text, *, most: int = _MOST_NODES) -> tuple[Written, list[Fault]]:
    """The one document of a text, and the faults in it; what is faulty is left out.

    It has at most so many values, those of aliases counted.

    Raises:
        UnreadableError: it is no YAML, has no document or several, or is too large or too deep.
    """
    import yaml

    if sum(1 for _ in _DIRECTIVE.finditer(text.content)) > _MOST_DIRECTIVES:
        why = f"the file has more than {_MOST_DIRECTIVES} lines that begin with %: leave them out"
        raise UnreadableError(Fault(why, text.place(0)))
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        composer = _Composer(text, yaml.parse(text.content, Loader=loader), yaml, most)
        return composer.document(), composer.faults
    except yaml.YAMLError as error:
        raise UnreadableError(syntax_fault(error, text)) from None
    except (ValueError, OverflowError) as error:  # only the parser in Python has such
        raise UnreadableError(escape_fault(text, otherwise=error)) from None


class _Composer:
    """Builds nodes from the events of a YAML parser, and refuses what grows beyond bounds."""

    def __init__(self, text: Text, events: Iterator[Any], yaml: Any, most: int) -> None:
        self.faults: list[Fault] = []
        self._text = text
        self._events = events
        self._yaml = yaml
        self._anchors: dict[str, Node | None] = {}
        self._count = 0
        self._most = most

    def document(self) -> Written:
        """The one document."""
        yaml = self._yaml
        next(self._events)  # the stream starts
        if isinstance(next(self._events), yaml.StreamEndEvent):
            raise self._unreadable("the file is empty: begin with version: 1", 0)
        node = self._node(next(self._events), depth=1)
        next(self._events)  # the document ends
        event = next(self._events)
        if not isinstance(event, yaml.StreamEndEvent):
            offset = event.start_mark.index
            raise self._unreadable("a file has one document: take out the '---'", offset)
        return Written(node.value, node.places)

    def _unreadable(self, message: str, offset: int) -> UnreadableError:
        return UnreadableError(Fault(message, self._text.place(offset)))

    def _fault(self, message: str, place: Place) -> None:
        self.faults.append(Fault(message, place))

    def _grow(self, nodes: int, depth: int, offset: int) -> None:
        """Count nodes, and how deep they lie."""
        self._count += nodes
        if self._count > self._most:
            why = f"the file has more than {self._most:,} values, those of aliases counted"
            raise self._unreadable(why, offset)
        if depth > _DEEPEST:
            raise self._unreadable(f"values are nested deeper than {_DEEPEST} levels", offset)

    def _node(self, event: Any, depth: int) -> Node:
        yaml = self._yaml
        offset = event.start_mark.index
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event.anchor, depth, offset)
        self._grow(1, depth, offset)
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        place = self._text.place(offset)
        if isinstance(event, yaml.ScalarEvent):
            node = self._scalar(event, place)
        elif isinstance(event, yaml.SequenceStartEvent):
            node = self._sequence(place, depth, self._check_tag(event.tag, "seq", place))
        else:
            node = self._mapping(place, depth, self._check_tag(event.tag, "map", place))
        if event.anchor is not None:
            self._anchors[event.anchor] = node
        return node

    def _alias(self, anchor: str, depth: int, offset: int) -> Node:
        if anchor not in self._anchors:
            raise self._unreadable(f"the alias *{anchor} has no anchor &{anchor} above it", offset)
        node = self._anchors[anchor]
        if node is None:
            raise self._unreadable(f"the alias *{anchor} stands in its own anchor", offset)
        self._grow(node.size, depth + node.height - 1, offset)
        return node

    def _scalar(self, event: Any, place: Place) -> Node:
        plain = event.implicit[0]
        if _SURROGATE.search(event.value):
            raise UnreadableError(escape_fault(self._text, event.start_mark.index))
        try:
            value, note = resolve(event.value, event.tag, plain=plain)
        except ScalarError as error:
            self._fault(str(error), place)
            return Node(event.value, Places(place, sound=False))
        places = Places(place, text=value if isinstance(value, str) else None, note=note)
        return Node(value, places, plain_text=event.value if plain else None)

    def _check_tag(self, tag: str | None, kind: str, place: Place) -> bool:
        fits = is_collection_tag(tag, kind)
        if not fits:
            self._fault(unknown_tag(str(tag)), place)
        return fits

    def _sequence(self, place: Place, depth: int, sound: bool) -> Node:
        nodes: list[Node] = []
        while not isinstance(event := next(self._events), self._yaml.SequenceEndEvent):
            nodes.append(self._node(event, depth + 1))
        return Node(
            [node.value for node in nodes],
            Places(
                place,
                {index: node.places for index, node in enumerate(nodes)},
                sound=sound and all(node.places.sound for node in nodes),
            ),
            size=1 + sum(node.size for node in nodes),
            height=1 + max([node.height for node in nodes], default=0),
            items=tuple(nodes),
        )

    def _mapping(self, place: Place, depth: int, sound: bool) -> Node:
        mapping = MappingNode(place, self._fault, sound=sound)
        size = 1
        height = 0
        while not isinstance(event := next(self._events), self._yaml.MappingEndEvent):
            at = self._text.place(event.start_mark.index)
            key = self._node(event, depth + 1)
            value = self._node(next(self._events), depth + 1)
            mapping.add(key, at, value)
            size += key.size + value.size
            height = max(height, key.height, value.height)
        return mapping.node(size, height + 1)
