"""Which variables, constants and functions of a module a text goes through until it is told."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from docs_reference.messages.ways import WAYS, callee


def way_of(node: ast.AST) -> str:
    """How a call or a raise tells what it is given; "" where it does not."""
    if isinstance(node, ast.Raise) and node.exc is not None:
        return WAYS.get(callee(node.exc), "")
    return WAYS.get(callee(node), "") if isinstance(node, ast.Call) else ""


def handed_on(tree: ast.Module) -> dict[str, str]:
    """The way of each name whose text is given to a way, or to another such name.

    Names are those of the whole module: of two functions that have a variable of one name, both.
    """
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        way = way_of(node)
        if way:
            found |= dict.fromkeys(_names(node), way) | found
    while True:
        more = dict(found)
        for node in ast.walk(tree):
            for name, source in _sources(node):
                if name in found:
                    more |= dict.fromkeys(_names(source), found[name]) | more
        if more == found:
            return found
        found = more


def targets(node: ast.AST) -> list[str]:
    """The names that an assignment binds."""
    bound = node.targets if isinstance(node, ast.Assign) else []
    if isinstance(node, (ast.AnnAssign, ast.NamedExpr)):
        bound = [node.target]
    return [each.id for each in bound if isinstance(each, ast.Name)]


def _sources(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Names, each with an expression that its text comes from."""
    if isinstance(node, (ast.Assign, ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
        yield from ((name, node.value) for name in targets(node))
    elif isinstance(node, ast.FunctionDef):
        for inner in ast.walk(node):
            if isinstance(inner, ast.Return) and inner.value is not None:
                yield node.name, inner.value


def _names(node: ast.AST) -> set[str]:
    """The names of what a text is made of: variables, constants and functions of the module."""
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
