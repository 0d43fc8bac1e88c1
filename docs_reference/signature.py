"""How a function is called, as a block of code."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from typing import Any

from docs_reference.markdown import fence


def signature(name: str, function: Callable[..., Any], *, of: str = "") -> str:
    """The head of a function as it stands in the source, without `self`; `of` is its class."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(tree, ast.FunctionDef)
    arguments = tree.args
    if arguments.args and arguments.args[0].arg == "self":
        del arguments.args[0]
    returns = f" -> {ast.unparse(tree.returns)}" if tree.returns else ""
    whole = f"def {name}({ast.unparse(arguments)}){returns}"
    if len(whole) <= 100:
        return fence("python", whole, f"signature={of}{name}")
    inner = ast.unparse(arguments)
    parts = _parts(inner)
    lines = [f"def {name}(", *(f"    {each}," for each in parts), f"){returns}"]
    return fence("python", "\n".join(lines), f"signature={of}{name}")


def _parts(arguments: str) -> list[str]:
    """The arguments one by one; commas in brackets part nothing."""
    depth, parts = 0, [""]
    for character in arguments:
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]
