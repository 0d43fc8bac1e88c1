"""Compiles functions as their author wrote them, not as pytest rewrites their asserts.

Dynamo captures `assert y.sum() > 0` whole and breaks on pytest's rewritten form of it. While a
compiled region runs, functions of rewritten modules carry the code that plain Python would have
given them; outside of it they carry the rewritten code.
"""

from __future__ import annotations

import functools
import gc
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from traceback import walk_stack
from types import CodeType, FunctionType, ModuleType
from typing import Any
from weakref import WeakKeyDictionary, ref

from pytest_compilecheck.observe.session_tests import SessionTests
from pytest_compilecheck.observe.source_codes import codes_in, may_assert, written_codes

_PACKAGE = __name__.partition(".")[0] + "."
_REWRITTEN = "@pytest_ar"  # the name under which rewritten code imports pytest's helpers

Trouble = Callable[[str, BaseException], None]
"""Hears what went wrong, and where."""
_Swap = tuple["ref[FunctionType]", tuple[CodeType, CodeType]]


class AsWritten:
    """Swaps codes while regions run; the watches of a session may share one.

    Entries of all threads are counted, so that nested and parallel calls swap once. A watch is
    told what went wrong in the search: it runs within a call of the user's, which must not fail.

    A process may hold thousands of tests, most of them with asserts. No region runs those that
    `tests` says have nothing to do with the one that runs: they are left as they are.
    """

    def __init__(self) -> None:
        self.tests = SessionTests()
        self._involved: frozenset[FunctionType] = frozenset()  # tests that were taken
        self._trouble: Trouble | None = None
        self._modules: dict[str, ref[ModuleType]] = {}  # a name may be taken anew
        # Those that may have functions with rewritten asserts, and what their names stood for.
        self._searched: WeakKeyDictionary[ModuleType, list[int]] = WeakKeyDictionary()
        self._nested: list[CodeType] = []
        self._twins: dict[int, CodeType] = {}
        self._kept: list[CodeType] = []  # keeps the ids in `_twins` from being used again
        # Code as rewritten and as written. Weak: a closure may hold a whole model.
        self._functions: WeakKeyDictionary[FunctionType, tuple[CodeType, CodeType]] = (
            WeakKeyDictionary()
        )
        self._swaps: list[_Swap] = []  # the same, quick to go through at each entry
        self._found: tuple[int, list[int]] = (0, [])  # what `_state` was after the last look
        self._outdated = True
        self._idle = False  # nothing to swap was found: an entry costs next to nothing
        self._entries = 0
        self._lock = threading.Lock()

    @contextmanager
    def telling(self, trouble: Trouble) -> Iterator[None]:
        """For a watch: look for new functions, and tell it of trouble; then put all back."""
        before, self._trouble = self._trouble, trouble
        self.region_created()
        try:
            yield
        finally:
            self._trouble = before
            if before is None:
                self.end()

    def test_begins(self, function: object) -> None:
        """From now on regions may run this test, and what it makes."""
        self.tests.begins(function)
        self.region_created()

    def region_created(self) -> None:
        """A new region may run functions that did not exist before."""
        self._outdated = True
        self._idle = False

    def enter(self) -> Callable[[], None]:
        """A region is entered: give the functions their code as written."""
        if self._idle:
            return _nothing
        with self._lock:
            if self._outdated or (not self._entries and self._found != self._state()):
                self._outdated = False
                try:
                    self._look()
                except Exception as error:  # noqa: BLE001 - objects of anybody are looked at
                    if self._trouble is not None:
                        self._trouble(
                            "functions whose asserts pytest rewrote could not be looked for", error
                        )
                self._idle = not (self._entries or self._functions or self._nested)
                if self._idle:
                    return _nothing
            self._entries += 1
            if self._entries == 1:
                for alive, (rewritten, written) in self._swaps:
                    function = alive()
                    # It may have what somebody else put there.
                    if function is not None and function.__code__ is rewritten:
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

    def close(self) -> None:
        """Keep nothing any more: in the eyes of another, what holds a code may be a function."""
        self.end()
        for known in (self._modules, self._searched, self._twins, self._functions):
            known.clear()
        self._nested, self._kept, self._swaps, self._involved = [], [], [], frozenset()
        self.region_created()

    def _restore(self) -> None:
        for alive, (rewritten, written) in self._swaps:
            function = alive()
            if function is not None and function.__code__ is written:
                function.__code__ = rewritten

    def _state(self) -> tuple[int, list[int]]:
        """Functions known, and references to nested codes: each function made of one has one."""
        return len(self._functions), _reference_counts(self._nested)

    def _look(self) -> None:
        """Find the functions that carry a rewritten assert."""
        # What is kept for one that is gone would look like another function of its code.
        self._swaps = [each for each in self._swaps if each[0]() is not None]
        for module in self._new_modules():
            if _is_rewritten(module) and not _is_ours(module) and may_assert(module.__file__ or ""):
                self._searched[module] = []
        found: list[FunctionType] = []
        for module, known in list(self._searched.items()):
            names = list(map(id, vars(module).values()))
            if names != known:  # new, or run anew
                self._searched[module] = names
                functions = [f for f in _functions_in(module) if not self.tests.waits(f)]
                self._pair(functions, module.__file__ or "")
                found += functions
        self._take([*found, *self._new_tests()])
        # Functions made inside of others: those that run know most of them, the collector knows all
        # and takes its time.
        self._take_made(_made_in_frames)
        self._take_made(gc.get_referrers)
        self._found = self._state()
        # Of the same tuples: each reference to a code counts.
        self._swaps = [(ref(function), codes) for function, codes in self._functions.items()]

    def _new_tests(self) -> Iterable[FunctionType]:
        """The tests that are involved since the last look; those that no longer are, are let go."""
        before, self._involved = self._involved, self.tests.involved
        for function in before - self._involved:
            codes = self._functions.pop(function, None)
            if codes is not None and function.__code__ is codes[1]:
                function.__code__ = codes[0]
        for function in self._involved - before:
            self._pair([function], function.__code__.co_filename)
        return self._involved - before

    def _take_made(self, search: Callable[..., Iterable[Any]]) -> None:
        """Take new functions of nested codes, if there are any, with this way to find them."""
        in_use = self._unexplained()
        if in_use:
            self._take(thing for thing in search(*in_use) if type(thing) is FunctionType)

    def _take(self, functions: Iterable[FunctionType]) -> None:
        """Swap these from now on, as far as they carry a rewritten assert."""
        for function in functions:
            written = self._twins.get(id(function.__code__))
            if written is not None and function not in self._functions:
                self._functions[function] = (function.__code__, written)
                if self._entries:
                    function.__code__ = written

    def _new_modules(self) -> Iterator[ModuleType]:
        """Modules that were imported since the last look; there are thousands in all."""
        for name, module in sys.modules.copy().items():
            if type(module) is ModuleType:  # others may run code when they are asked
                seen = self._modules.get(name)
                if seen is None or seen() is not module:
                    self._modules[name] = ref(module)
                    yield module

    def _unexplained(self) -> list[CodeType]:
        """Nested codes to which more refers than the functions that were found."""
        known = self._known_references()
        counts = zip(self._nested, _reference_counts(self._nested), strict=True)
        return [code for code, count in counts if count > _UNUSED + known[id(code)]]

    def _known_references(self) -> Counter[int]:
        """How often each rewritten code, by id, is held by `_functions` and the functions in it."""
        known: Counter[int] = Counter()
        for function, (rewritten, _) in self._functions.items():
            known[id(rewritten)] += 1 + (function.__code__ is rewritten)
        return known

    def _pair(self, functions: list[FunctionType], file: str) -> None:
        """Find for each rewritten code of these functions the code as written."""
        own = [function for function in functions if function.__code__.co_filename == file]
        codes = {id(code): code for function in own for code in codes_in(function.__code__)}
        rewritten = [code for code in codes.values() if _REWRITTEN in code.co_names]
        if not rewritten:
            return
        top_level = {id(function.__code__) for function in own}
        written = written_codes(file)
        for code in _with_parents(codes.values(), rewritten):
            if id(code) in self._twins:
                continue
            twins = [twin for twin in written if _stands_in_for(twin, code)]
            if len(twins) == 1:
                self._twins[id(code)] = twins[0]
                self._kept.append(code)
                if id(code) not in top_level:
                    self._nested.append(code)


def _nothing() -> None:
    """What there is to do when nothing was swapped."""


def _is_rewritten(module: ModuleType) -> bool:
    # The loader's class is told by name: this part of the package does not know pytest.
    spec = vars(module).get("__spec__")
    return type(getattr(spec, "loader", None)).__name__ == "AssertionRewritingHook"


def _is_ours(module: ModuleType) -> bool:
    """Whether it is of this package, of which nothing runs in a region: pytest rewrites plugins."""
    return str(vars(module).get("__name__")).startswith(_PACKAGE)


def _functions_in(module: ModuleType) -> Iterator[FunctionType]:
    """Functions that a module's namespace leads to, wrapped ones included."""
    waiting, seen = [thing for name, thing in vars(module).items() if name != "__builtins__"], set()
    while waiting:
        thing = waiting.pop()
        if id(thing) not in seen:
            seen.add(id(thing))
            if type(thing) is FunctionType:
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


def _made_in_frames(*codes: CodeType) -> Iterator[Any]:
    """What the frames in which these codes are written have at hand, functions of them among it."""
    wanted = {id(code) for code in codes}
    for frame, _ in walk_stack(sys._getframe(1)):
        if any(id(constant) in wanted for constant in frame.f_code.co_consts):
            for thing in list(frame.f_locals.values()):
                yield from (thing, *_led_to(thing, ""))


def _reference_counts(codes: list[CodeType]) -> list[int]:
    return [sys.getrefcount(code) for code in codes]


def _with_parents(codes: Any, rewritten: list[CodeType]) -> list[CodeType]:
    """Rewritten codes, and those in which one is nested: they make the inner function."""
    wanted = {id(code) for code in rewritten}
    return [code for code in codes if any(id(inner) in wanted for inner in codes_in(code))]


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
