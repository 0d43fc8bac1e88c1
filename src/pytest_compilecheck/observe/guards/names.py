"""The author's names for what guards speak of, and where such a thing lives."""

from __future__ import annotations

import linecache
import re
from types import CodeType, FunctionType
from typing import Any

from torch import nn

from pytest_compilecheck.observe.guards.scope import Missing, Scope
from pytest_compilecheck.observe.recompile import Holder
from pytest_compilecheck.observe.source import resumed_line

_CLOSURE = re.compile(r"\.__closure__\[(\d+)\]\.cell_contents")
_DEFAULT = re.compile(r"\.__defaults__\[(\d+)\]")
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
        (r"type\(([^()]*)\)\.__mro__\[\d+\]\.__dict__\['([A-Za-z_]\w*)'\]", r"type(\1).\2"),
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
        return self._stack_values(plain_name(self._functions_resolved(source)))

    def holder(self, source: str) -> Holder:
        """Where what an expression stands for lives."""
        if any(isinstance(value, nn.Module) for _, value in self._scope.path(source)):
            return "module"
        if ".__closure__[" in source:
            return "closure"
        root = re.match(r".*?\b([LG])\['([^']*)'\]", source)
        if root is None:
            return "process"
        if root[1] == "G":
            return "process" if root[2].startswith("__import_torch") else "global"
        return "closure" if root[2] in self._code.co_freevars else "argument"

    def _functions_resolved(self, source: str) -> str:
        # A closure cell or a default is known to the author by the name of the variable.
        for pattern, name in ((_CLOSURE, _free_variable), (_DEFAULT, _defaulted)):
            while match := pattern.search(source):
                try:
                    function = self._scope.value(source[: match.start()])
                    found = name(function, int(match[1]))
                except (Missing, AttributeError, IndexError, TypeError):
                    break
                source = found + source[match.end() :]
        return source

    def _stack_values(self, name: str) -> str:
        # What a broken line left behind has no name: the line is what the author knows.
        at = resumed_line(self._code.co_name)
        if at is None:
            return name
        line = linecache.getline(self._code.co_filename, at).strip()
        told = f"<result of line {at}: {line}>" if line else f"<result of line {at}>"
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


def _free_variable(function: Any, index: int) -> str:
    return str(function.__code__.co_freevars[index])


def _defaulted(function: FunctionType, index: int) -> str:
    code = function.__code__
    names = code.co_varnames[: code.co_argcount]
    name = names[len(names) - len(function.__defaults__ or ()) + index]
    return f"{function.__name__}'s default of {name}"
