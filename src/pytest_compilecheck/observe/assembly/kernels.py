"""Kernels that Inductor's generated code launches, read from that code.

Source of the facts: torch 2.8 to 2.15, `torch/_inductor/codegen/wrapper.py`. A generated module has
one entry, `call`, a function or a method of `Runner`. It launches a kernel of its own by name
(C++) or by `name.run(...)` (Triton), a library's by `extern_kernels.name(...)`, and an operator
that it does not generate code for by `torch.ops.namespace.name(...)` or `aten.name(...)`. Parts of
the graph (branches of `torch.cond`, partitions) are functions of the module that `call` calls.
Some operators of Inductor's own only lay out memory (`config.memory_planning`) and launch nothing.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from pytest_compilecheck.observe.values.observation import KernelKind

# torch/csrc/inductor/inductor_ops.cpp, torch/_inductor/ir.py (`ResizeStorageBytes`)
_MEMORY_ONLY: Final = (
    ("inductor", "_alloc_from_pool"),
    ("inductor", "_reinterpret_tensor"),
    ("inductor", "resize_storage_bytes_"),
)


class Kernel(NamedTuple):
    """A kernel by its name: one that was generated, a library's, or an operator left as it was."""

    kind: KernelKind
    name: str


def kernels_of(source: str) -> Counter[Kernel] | None:
    """How often one run of a generated module launches each kernel.

    Of branches the one with the most launches counts. None where the code does not tell: it is no
    Python (`cpp_wrapper`), has no entry, or launches kernels in a loop.
    """
    try:
        return _Module(ast.parse(source)).launches()
    except (SyntaxError, ValueError, _UnknownError):
        return None


class _UnknownError(Exception):
    """How often something is launched cannot be read from the code."""


class _Module:
    def __init__(self, tree: ast.Module) -> None:
        self._functions = {
            node.name: node
            for each in tree.body
            for node in _methods_or_itself(each)
            if isinstance(node, ast.FunctionDef)
        }
        values = {name: value for each in tree.body for name, value in _assigned(each)}
        self._generated = {name for name, value in values.items() if _is_compiled_kernel(value)}
        self._operators = {
            name: path for name, value in values.items() if (path := _operator_path(_path(value)))
        }
        self._partitions = _partitions(values.get("runner"))

    def launches(self) -> Counter[Kernel]:
        if "call" not in self._functions:
            raise _UnknownError
        return self._of_function("call", ())

    def _of_function(self, name: str, inside: tuple[str, ...]) -> Counter[Kernel]:
        if name in inside:
            raise _UnknownError
        return self._of_all(self._functions[name].body, (*inside, name))

    def _of_all(self, nodes: Iterable[ast.AST], inside: tuple[str, ...]) -> Counter[Kernel]:
        total: Counter[Kernel] = Counter()
        for node in nodes:
            total += self._of(node, inside)
        return total

    def _of(self, node: ast.AST, inside: tuple[str, ...]) -> Counter[Kernel]:
        if isinstance(node, ast.If):
            branches = (self._of_all(node.body, inside), self._of_all(node.orelse, inside))
            return self._of(node.test, inside) + max(branches, key=Counter.total)
        total = self._of_all(ast.iter_child_nodes(node), inside)
        if isinstance(node, ast.Call):
            total += self._of_call(node, inside)
        if total and isinstance(node, (ast.For, ast.While)):
            raise _UnknownError
        return total

    def _of_call(self, call: ast.Call, inside: tuple[str, ...]) -> Counter[Kernel]:
        if isinstance(call.func, ast.Subscript):  # self.partitions[0](args)
            return self._of_function(self._partition(call.func), inside)
        path = _path(call.func)
        if len(path) == 1 and path[0] in self._functions:
            return self._of_function(path[0], inside)
        kernel = self._kernel(path)
        return Counter([kernel]) if kernel is not None else Counter()

    def _kernel(self, path: tuple[str, ...]) -> Kernel | None:
        if not path:
            return None
        if path[0] in self._generated and path[1:] in ((), ("run",)):
            return Kernel("generated", path[0])
        if path[0] == "extern_kernels":
            return Kernel("extern", ".".join(path[1:]))
        operator = _operator_path((*self._operators.get(path[0], path[:1]), *path[1:]))[2:]
        if not operator or operator[:2] in _MEMORY_ONLY:
            return None
        return Kernel("fallback", ".".join(operator))

    def _partition(self, called: ast.Subscript) -> str:
        index = called.slice.value if isinstance(called.slice, ast.Constant) else None
        if (
            _path(called.value) != ("self", "partitions")
            or not isinstance(index, int)
            or index >= len(self._partitions)
        ):
            raise _UnknownError
        return self._partitions[index]


def _methods_or_itself(node: ast.stmt) -> list[ast.stmt]:
    return node.body if isinstance(node, ast.ClassDef) and node.name == "Runner" else [node]


def _assigned(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    if isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Name):
                yield target.id, node.value


def _is_compiled_kernel(value: ast.AST) -> bool:
    """Whether this is `async_compile.triton(...)` or the like."""
    return isinstance(value, ast.Call) and _path(value.func)[:1] == ("async_compile",)


def _operator_path(path: tuple[str, ...]) -> tuple[str, ...]:
    """The path of an operator or of a namespace of operators, () for anything else."""
    return path if path[:2] == ("torch", "ops") and len(path) > 2 else ()


def _path(node: ast.AST) -> tuple[str, ...]:
    """("torch", "ops", "aten") for `torch.ops.aten`, () for what is no dotted name."""
    if isinstance(node, ast.Name):
        return (node.id,)
    if isinstance(node, ast.Attribute):
        return (*outer, node.attr) if (outer := _path(node.value)) else ()
    return ()


def _partitions(runner: ast.AST | None) -> tuple[str, ...]:
    """Names of the functions in `Runner(partitions=[partition_0, ...])`."""
    if not isinstance(runner, ast.Call):
        return ()
    given = next((key.value for key in runner.keywords if key.arg == "partitions"), None)
    return tuple(_path(each)[0] for each in given.elts) if isinstance(given, ast.List) else ()
