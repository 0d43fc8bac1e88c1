"""Functions that pytest calls as tests: while one runs, regions run none of the others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from types import FunctionType
from weakref import WeakSet

from pytest_compilecheck.observe.source_codes import codes_in


class SessionTests:
    """Those of a session, and which are involved in the test that runs."""

    def __init__(self) -> None:
        self._collected: WeakSet[FunctionType] = WeakSet()
        self._named: defaultdict[str, WeakSet[FunctionType]] = defaultdict(WeakSet)
        self.involved: frozenset[FunctionType] = frozenset()
        """The test that runs, with what it wraps and tests whose names stand in its code."""

    def collected(self, function: object) -> None:
        """There is a test of this function."""
        for each in _layers(function):
            self._collected.add(each)
            self._named[each.__name__].add(each)

    def begins(self, function: object) -> None:
        """The test of this function begins to run."""
        involved: set[FunctionType] = set()
        waiting = list(_layers(function))
        while waiting:
            test = waiting.pop()
            involved.add(test)
            names = {name for code in codes_in(test.__code__) for name in code.co_names}
            named = (each for name in names for each in self._named.get(name, ()))
            waiting += [each for each in named if each not in involved]
        self.involved = frozenset(involved)

    def waits(self, function: FunctionType) -> bool:
        """Whether it is a test that has nothing to do with the one that runs."""
        return function in self._collected and function not in self.involved


def _layers(function: object) -> Iterator[FunctionType]:
    """A function and those that it wraps."""
    met: set[object] = set()
    while isinstance(function, FunctionType) and function not in met:
        met.add(function)
        yield function
        function = function.__dict__.get("__wrapped__")
