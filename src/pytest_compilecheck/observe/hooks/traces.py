"""Hooks for what torch tells of a trace: graph breaks, errors, recompile reasons, specializations.

torch emits them as structured trace events, by attribute. Only the payloads that are needed are
built.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from typing import Any

from pytest_compilecheck.observe import torch_adapter as adapter
from pytest_compilecheck.observe.errors import message_of, told
from pytest_compilecheck.observe.events import BreakEvent, Listener, Specialization, TracingError
from pytest_compilecheck.observe.hooks.frames import live_frames, traced_frame
from pytest_compilecheck.observe.hooks.patch import Patching
from pytest_compilecheck.observe.reason_text import recompile_reasons


class TraceHooks:
    """Tells the sink of the call under way."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._woken: list[logging.Logger] = []

    def install(self, patch: Patching) -> None:
        """Put the hooks in; `patch` replaces an attribute until the watch ends."""
        patch(adapter.GRAPH_MAKER, "compile_subgraph", self._ending_subgraph)
        patch(adapter.TRACE, "trace_structured", self._tracing_event)
        patch(adapter.SHAPES, "trace_structured", self._shape_event)
        self._wake_break_log()

    def remove(self) -> None:
        """Put loggers back."""
        for logger in self._woken:
            logger.removeFilter(_refuse)
            vars(logger).pop("isEnabledFor", None)
        self._woken.clear()

    def _tracing_event(self, original: Any) -> Any:
        def trace_structured(name: str, metadata_fn: Any = dict, **rest: Any) -> Any:
            if name == "artifact":
                try:
                    self._artifact(metadata_fn()["name"], rest.get("payload_fn", lambda: ""))
                except Exception as error:  # noqa: BLE001 - nothing here may fail a compile
                    self._listener.trouble("an event of torch could not be read", error)
            return original(name, metadata_fn, **rest)

        return trace_structured

    def _artifact(self, name: str, payload: Callable[[], Any]) -> None:
        sink = self._listener.current()
        if sink is None:
            return
        error = sys.exc_info()[1]
        if name == "recompile_reasons":
            sink.recompiling(recompile_reasons(payload()))
        elif name == "dynamo_graph_break_reason" and not adapter.is_limit(error):
            sink.broke(_event(str(payload()), adapter.traced_stack(error)))
        elif name == "dynamo_error" and error is not None:
            sink.failed(
                TracingError(
                    event=_event(message_of(error), adapter.traced_stack(error)),
                    soft=adapter.is_soft(error),
                    unsupported=adapter.is_unsupported(error) and not adapter.is_limit(error),
                    message=told(error),
                )
            )

    def _shape_event(self, original: Any) -> Any:
        def trace_structured(name: str, metadata_fn: Any = dict, **rest: Any) -> Any:
            sink = self._listener.current()
            if name == "symbolic_shape_specialization" and sink is not None:
                try:
                    sink.specialized(_specialization(metadata_fn()))
                except Exception as error:  # noqa: BLE001 - nothing here may fail a compile
                    self._listener.trouble("an event of torch could not be read", error)
            return original(name, metadata_fn, **rest)

        return trace_structured

    def _ending_subgraph(self, original: Any) -> Any:
        # 2.8 and 2.9 stop capture before an instruction that they do not know without any record.
        def compile_subgraph(output: Any, tx: Any, *args: Any, **kwargs: Any) -> Any:
            __tracebackhide__ = True
            reason = kwargs.get("reason", args[0] if args else None)
            sink = self._listener.current()
            if sink is not None and getattr(reason, "reason", None) == "step_unsupported":
                try:
                    sink.gave_up_rest(_event("", getattr(reason, "user_stack", ())))
                except Exception as error:  # noqa: BLE001 - nothing here may fail a compile
                    self._listener.trouble("where a function was given up is unknown", error)
            return original(output, tx, *args, **kwargs)

        return compile_subgraph

    def _wake_break_log(self) -> None:
        """Keep the log on, whatever the test does to levels, or to all of logging."""
        logger = adapter.break_log()
        if logger is None or "isEnabledFor" in vars(logger):  # another watch has woken it
            return
        if not logger.isEnabledFor(logging.DEBUG):
            logger.addFilter(_refuse)
        vars(logger)["isEnabledFor"] = _always
        self._woken.append(logger)


def _always(_: int) -> bool:
    return True


def _refuse(_: logging.LogRecord) -> bool:
    """Keep a logger that was woken for its side effect silent."""
    return False


def _specialization(told: dict[str, Any]) -> Specialization:
    stack = adapter.traced_stack(None) or ()
    return Specialization(
        sources=tuple(told["sources"]),
        value=told["value"],
        reason=told["reason"],
        traced=tuple(traced_frame(summary) for summary in stack),
    )


def _event(text: str, stack: Any) -> BreakEvent:
    return BreakEvent(
        text=text,
        traced=tuple(traced_frame(summary) for summary in stack),
        above=live_frames(sys._getframe(1)),
    )
