"""The author's names for what guards speak of, and where such a thing lives."""

from __future__ import annotations

import linecache
import re
from collections.abc import Callable
from types import CodeType
from typing import Any

from torch import nn

from pytest_compilecheck.observe.guards.scope import REACHED, Missing, Scope
from pytest_compilecheck.observe.guards.variadic import variadic_named
from pytest_compilecheck.observe.guards.words import in_words
from pytest_compilecheck.observe.source import resumed_line
from pytest_compilecheck.observe.values.cures import RESULT_OF_LINE
from pytest_compilecheck.observe.values.recompile import Holder

_STACK_VALUE = re.compile(r"___stack\d+")
_CHILD = re.compile(r"\._modules\['([^']*)'\]")
_GET_ITEM = r"(?:(?:dict|list)\.__getitem__|___(?:odict|tuple_iterator)_getitem)"

# Ways in which torch writes what the author writes otherwise; each is applied until it is not
# found any more.
_REWRITES = tuple(
    (re.compile(pattern), plain)
    for pattern, plain in (
        (r"___(?:from_numpy|as_tensor)\(([^()]*)\)", r"\1"),
        (rf"{_GET_ITEM}\(([^(),]*), ([^()]*)\)", r"\1[\2]"),
        (r"list\(dict\.keys\(([^()]*)\)\)", r"list(\1)"),
        (r"___tuple_iterator_len\(([^()]*)\)", r"len(\1)"),
        (r"object\.__getattribute__\(([^()]*), '([A-Za-z_]\w*)'\)", r"\1.\2"),
        (r"type\(([^()]*)\)\.__mro__\[\d+\]\.__dict__\['([A-Za-z_]\w*)'\]", r"type(\1).\2"),
        (r"dict\(type\(([^()]*)\)\.__dict__\)\['([A-Za-z_]\w*)'\]", r"type(\1).\2"),
        (r"\bL\['([A-Za-z_]\w*)'\]", r"\1"),
        (r"\bG\['__builtins_dict__[^']*'\]\['([A-Za-z_]\w*)'\]", r"\1"),
        (r"\bG\['([A-Za-z_]\w*)'\]", r"\1"),
        (r"\.(?:_parameters|_buffers|__dict__)\['([A-Za-z_]\w*)'\]", r".\1"),
        (r"\.size\(\)\[(\d+)\]", r".size(\1)"),
        (r"\.stride\(\)\[(\d+)\]", r".stride(\1)"),
        (r"\.__func__\b", ""),
        (r"\.__code__\b", ""),
        (r"\.__dict__\b", ""),
    )
)
_IMPORTED = re.compile(r"__import_(\w+)")


class Names:
    """Names in one frame: its code tells closure variables and lines, the scope the rest."""

    def __init__(self, code: CodeType, scope: Scope) -> None:
        self._code = code
        self._scope = scope

    def of(self, source: str) -> str:
        """The author's name for an expression of torch's, e.g. "self.layers[0].step"."""
        named = variadic_named(self._resolved(source), self._code, self._scope)
        return self._stack_values(plain_name(named))

    def holder(self, source: str) -> Holder:
        """Where what an expression stands for lives."""
        if any(isinstance(value, nn.Module) for value in self._holders(source)):
            return "module"
        if ".__closure__[" in source:
            return "closure"
        root = re.match(r".*?\b([LG])\['([^']*)'\]", source)
        if root is None:
            return "process"
        if root[1] == "G":
            return "process" if root[2].startswith("__import_torch") else "global"
        return "closure" if root[2] in self._code.co_freevars else "argument"

    def _holders(self, source: str) -> list[Any]:
        """What an expression leads through; of a call on a value also that value."""
        reached = REACHED.search(source)
        if reached is None or reached[0] == source:
            return [value for _, value in self._scope.path(source)]
        inner = reached[0]
        held = [self._scope.value(inner)] if self._scope.has(inner) else []
        return [*held, *(value for _, value in self._scope.path(inner))]

    def _resolved(self, source: str) -> str:
        """The expression with what the author names otherwise than by its place."""
        for pattern, named in _BY_VALUE:
            for match in reversed(list(pattern.finditer(source))):
                before = source[: match.start()]
                try:
                    found = named(self._scope, before, match)
                except (Missing, AttributeError, IndexError, KeyError, TypeError):
                    continue
                source = found + source[match.end() :]
                if not found.startswith(before):
                    break  # a variable of its own, wherever the function that has it is
        return source

    def _stack_values(self, name: str) -> str:
        # What a broken line left behind has no name: the line is what the author knows.
        at = resumed_line(self._code.co_name)
        if at is None:
            return name
        line = linecache.getline(self._code.co_filename, at).strip()
        told = f"{RESULT_OF_LINE} {at}: {line}>" if line else f"{RESULT_OF_LINE} {at}>"
        return _STACK_VALUE.sub(lambda _: told, name)


def plain_name(source: str) -> str:
    """What the author writes for an expression of torch's, as far as its text alone tells."""
    previous = None
    while source != previous:
        previous = source
        for pattern, plain in _REWRITES:
            source = pattern.sub(plain, source)
        source = _CHILD.sub(lambda child: _child(child[1]), source)
    return _IMPORTED.sub(lambda match: match[1].replace("_dot_", "."), source)


def _child(name: str) -> str:
    if name.isdigit():
        return f"[{name}]"
    return f".{name}" if name.isidentifier() else f"[{name!r}]"


# Names that depend on values: each function gets the scope, the expression before a match and the
# match, and gives what to write for both.


def _child_of_dict(scope: Scope, before: str, match: re.Match[str]) -> str:
    by_key = isinstance(scope.value(before), nn.ModuleDict)
    return f"{before}[{match['name']!r}]" if by_key else before + match[0]


def _children(scope: Scope, before: str, match: re.Match[str]) -> str:
    return before if hasattr(scope.value(before), "__len__") else before + match[0]


def _key(scope: Scope, before: str, match: re.Match[str]) -> str:
    return f"{before}[{in_words(scope.evaluate(match['key']))}]"


def _keyword_default(scope: Scope, before: str, match: re.Match[str]) -> str:
    return f"{scope.value(before).__name__}'s default of {match['name']}"


def _default(scope: Scope, before: str, match: re.Match[str]) -> str:
    function = scope.value(before)
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    name = names[len(names) - len(function.__defaults__) + int(match["index"])]
    return f"{function.__name__}'s default of {name}"


def _free_variable(scope: Scope, before: str, match: re.Match[str]) -> str:
    return str(scope.value(before).__code__.co_freevars[int(match["index"])])


_BY_VALUE: tuple[tuple[re.Pattern[str], Callable[[Scope, str, re.Match[str]], str]], ...] = (
    (re.compile(r"\._modules\['(?P<name>\d+)'\]"), _child_of_dict),
    (re.compile(r"\._modules\b(?!\[)"), _children),
    (re.compile(r"\[(?P<key>list\(dict\.keys\([^()]*\)\)\[\d+\])\]"), _key),
    (re.compile(r"\.__kwdefaults__\['(?P<name>\w+)'\]"), _keyword_default),
    (re.compile(r"\.__defaults__\[(?P<index>\d+)\]"), _default),
    (re.compile(r"\.__closure__\[(?P<index>\d+)\]\.cell_contents"), _free_variable),
)
