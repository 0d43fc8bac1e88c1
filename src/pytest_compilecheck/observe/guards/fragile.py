"""Assumptions of a graph that are likely to fail later: numbers, texts, identities of objects."""

from __future__ import annotations

import dis
import enum
import functools
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, ModuleType
from typing import Any

import torch
from torch import nn

from pytest_compilecheck.observe.guards.names import Names
from pytest_compilecheck.observe.guards.paths import full_path, is_library
from pytest_compilecheck.observe.guards.scope import Missing, Scope
from pytest_compilecheck.observe.guards.tree import Guard, Tree, place
from pytest_compilecheck.observe.guards.words import in_words
from pytest_compilecheck.observe.values.recompile import FragileGuard, Holder

_KINDS = ("EQUALS_MATCH", "TRUE_MATCH", "FALSE_MATCH", "ID_MATCH")
_SETUP = ("__init__", "__new__", "__setstate__", "__post_init__")
_RUN = ("forward", "__call__")
_FIXED = (type, ModuleType, BuiltinFunctionType, nn.Module, torch.device, torch.dtype)
# Guards that come with every graph, or that say the same as another one.
_COMMON = (
    "list(dict.keys(",
    "_hooks",
    "type(",
    "__builtins_dict__",
    ".__code__",
    ".__defaults__",
    ".__class__",
    ".__name__",
)
_PLAIN = (int, float, complex, str, bytes, enum.Enum)


@dataclass(frozen=True, slots=True)
class _Subject:
    """A guard with the value that it holds for now, where that lives, and where it is used."""

    guard: Guard
    value: object
    holder: Holder
    file: str | None
    line: int | None

    @property
    def in_library(self) -> bool:
        """Whether the code that needs it is an installed package's or Python's own."""
        return self.file is not None and is_library(self.file)


def fragile_guards(tree: Tree, scope: Scope, names: Names) -> list[FragileGuard]:
    """Those of a graph that was made just now, the most likely to fail first."""
    found = []
    for subject in _subjects(tree, scope, names):
        judged = _likelihood(subject, scope)
        if judged is not None:
            rank, why = judged
            found.append(
                FragileGuard(
                    source=names.of(subject.guard.source),
                    value=in_words(subject.value),
                    holder=subject.holder,
                    file=subject.file,
                    line=subject.line,
                    why=why,
                    rank=rank,
                )
            )
    return sorted(found, key=lambda each: each.rank)


def _subjects(tree: Tree, scope: Scope, names: Names) -> Iterator[_Subject]:
    for guard in tree.guards:
        if guard.kind not in _KINDS or _is_common(guard.source):
            continue
        try:
            value = scope.value(guard.source)
        except Missing:
            continue
        if isinstance(value, _FIXED):
            continue
        file, line = place(guard.texts[0]) or (None, None)
        yield _Subject(guard, value, names.holder(guard.source), file and full_path(file), line)


def _is_common(source: str) -> bool:
    return source.endswith(".training") or any(part in source for part in _COMMON)


def _likelihood(subject: _Subject, scope: Scope) -> tuple[int, str] | None:
    """Rank, 0 for the most likely to change, and why; None for what does not change."""
    if subject.holder == "process" or _is_library_object(subject):
        return None
    owner = _owner(subject.guard.source, scope)
    if owner is not None:
        return _of_object(subject, *owner)
    if subject.holder == "argument":
        return 1, "it comes from an argument: another one rebuilds"
    if subject.in_library or callable(subject.value):
        return None
    writer = _assigning_function(subject.guard.source, scope)
    if writer is not None:
        return 0, f"{writer} assigns it: each new value rebuilds"
    what = "a module-level value" if subject.holder == "global" else "a captured value"
    return 3, f"{what}: each new one rebuilds"


def _is_library_object(subject: _Subject) -> bool:
    # Which optimizer or processor a library works on; the author's own code tells it too.
    plain = subject.value is None or isinstance(subject.value, _PLAIN)
    return subject.in_library and not plain


def _owner(source: str, scope: Scope) -> tuple[object, str] | None:
    """The object whose attribute a value is (or is held in), and the attribute's name."""
    path = [(source, None), *scope.path(source)]
    for (below, _), (above, value) in pairwise(path):
        step = below[len(above) :]
        if step.startswith(".") and not isinstance(value, (ModuleType, FunctionType, CellType)):
            return value, step[1:]
    return None


def _of_object(subject: _Subject, owner: object, attribute: str) -> tuple[int, str] | None:
    """An attribute is likely to change where a method beside the constructor assigns it."""
    own = not is_library(getattr(sys.modules.get(type(owner).__module__), "__file__", None) or "")
    writer = _assigning_method(type(owner), attribute, anywhere=own)
    if writer is not None:
        return 0, f"{writer} assigns it: each new value rebuilds"
    scheduled = re.search(r"\['(?:lr|momentum|betas)'\]", subject.guard.source)
    if isinstance(owner, torch.optim.Optimizer) and attribute == "param_groups" and scheduled:
        return 1, "a setting of the optimizer: a schedule changes it"
    if not own:
        return None
    if subject.holder == "argument":
        return 2, "it is in an argument: another value rebuilds"
    return 4, f"an attribute of {type(owner).__name__}: a new value rebuilds"


def _assigning_method(cls: type, attribute: str, *, anywhere: bool) -> str | None:
    """The method that sets an attribute; of library classes only those that a call runs."""
    for base in cls.__mro__:
        if base.__module__.partition(".")[0] == "torch":
            return None
        for name, member in vars(base).items():
            code = getattr(member, "__code__", None)
            counts = name in _RUN or (name not in _SETUP and (anywhere or not _is_model(cls)))
            if code is not None and counts and _stores(code, "STORE_ATTR", attribute):
                return f"{base.__name__}.{name}"
    return None


def _is_model(cls: type) -> bool:
    # Setters of a library's models are for setting them up; caches change as they run.
    return issubclass(cls, nn.Module)


def _assigning_function(source: str, scope: Scope) -> str | None:
    """The function beside the frame that assigns a global."""
    name = source.removeprefix("G['").partition("'")[0]
    namespace: dict[str, Any] = scope.value("G")
    for member in _functions(namespace.values()):
        if _stores(member.__code__, "STORE_GLOBAL", name):
            return member.__name__
    return None


def _functions(values: Iterable[Any]) -> list[FunctionType]:
    return [value for value in list(values) if isinstance(value, FunctionType)]


def _stores(code: Any, operation: str, name: str) -> bool:
    """Whether code assigns a global, or an attribute of its own first argument."""
    # Names first: most codes do not know the name, and need not be read.
    return (
        isinstance(code, CodeType) and name in code.co_names and (operation, name) in _stored(code)
    )


@functools.lru_cache(maxsize=10_000)
def _stored(code: CodeType) -> frozenset[tuple[str, str]]:
    """What code assigns: globals, and attributes of its first argument, with the operation."""
    found = set()
    before = None
    for step in dis.get_instructions(code):
        if step.opname in ("STORE_GLOBAL", "STORE_ATTR"):
            loaded: Any = (
                before.argval if before and before.opname.startswith("LOAD_FAST") else None
            )
            target: Any = loaded[-1] if isinstance(loaded, tuple) else loaded
            if step.opname == "STORE_GLOBAL" or target in (None, *code.co_varnames[:1]):
                found.add((step.opname, step.argval))
        before = step
    return frozenset(found)
