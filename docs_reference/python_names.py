"""The page of what Python code imports or asks for: public names, the fixture, the marker."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any, Final

import pytest_compilecheck
from docs_reference.docstring import docstring
from docs_reference.markdown import code, page, prose
from docs_reference.signature import signature
from pytest_compilecheck import plugin
from pytest_compilecheck.pytest_layer.running.fixture import CompileCheck

_ABOUT: Final = """\
Names of `pytest_compilecheck` that are public; each is imported when it is first used, and
`compile_contract` brings nothing but the standard library with it. Then the fixture and the
marker."""

_MARKER: Final = """\
It takes [the fields](contract-fields.md), and stands on a test, a class, or in `pytestmark`."""


def python_page() -> str:
    """The page."""
    names = [
        "\n\n".join(_section(name, getattr(pytest_compilecheck, name)))
        for name in pytest_compilecheck.__all__
    ]
    marker, _, about = plugin.MARKER.partition(": ")
    parts = [
        *names,
        "## The fixture",
        "### compilecheck",
        prose(str(plugin.compilecheck.__doc__)),
        *_methods(CompileCheck, "compilecheck"),
        "## The marker",
        f"### {marker.partition('(')[0]}",
        f"{code('pytest.mark.' + marker)}: {prose(about)}. {_MARKER}",
    ]
    return page("Python", _ABOUT, parts)


def _section(name: str, thing: Any) -> Iterator[str]:
    yield f"## {name}"
    if inspect.isfunction(thing):
        yield signature(name, thing)
    yield docstring(thing)
    if inspect.isclass(thing):
        yield from _methods(thing, name)


def _methods(kind: type, name: str) -> Iterator[str]:
    """The public methods that a class itself defines."""
    for each, method in vars(kind).items():
        if each.startswith("_") or not inspect.isfunction(method):
            continue
        yield f"### {name}.{each}"
        yield signature(each, method, of=f"{name}.")
        yield docstring(method)
