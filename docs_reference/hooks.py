"""The page of the hooks that other plugins may implement."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from docs_reference.docstring import docstring
from docs_reference.markdown import page
from docs_reference.signature import signature
from pytest_compilecheck.pytest_layer import hookspecs

_ABOUT: Final = """\
What other plugins and `conftest.py` may implement; [For plugins](../plugins.md) shows each in
use."""
_PREFIX: Final = "pytest_compilecheck_"


def hooks() -> dict[str, Callable[..., Any]]:
    """The hooks by name, in the order of their module."""
    return {name: each for name, each in vars(hookspecs).items() if name.startswith(_PREFIX)}


def hooks_page() -> str:
    """The page."""
    sections = [
        f"## {name}\n\n{signature(name, each)}\n\n{docstring(each)}"
        for name, each in hooks().items()
    ]
    common = docstring(hookspecs).split("\n\n", 1)[1]
    return page("Hooks", _ABOUT, [common, *sections])
