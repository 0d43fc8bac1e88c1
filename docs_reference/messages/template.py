"""A text of the source as a template: what is put into it stands in braces, by its name."""

from __future__ import annotations

import ast
import re
from typing import Final

# Functions that only say how a value is shown.
_SHOWN_BY: Final = {
    "dict",
    "len",
    "list",
    "printable",
    "repr",
    "sentence",
    "shown",
    "sorted",
    "str",
    "told",
    "tuple",
}


def template(node: ast.AST) -> str | None:
    """The template of a text; None for what is no text, or no text alone."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(map(_piece, node.values))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = template(node.left), template(node.right)
        if left is None and right is None:
            return None
        return (left or _placeholder(node.left)) + (right or _placeholder(node.right))
    return None


def _piece(part: ast.expr) -> str:
    if isinstance(part, ast.Constant):
        return str(part.value).replace("{", "{{").replace("}", "}}")
    assert isinstance(part, ast.FormattedValue)
    return _placeholder(part.value)


def _placeholder(node: ast.expr) -> str:
    return f"{{{_name(node)}}}"


def _name(node: ast.expr) -> str:
    """What a value is called: a name, the last of a path, what a function shows."""
    if isinstance(node, ast.Name):
        return node.id.strip("_").lower()
    if isinstance(node, ast.Attribute):
        return "type" if node.attr == "__name__" else node.attr.strip("_")
    if isinstance(node, ast.Subscript):
        return _name(node.value)
    if isinstance(node, ast.BoolOp):
        return _name(node.values[0])
    if isinstance(node, ast.Call):
        return _of_call(node)
    return "..."


def _of_call(node: ast.Call) -> str:
    called = node.func.attr if isinstance(node.func, ast.Attribute) else _name(node.func)
    if called == "join" and node.args:
        return _name(node.args[0])
    if called == "plural" and len(node.args) > 1:
        thing = template(node.args[1])
        return f"n {thing}s" if thing else "n things"
    if called in _SHOWN_BY and node.args:
        return _name(node.args[0])
    return re.sub("^_+", "", called)


def words(text: str) -> int:
    """How many words a template has of its own."""
    return len(re.findall(r"[A-Za-z]{2,}", re.sub(r"\{\w[^{}]*\}", " ", text)))
