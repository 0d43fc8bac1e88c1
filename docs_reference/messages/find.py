"""All texts of a module that a person may be shown, each with how it is told."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from docs_reference.messages.template import template, words
from docs_reference.messages.ways import ASIDE, FIELDS_ASIDE, FOREIGN, WAYS, callee

_LEAST_WORDS: Final = 3
"""Words of a text that is handed on and told elsewhere; fewer are a heading, a unit, a key."""


@dataclass(frozen=True, slots=True, order=True)
class Message:
    """A message as a template; `way` is how it is told."""

    text: str
    way: str


def messages_of(tree: ast.Module) -> list[Message]:
    """The messages of a module, in the order of the source, each once."""
    return list(dict.fromkeys(_within(tree, "")))


def _within(node: ast.AST, way: str) -> Iterator[Message]:
    """Messages in a node; `way` is what an enclosing call or raise makes of them, "" of none."""
    if _is_aside(node):
        return
    way = _way_of(node) or way
    text = template(node)
    if text is not None:
        shown = " ".join(text.split())
        if words(text) >= (1 if way else _LEAST_WORDS) and _is_language(shown):
            yield Message(shown, way)
        if isinstance(node, ast.Constant):
            return
    for child in _children(node):
        # A part of a text is told with it; within a placeholder stand texts of their own.
        inner = isinstance(node, (ast.JoinedStr, ast.BinOp)) and text is not None
        if not (inner and template(child) is not None):
            yield from _within(child, "" if inner else way)


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


def _way_of(node: ast.AST) -> str:
    if isinstance(node, ast.Raise) and node.exc is not None:
        return WAYS.get(callee(node.exc), "")
    return WAYS.get(callee(node), "") if isinstance(node, ast.Call) else ""


def _is_aside(node: ast.AST) -> bool:
    """Whether what is in it stands on another page, or is read by no person."""
    if isinstance(node, ast.Call):
        return callee(node) in ASIDE
    if isinstance(node, ast.keyword):
        return f"{node.arg}=" in ASIDE
    targets = node.targets if isinstance(node, ast.Assign) else ()
    if isinstance(node, ast.AnnAssign):
        targets = [node.target]
    return any(isinstance(each, ast.Name) and each.id in ASIDE for each in targets)
