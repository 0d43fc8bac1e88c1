"""How pytest shows an error that torch raised while it compiled."""

from __future__ import annotations

import os
import sys
from typing import Any

import pytest

from pytest_compilecheck.pytest_layer.violation_report import Crash


class CompilerError:
    """A `longrepr` with torch's own message, which names the user's line.

    The traceback of such an error leads from this package through torch and to no line of the
    user's; `--full-trace` shows it.
    """

    def __init__(self, error: BaseException, crash: Crash) -> None:
        self._lines = f"{crash.message}\n{_body(error)}".rstrip().splitlines()
        self.reprcrash = crash

    @classmethod
    def of(cls, excinfo: pytest.ExceptionInfo[BaseException], item: pytest.Item) -> Any:
        """The report of an error, or None where its traceback leads to code of the user's."""
        if any(_is_users(str(entry.path)) for entry in excinfo.traceback):
            return None
        stack = getattr(excinfo.value, "real_stack", None)
        path, line = (stack[-1].filename, stack[-1].lineno) if stack else (str(item.path), 1)
        kind = type(excinfo.value)
        first = next(iter(str(excinfo.value).strip().splitlines()), "")
        module = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
        message = f"{module}{kind.__qualname__}: {first}"
        return cls(excinfo.value, Crash(path, line, message))

    def toterminal(self, tw: Any) -> None:
        """Write the message as pytest writes that of an exception."""
        for line in self._lines:
            tw.line(f"E   {line}", red=True, bold=True)
        tw.line()
        tw.line("torch raised this while it compiled; --full-trace shows the way to it")

    def __str__(self) -> str:
        return "\n".join(f"E   {line}" for line in self._lines)


def _body(error: BaseException) -> str:
    return "\n".join(str(error).strip().splitlines()[1:])


def _is_users(path: str) -> bool:
    parts = path.split(os.sep)
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if path.startswith(package) or path.startswith("<"):
        return False
    torch = sys.modules["torch"].__file__ or ""
    runner = "_pytest" in parts or "pluggy" in parts
    return not (runner or path.startswith(os.path.dirname(torch)))
