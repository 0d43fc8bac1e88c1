"""Runs one program under the watch and the oracle at once."""

from __future__ import annotations

import contextlib
import gc
import linecache
import logging
import os
import sys
import types
import warnings
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
    gc.freeze()  # what looks through all objects finds those of this program alone
    root = os.path.realpath(path.parent)
    oracle = Oracle()
    seen = watch(root=root) if watched else contextlib.nullcontext()
    known = {n: v for n, v in program.settings.items() if hasattr(torch._dynamo.config, n)}
    with torch._dynamo.config.patch(known), oracle, _quiet(), seen:
        _steps(program, path, oracle)
    told = of_oracle(oracle, program, root)
    if not watched:
        return Outcome(program, told, told, ())
    observed = seen.to_dict()
    return Outcome(program, of_watch(observed, program, told, root), told, tuple(observed["problems"]))


def _steps(program: Program, path: Path, oracle: Oracle) -> None:
    module = types.ModuleType(path.stem)
    module.__file__ = str(path)
    vars(module).update(compiled=oracle.compiled, call=oracle.call)
    sys.modules[path.stem] = module
    try:
        exec(compile(program.source, str(path), "exec"), vars(module))  # noqa: S102 - it is ours
        for step in module.STEPS:
            step()
    finally:
        del sys.modules[path.stem]


@contextlib.contextmanager
def _quiet() -> Any:
    """Without what programs and torch log and warn of."""
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(logging.NOTSET)
