"""Proves that torch tells all that the figures of a watch rest on.

A function of our own is compiled, with a backend that leaves the graph as it is, and watched like
any other. Nothing of it stays: it runs in a thread of its own, where none of the caller's modes is
in force, holds torch's lock for compiling, and puts back what torch counts and learns. What is
proven holds for the process; where something was not told, the next watch asks again.
"""

from __future__ import annotations

import builtins
import logging
import os
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache, partial
from types import FunctionType
from typing import Any

import torch

from pytest_compilecheck.environment import DYNAMO_OFF
from pytest_compilecheck.observe import torch_adapter as adapter
from pytest_compilecheck.observe.assembly.break_text import parse
from pytest_compilecheck.observe.break_ids import break_ids_by_title
from pytest_compilecheck.observe.errors import told
from pytest_compilecheck.observe.hooks.install import TorchHooks
from pytest_compilecheck.observe.recording.recorder import Recorder
from pytest_compilecheck.observe.running.isolation import trace_unheard
from pytest_compilecheck.observe.running.kept_state import emptied, state_kept
from pytest_compilecheck.observe.sources import Heard, doubt, doubts_of
from pytest_compilecheck.observe.values.doubt import FIGURES, Doubt

_LOCK = threading.Lock()
_SECONDS = 10.0  # how long another thread may compile meanwhile


class _NotNowError(Exception):
    """The check cannot be made now; it is made when the next watch begins."""


class _DoubtsError(Exception):
    """Something was not told."""

    def __init__(self, doubts: tuple[Doubt, ...]) -> None:
        super().__init__()
        self.doubts = doubts


def self_check() -> tuple[Doubt, ...]:
    """What is unknown in this process because torch did not tell it, () for nothing.

    Where compilation is switched off there is nothing to prove: that is what a watch will tell.
    """
    with _LOCK:
        try:
            _prove()
        except _NotNowError as why:
            return (doubt(FIGURES, str(why), torch.__version__),) if str(why) else ()
        except _DoubtsError as error:
            return error.doubts
        return ()


@cache  # but for what is raised: the next watch may find what this one did not
def _prove() -> None:
    if os.environ.get(DYNAMO_OFF) == "1" or _watch_is_open():
        raise _NotNowError
    # A CUDA build of 2.10 or 2.11 without a GPU keeps a pointer into the first thread that uses
    # fake tensors, and crashes at the next compile if that has ended: let it be this one.
    with _silent(), adapter.FAKE_TENSORS():
        pass
    found: list[tuple[Doubt, ...] | BaseException] = []
    thread = threading.Thread(target=partial(_found, found), name="compilecheck-self-check")
    thread.start()
    thread.join()
    (result,) = found
    if isinstance(result, _NotNowError):
        raise result
    if isinstance(result, BaseException):
        silence = f"the program of the self-check could not be run: {told(result)}"
        result = (doubt(FIGURES, silence, torch.__version__),)
    if result:
        raise _DoubtsError(result)


def _watch_is_open() -> bool:
    """Whether another watch would take what is compiled here for the user's."""
    return hasattr(getattr(adapter.GRAPH_MAKER, "call_user_compiler", None), "_compilecheck_patch")


def _found(found: list[tuple[Doubt, ...] | BaseException]) -> None:
    try:
        with _alone():
            found.append(tuple(doubts_of(_heard(), torch.__version__)))
    except BaseException as error:  # noqa: BLE001 - the caller tells it
        found.append(error)


class _CountingRecorder(Recorder):
    """Keeps count of the cache misses, of which a call shows only those without an answer."""

    misses = 0

    def guards_missed(self) -> None:
        """A frame with cache entries was entered and none of them held."""
        self.misses += 1
        super().guards_missed()


def _heard() -> Heard:
    """Run the program three times, watched."""
    program = _private(_program)
    recorder = _CountingRecorder(adapter)
    hooks = TorchHooks(recorder)
    values, misses = torch.ones(2), []
    try:
        hooks.install()
        compiled = adapter.compiled(program, _as_it_is)
        for flag in (True, False, False):
            before = recorder.misses
            compiled(values, flag)
            misses.append(recorder.misses - before)
    finally:
        hooks.remove()
    return Heard(
        calls=recorder.calls(),
        misses=misses,
        line=program.__code__.co_firstlineno + 1,
        read=partial(parse, ids_by_title=break_ids_by_title()),
    )


def _program(values: Any, flag: bool) -> Any:
    (values * 2).sum().item()  # a graph break
    return values + flag


def _private(function: Callable[..., Any]) -> FunctionType:
    """The function with code and globals of its own, with which all that torch adds to them goes.

    torch numbers the names that it adds, and here the numbers begin anew each time.
    """
    assert isinstance(function, FunctionType)
    own = {"__builtins__": builtins, "__name__": __name__}
    return FunctionType(function.__code__.replace(), own, function.__name__)


def _as_it_is(graph: Any, _: Any) -> Callable[..., Any]:
    """What the backend "eager" does, without the other backends that are imported beside it."""
    forward: Callable[..., Any] = graph.forward
    return forward


@contextmanager
def _alone() -> Iterator[None]:
    """Compile as if in a fresh process, unseen by others, and leave no trace in this one."""
    if not adapter.COMPILE_LOCK.acquire(timeout=_SECONDS):
        raise _NotNowError(f"something else was being compiled for {_SECONDS:g} s")
    with ExitStack() as stack:
        stack.callback(adapter.COMPILE_LOCK.release)
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        stack.enter_context(_silent())
        stack.enter_context(trace_unheard(lambda _: True))
        stack.enter_context(emptied(*adapter.COMPILE_CALLED))
        stack.enter_context(state_kept(adapter.COMPILE_STATE))
        stack.enter_context(adapter.usual_settings())
        stack.enter_context(torch.compiler.set_stance("default"))
        yield


@contextmanager
def _silent() -> Iterator[None]:
    """No handler takes what torch logs in this thread."""
    thread = threading.get_ident()

    def of_others(record: logging.LogRecord) -> bool:
        return record.thread != thread

    loggers = [logging.root, *logging.Logger.manager.loggerDict.values()]
    handlers = {h for each in loggers for h in getattr(each, "handlers", ())}
    handlers |= {logging.lastResort} - {None}
    for handler in handlers:
        handler.addFilter(of_others)
    try:
        yield
    finally:
        for handler in handlers:
            handler.removeFilter(of_others)
