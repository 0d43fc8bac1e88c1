"""The errors that a module raises, and what is known of each."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from docs_reference.messages.ways import QUIET, WAYS, callee


def unaccounted(tree: ast.Module) -> list[str]:
    """The `raise` statements of whose error nothing is known, each as its line and text.

    An error that is raised again, by the name that it was caught or made under, was told before.
    """
    return [
        f"line {node.lineno}: {ast.unparse(node)}"
        for node in _raises(tree)
        if node.exc is not None and not _is_again(node.exc) and not _is_known(node.exc)
    ]


def _raises(tree: ast.Module) -> Iterator[ast.Raise]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Raise))


def _is_again(error: ast.expr) -> bool:
    """Whether a value is raised that a variable holds: `raise error`, `raise run.error`."""
    if isinstance(error, ast.Call):
        # `error.below(...)` is the same error, seen from further out.
        return isinstance(error.func, ast.Attribute) and error.func.attr == "below"
    return not _is_class(callee(error))


def _is_known(error: ast.expr) -> bool:
    return callee(error) in WAYS or callee(error) in QUIET


def _is_class(name: str) -> bool:
    return name.lstrip("_")[:1].isupper()
