"""Runs one program under the watch and the oracle at once."""

from __future__ import annotations

import contextlib
import linecache
import os
import sys
import types
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from fuzz.compare import Counts, differences, of_oracle, of_watch
from fuzz.oracle import Oracle
from fuzz.program import Program
from pytest_compilecheck import watch


@dataclass(frozen=True, slots=True)
class Outcome:
    """A program with what both sides say of it."""

    program: Program
    seen: Counts
    told: Counts
    problems: tuple[str, ...]

    @property
    def differences(self) -> dict[str, tuple[Any, Any]]:
        """Where the two are not one."""
        return differences(self.seen, self.told)


def run(program: Program, folder: str, *, watched: bool = True) -> Outcome:
    """Write the program to a file, run its steps, and forget it."""
    path = Path(folder) / f"p{program.index}.py"
    path.write_text(program.source, encoding="utf-8")
    try:
        return _run(program, path, watched=watched)
    finally:
        path.unlink()
        linecache.cache.pop(str(path), None)


def _run(program: Program, path: Path, *, watched: bool) -> Outcome:
    torch._dynamo.reset()
    root = os.path.realpath(path.parent)
    oracle = Oracle(program.fails_at, alone=not watched)
    seen = watch(root=root)
    known = {n: v for n, v in program.settings.items() if hasattr(torch._dynamo.config, n)}
    with contextlib.ExitStack() as stack:
        for context in (torch._dynamo.config.patch(known), oracle, warnings.catch_warnings()):
            stack.enter_context(context)
        warnings.simplefilter("ignore")  # those of torch, and of programs
        if watched and not program.before:
            stack.enter_context(seen)
        module = stack.enter_context(_loaded(program, path, oracle))
        for number, step in enumerate(module.STEPS):
            if number and number == program.before:
                oracle.begin()
                if watched:
                    stack.enter_context(seen)
            step()
    told = of_oracle(oracle, program, root)
    if not watched:
        return Outcome(program, told, told, ())
    observed = seen.to_dict()
    return Outcome(program, of_watch(observed, told, root), told, tuple(observed["problems"]))


@contextlib.contextmanager
def _loaded(program: Program, path: Path, oracle: Oracle) -> Iterator[types.ModuleType]:
    """The program's module, which the import system knows meanwhile."""
    module = types.ModuleType(path.stem)
    module.__file__ = str(path)
    vars(module).update(compiled=oracle.compiled, call=oracle.call)
    sys.modules[path.stem] = module
    try:
        exec(compile(program.source, str(path), "exec"), vars(module))  # noqa: S102 - it is ours
        yield module
    finally:
        del sys.modules[path.stem]
