"""How pytest shows an error that torch raised while it compiled."""

from __future__ import annotations

import os
import sys
import sysconfig
import traceback
from collections.abc import Iterator
from types import TracebackType
from typing import Any

import pytest

import pytest_compilecheck
from pytest_compilecheck.observe.errors import message_of
from pytest_compilecheck.pytest_layer.running.violation_report import Crash
from pytest_compilecheck.report.wording import printable

_WAY = "torch raised this while it compiled; --full-trace shows the way to it"


class CompilerError:
    """A `longrepr` with torch's own message, which names the user's line.

    The traceback of such an error leads from this package through torch and to no line of the
    user's; `--full-trace` shows it.
    """

    def __init__(self, text: str, path: str, line: int, way: str = _WAY) -> None:
        """Take "type: message", the place that pytest gives to the error, and how to see more."""
        self.text = text
        self._way = way
        self.reprcrash = Crash(path, line, printable(text.splitlines()[0]))

    @classmethod
    def of(cls, excinfo: pytest.ExceptionInfo[BaseException], item: pytest.Item) -> Any:
        """The report of an error, or None where its traceback leads to code of the user's.

        None too for pytest's own words, as for an unexpected success of unittest.
        """
        if isinstance(excinfo.value, pytest.fail.Exception):
            return None
        if any(_is_users(str(entry.path)) for entry in excinfo.traceback):
            return None
        stack = getattr(excinfo.value, "real_stack", None)
        path, line = (stack[-1].filename, stack[-1].lineno) if stack else (str(item.path), 1)
        kind = type(excinfo.value)
        if _is_ours(kind):
            return cls(_text(excinfo.value), path, line, way="")
        module = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
        return cls(f"{module}{kind.__qualname__}: {_text(excinfo.value)}", path, line)

    def to_dict(self) -> dict[str, Any]:
        """The arguments that make it again: xdist carries no objects."""
        crash = self.reprcrash
        return {"text": self.text, "path": crash.path, "line": crash.lineno, "way": self._way}

    def toterminal(self, tw: Any) -> None:
        """Write the message as pytest writes that of an exception."""
        for line in self.text.splitlines():
            tw.line(f"E   {printable(line)}", red=True, bold=True)
        if self._way:
            tw.line()
            tw.line(self._way)

    def __str__(self) -> str:
        told = [f"E   {line}" for line in self.text.splitlines()]
        return "\n".join([*told, "", self._way]).rstrip()


def _text(error: BaseException) -> str:
    return "\n".join([message_of(error).strip(), *getattr(error, "__notes__", ())])


def without_compiler_frames(
    excinfo: pytest.ExceptionInfo[BaseException],
) -> pytest.ExceptionInfo[BaseException]:
    """The same error; its traceback ends where it enters the compiler for good."""
    links = list(_links(excinfo.tb))
    users = [at for at, link in enumerate(links) if _is_users(link.tb_frame.f_code.co_filename)]
    after = links[users[-1] + 1 :] if users else []
    compiler = os.path.join("torch", "_dynamo", "")
    if not any(compiler in link.tb_frame.f_code.co_filename for link in after):
        return excinfo
    kept: TracebackType | None = None
    for link in reversed(links[: users[-1] + 1]):
        kept = TracebackType(kept, link.tb_frame, link.tb_lasti, link.tb_lineno)
    assert kept is not None
    return pytest.ExceptionInfo.from_exc_info((excinfo.type, excinfo.value, kept))


def from_users_code(
    excinfo: pytest.ExceptionInfo[BaseException],
) -> pytest.ExceptionInfo[BaseException]:
    """The same error; its traceback begins where it reaches code of the user's, if it does."""
    for link in _links(excinfo.tb):
        if _is_users(link.tb_frame.f_code.co_filename):
            return pytest.ExceptionInfo.from_exc_info((excinfo.type, excinfo.value, link))
    return excinfo


def users_traceback(error: BaseException | None) -> list[str]:
    """An error as Python tells it, without frames of this package, torch and importing."""
    if error is None:
        return []
    told = traceback.TracebackException.from_exception(error)
    for each in _chained(told):
        each.stack[:] = [frame for frame in each.stack if _is_users(frame.filename)]
    return "".join(told.format()).rstrip().splitlines()


def _chained(error: traceback.TracebackException) -> Iterator[traceback.TracebackException]:
    yield error
    for other in (error.__cause__, error.__context__):
        if other is not None:
            yield from _chained(other)


def _links(link: TracebackType | None) -> Iterator[TracebackType]:
    while link is not None:
        yield link
        link = link.tb_next


def _is_ours(kind: type[BaseException]) -> bool:
    return kind.__module__.startswith("pytest_compilecheck.")


def _is_users(path: str) -> bool:
    package = os.path.dirname(os.path.abspath(pytest_compilecheck.__file__))
    torch = sys.modules.get("torch")  # an import may fail before anybody imports it
    compilers = [package] if torch is None else [package, os.path.dirname(torch.__file__ or "")]
    library = sysconfig.get_path("stdlib")  # contextlib stands between torch and torch
    if path.startswith((*(os.path.join(place, "") for place in compilers), "<")):
        return False
    if path.startswith(os.path.join(library, "")) and "site-packages" not in path:
        return False
    return not {"_pytest", "pluggy"} & set(path.split(os.sep))
