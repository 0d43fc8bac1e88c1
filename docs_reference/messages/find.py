"""All texts of a module that a person may be shown, each with how it is told."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from docs_reference.messages.handed import handed_on, targets, way_of
from docs_reference.messages.template import template, words
from docs_reference.messages.ways import ASIDE, FIELDS_ASIDE, FOREIGN, callee

_LEAST_WORDS: Final = 3
"""Words of a text that is handed on and told elsewhere; fewer are a heading, a unit, a key."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message as a template; `way` is how it is told."""

    text: str
    way: str


def messages_of(tree: ast.Module) -> list[Message]:
    """The messages of a module, in the order of the source, each once."""
    return list(dict.fromkeys(_Finder(handed_on(tree)).within(tree, _Way())))


@dataclass(frozen=True, slots=True)
class _Way:
    """What an enclosing node makes of a text: how it is told, and whether it is given to that."""

    told: str = ""
    directly: bool = False


@dataclass(frozen=True, slots=True)
class _Finder:
    """Finds messages in a module; `handed` is the way of texts that go through a name of it."""

    handed: Mapping[str, str]

    def within(self, node: ast.AST, way: _Way) -> Iterator[Message]:
        """Messages in a node, in the order of the source."""
        if _is_aside(node):
            return
        way = self._of(node) or way
        text = template(node)
        if text is not None:
            shown = " ".join(text.split())
            if words(text) >= (1 if way.directly else _LEAST_WORDS) and _is_language(shown):
                yield Message(shown, way.told)
            if isinstance(node, ast.Constant):
                return
        for child in _children(node):
            # A part of a text is told with it; within a placeholder stand texts of their own.
            inner = isinstance(node, (ast.JoinedStr, ast.BinOp)) and text is not None
            if not (inner and template(child) is not None):
                yield from self.within(child, _Way(way.told) if inner else way)

    def _of(self, node: ast.AST) -> _Way | None:
        """The way of a node by itself, None where that of the enclosing one holds."""
        told = way_of(node)
        if told:
            return _Way(told, directly=True)
        names = [node.name] if isinstance(node, ast.FunctionDef) else targets(node)
        found = [self.handed[name] for name in names if name in self.handed]
        return _Way(found[0]) if found else None


def _is_language(text: str) -> bool:
    """Whether a text is for people: no pattern, no HTML, no JSON, and none of another program."""
    return (
        " " in text
        and "\\" not in text
        and not text.startswith(("<", '{{"', "datum.", "format("))
        and text not in FOREIGN
    )


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of a node, without docstrings, annotations and descriptions of a schema."""
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        yield from (each for key, each in pairs if not _is_description(key))
        return
    for name, value in ast.iter_fields(node):
        if name in FIELDS_ASIDE:
            continue
        for child in value if isinstance(value, list) else [value]:
            is_docstring = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
            if isinstance(child, ast.AST) and not is_docstring:
                yield child


def _is_description(key: ast.expr | None) -> bool:
    return isinstance(key, ast.Constant) and key.value in ASIDE


def _is_aside(node: ast.AST) -> bool:
    """Whether what is in it stands on another page, or is read by no person."""
    if isinstance(node, ast.Call):
        return callee(node) in ASIDE
    if isinstance(node, ast.keyword):
        return f"{node.arg}=" in ASIDE
    return any(name in ASIDE for name in targets(node))
