"""Compiles functions as their author wrote them, not as pytest rewrites their asserts.

Dynamo captures `assert y.sum() > 0` whole and breaks on pytest's rewritten form of it. While a
compiled region runs, functions of rewritten modules carry the code that plain Python would have
given them; outside of it they carry the rewritten code.
"""

from __future__ import annotations

import functools
import gc
import os
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any
from weakref import WeakKeyDictionary

_REWRITTEN = "@pytest_ar"  # the name under which rewritten code imports pytest's helpers
_ASSERT = b"assert"


class AsWritten:
    """Swaps codes while regions run.

    Entries of all threads are counted, so that nested and parallel calls swap once. `trouble` is
    told what went wrong in the search: it runs within a call of the user's, which must not fail.
    """

    def __init__(self) -> None:
        self.trouble: Callable[[str, BaseException], None] | None = None
        self._seen_modules: dict[str, int] = {}  # with the module's id: a name may be taken anew
        self._nested: list[CodeType] = []
        self._twins: dict[int, CodeType] = {}
        self._kept: list[CodeType] = []  # keeps the ids in `_twins` from being used again
        # Code as rewritten and as written. Weak: a closure may hold a whole model.
        self._functions: WeakKeyDictionary[FunctionType, tuple[CodeType, CodeType]] = (
            WeakKeyDictionary()
        )
        self._references: list[int] = []
        self._outdated = True
        self._idle = False  # nothing to swap was found: an entry costs next to nothing
        self._entries = 0
        self._lock = threading.Lock()

    def region_created(self) -> None:
        """A new region may run functions that did not exist before."""
        self._outdated = True
        self._idle = False

    def enter(self) -> Callable[[], None]:
        """A region is entered: give the functions their code as written."""
        if self._idle:
            return _nothing
        with self._lock:
            if self._outdated or (not self._entries and self._references != self._count()):
                self._outdated = False
                try:
                    self._look()
                except Exception as error:  # noqa: BLE001 - objects of anybody are looked at
                    if self.trouble is not None:
                        self.trouble("functions with rewritten asserts went unfound", error)
                self._idle = not (self._entries or self._functions or self._nested)
                if self._idle:
                    return _nothing
            self._entries += 1
            if self._entries == 1:
                for function, (rewritten, written) in self._functions.items():
                    if function.__code__ is rewritten:  # and not what somebody else put there
                        function.__code__ = written
        return self.leave

    def leave(self) -> None:
        """A region is left: when it was the last, give the functions back what they had."""
        with self._lock:
            self._entries = max(0, self._entries - 1)
            if self._entries == 0:
                self._restore()

    def end(self) -> None:
        """Give every function its rewritten code back, whatever seems to be still under way."""
        with self._lock:
            self._entries = 0
            self._restore()

    def _restore(self) -> None:
        for function, (rewritten, written) in self._functions.items():
            if function.__code__ is written:
                function.__code__ = rewritten

    def _count(self) -> list[int]:
        """References to the code of nested functions: each function made of it has one."""
        return _reference_counts(self._nested)

    def _look(self) -> None:
        """Find the functions that carry a rewritten assert."""
        found: list[FunctionType] = []
        for module in self._new_modules():
            if _is_rewritten(module) and _may_assert(module.__file__ or ""):
                functions = list(_functions_in(module))
                self._pair(functions, module.__file__ or "")
                found += functions
        found += self._made_inside_functions()
        for function in found:
            written = self._twins.get(id(function.__code__))
            if written is not None and function not in self._functions:
                self._functions[function] = (function.__code__, written)
                if self._entries:
                    function.__code__ = written
        self._references = self._count()

    def _new_modules(self) -> list[ModuleType]:
        """Modules that were imported since the last look; there are thousands in all."""
        modules = dict(sys.modules)
        numbers = dict(zip(modules, map(id, modules.values()), strict=True))
        seen, self._seen_modules = self._seen_modules, numbers
        if numbers == seen:
            return []
        return [modules[name] for name, number in numbers.items() if seen.get(name) != number]

    def _made_inside_functions(self) -> list[FunctionType]:
        """New functions of nested codes: only the collector knows them all, and takes its time.

        It is asked only where more refers to a code than the functions that were found earlier.
        """
        known = self._known_references()
        counts = zip(self._nested, self._count(), strict=True)
        in_use = [code for code, count in counts if count > _UNUSED + known[id(code)]]
        referrers = gc.get_referrers(*in_use) if in_use else []
        return [thing for thing in referrers if isinstance(thing, FunctionType)]

    def _known_references(self) -> Counter[int]:
        """How often each rewritten code, by id, is held by `_functions` and the functions in it."""
        known: Counter[int] = Counter()
        for function, (rewritten, _) in self._functions.items():
            known[id(rewritten)] += 1 + (function.__code__ is rewritten)
        return known

    def _pair(self, functions: list[FunctionType], file: str) -> None:
        """Find for each rewritten code of these functions the code as written."""
        codes = {id(code): code for function in functions for code in _codes(function.__code__)}
        rewritten = [code for code in codes.values() if _REWRITTEN in code.co_names]
        if not rewritten:
            return
        top_level = {id(function.__code__) for function in functions}
        written = _written_codes(file)
        for code in _with_parents(codes.values(), rewritten):
            twins = [twin for twin in written if _stands_in_for(twin, code)]
            if len(twins) == 1:
                self._twins[id(code)] = twins[0]
                self._kept.append(code)
                if id(code) not in top_level:
                    self._nested.append(code)


def _nothing() -> None:
    """What there is to do when nothing was swapped."""


def _is_rewritten(module: Any) -> bool:
    # The loader's class is told by name: this part of the package does not know pytest.
    # Only real modules are asked: sys.modules may hold objects whose attributes run code.
    spec = vars(module).get("__spec__") if type(module) is ModuleType else None
    return type(getattr(spec, "loader", None)).__name__ == "AssertionRewritingHook"


def _functions_in(module: ModuleType) -> Iterator[FunctionType]:
    """Functions defined in a module's file that its namespace leads to, wrapped ones included."""
    waiting, seen = [thing for name, thing in vars(module).items() if name != "__builtins__"], set()
    while waiting:
        thing = waiting.pop()
        if id(thing) not in seen:
            seen.add(id(thing))
            if type(thing) is FunctionType and thing.__code__.co_filename == module.__file__:
                yield thing
            waiting += _led_to(thing, module.__name__)


def _led_to(thing: Any, module: str) -> Iterable[Any]:
    """What an object holds that may be a function of the module, or lead to one.

    Runs no code of the object: isinstance or getattr may, on a proxy.
    """
    kind = type(thing)
    if kind is FunctionType:
        return [thing.__dict__.get("__wrapped__"), *_cell_contents(thing)]
    if kind in (staticmethod, classmethod):
        return [thing.__func__]
    if kind is property:
        return [thing.fget, thing.fset, thing.fdel]
    if kind is functools.partial:
        return [thing.func]
    if kind in (list, tuple, set, dict):
        return list(thing.values() if kind is dict else thing)
    if issubclass(kind, type):
        return vars(thing).values() if thing.__module__ == module else ()
    try:
        fields = object.__getattribute__(thing, "__dict__")
    except AttributeError:
        return ()
    # Of objects from elsewhere only what they wrap, as what pytest.fixture makes of a function.
    return fields.values() if kind.__module__ == module else [fields.get("__wrapped__")]


def _cell_contents(function: FunctionType) -> Iterator[Any]:
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # not filled yet
            continue


def _may_assert(file: str) -> bool:
    """Whether the word stands in a source file: most plugins do without, and need no search."""
    try:
        return _has_the_word(file, os.stat(file).st_mtime_ns)
    except (OSError, ValueError):
        return False  # nobody can say how it was written


@functools.lru_cache(maxsize=4000)
def _has_the_word(file: str, _changed: int) -> bool:
    with open(file, "rb") as source:
        return _ASSERT in source.read()


def _written_codes(file: str) -> list[CodeType]:
    """All codes of a source file, compiled without rewriting; none where it cannot be read."""
    try:
        return _compiled(file, os.stat(file).st_mtime_ns)
    except (OSError, SyntaxError, ValueError):
        return []


@functools.lru_cache(maxsize=1000)
def _compiled(file: str, _changed: int) -> list[CodeType]:
    with open(file, "rb") as source:
        return list(_codes(compile(source.read(), file, "exec", dont_inherit=True)))


def _reference_counts(codes: list[CodeType]) -> list[int]:
    return [sys.getrefcount(code) for code in codes]


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _with_parents(codes: Any, rewritten: list[CodeType]) -> list[CodeType]:
    """Rewritten codes, and those in which one is nested: they make the inner function."""
    wanted = {id(code) for code in rewritten}
    return [code for code in codes if any(id(inner) in wanted for inner in _codes(code))]


def _stands_in_for(written: CodeType, rewritten: CodeType) -> bool:
    return (
        written.co_name == rewritten.co_name
        and written.co_firstlineno == rewritten.co_firstlineno
        and written.co_freevars == rewritten.co_freevars
        and written.co_argcount == rewritten.co_argcount
    )


def _count_of_an_unused_code() -> int:
    """References to a nested code of which no function was made: its parent's, and ours."""
    outer = compile("def function(): pass", "", "exec")
    nested = [code for code in outer.co_consts if isinstance(code, CodeType)]
    kept = list(nested)  # `AsWritten` has it in two lists
    (count,) = _reference_counts(nested)
    del kept
    return count


_UNUSED = _count_of_an_unused_code()
