"""The one module that names torch's private modules: it turns what they do into `events`.

Each hook is found by its shape and not by torch's version, passes everything on unchanged, and is
taken out again by `TorchHooks.remove`. Nothing here may fail or change the compile of a user: what
goes wrong is told to the listener as trouble. Source of the facts: torch 2.8 to 2.15,
`torch/_dynamo/{eval_frame,convert_frame,output_graph,symbolic_convert}.py`.
"""

from __future__ import annotations

import gc
import inspect
import json
import logging
import sys
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torch._dynamo.config
import torch._logging
from torch._C._dynamo import eval_frame as c_eval_frame
from torch._dynamo import convert_frame, eval_frame, exc, output_graph, trace_rules
from torch._guards import TracingContext
from torch.utils import _python_dispatch

from pytest_compilecheck.observe.events import (
    BreakEvent,
    FrameFacts,
    Listener,
    Outcome,
    RegionGuest,
    SkipReason,
    TracingError,
)
from pytest_compilecheck.observe.frames import arguments_of, live_frames, traced_frame
from pytest_compilecheck.observe.graph_cell import graph_cell
from pytest_compilecheck.observe.guard_hook import GuardHook
from pytest_compilecheck.observe.patch import Patch
from pytest_compilecheck.observe.reason_text import recompile_reasons, skip_reason
from pytest_compilecheck.observe.tensors import reaches_tensor, sizes_of


def stance() -> str:
    """The stance of `torch.compiler.set_stance` in force, e.g. "default"."""
    return eval_frame._stance.stance


def stance_object() -> Any:
    """The stance with all its arguments, for `set_stance_object`."""
    return eval_frame._stance


def set_stance_object(value: Any) -> None:
    """Put a stance back."""
    eval_frame._stance = value


def default_device() -> torch.device | None:
    """What `torch.set_default_device` was given in this thread, None for nothing."""
    context = getattr(torch._GLOBAL_DEVICE_CONTEXT, "device_context", None)
    return context.device if context is not None else None


def config_values(module: Any) -> dict[str, Any]:
    """Copies of the settings of a config module of torch, without those that somebody deleted."""
    entries = module._config
    return {k: value for k, value in module.get_config_copy().items() if not entries[k].hide}


def log_state() -> tuple[dict[str, Any], frozenset[str]]:
    """Levels and artifacts that `torch._logging.set_logs` or TORCH_LOGS switched on."""
    state = torch._logging._internal.log_state
    return dict(state.log_qname_to_level), frozenset(state.artifact_names)


def set_log_state(value: tuple[dict[str, Any], frozenset[str]]) -> None:
    """Put back what `log_state` gave; loggers themselves are put back apart from it."""
    state = torch._logging._internal.log_state
    state.clear()
    state.log_qname_to_level.update(value[0])
    state.artifact_names.update(value[1])


def reset() -> None:
    """Empty the process's compile cache, as if no function had been compiled yet."""
    torch._dynamo.reset()


def break_ids_by_title() -> dict[str, str]:
    """Titles of graph breaks to their ids ("GB0059"), from the registry that torch ships."""
    path = Path(eval_frame.__file__).with_name("graph_break_registry.json")
    try:
        registry = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {entry["Gb_type"]: gb_id for gb_id, rows in registry.items() for entry in rows[::-1]}


def is_refusal(error: BaseException | None) -> bool:
    """Whether full-graph mode raised this: for a graph break, or because it compiled nothing."""
    found_nothing = "fullgraph=True found no compiled frames" in str(error)
    return isinstance(error, exc.Unsupported) or (isinstance(error, RuntimeError) and found_nothing)


def open_entries() -> int:
    """How many entries into compiled regions are under way in this thread."""
    frame, entries = sys._getframe(1), 0
    while (frame := frame.f_back) is not None:  # type: ignore[assignment]
        code = frame.f_code
        entries += code.co_name == "compile_wrapper" and code.co_filename == eval_frame.__file__
    return entries


class TorchHooks:
    """Puts the hooks in (`install`) and takes them out (`remove`); events go to the listener."""

    def __init__(self, listener: Listener, around: RegionGuest | None = None) -> None:
        self._listener = listener
        self._around = around
        self._patches: list[Patch] = []
        self._regions: list[tuple[weakref.ref[Any], Callable[[], Any]]] = []
        self._counted: list[tuple[weakref.ref[Any], Any]] = []
        self._guard_hook: GuardHook | None = None
        self._quiet: list[tuple[logging.Logger, int]] = []

    def install(self, *, existing_regions: bool) -> None:
        """Start delivering. `existing_regions`: also join regions that were compiled earlier."""
        self._patch(eval_frame.OptimizeContext, "__init__", self._region_created)
        self._patch(convert_frame.CatchErrorsWrapper, "__call__", self._converting)
        self._patch(output_graph.OutputGraph, "call_user_compiler", self._compiling_graph)
        self._patch(output_graph.OutputGraph, "install_global_unsafe", self._installing_global)
        self._patch(output_graph.OutputGraph, "compile_subgraph", self._ending_subgraph)
        self._patch(torch._logging, "trace_structured", self._tracing_event)
        set_hook = getattr(c_eval_frame, "set_guard_complete_hook", None)
        if set_hook is None:
            self._listener.trouble(f"torch {torch.__version__} does not report cache misses")
        else:
            self._guard_hook = GuardHook(set_hook, self._listener)
        self._wake_break_log()
        if existing_regions:
            self._join_existing()

    def remove(self) -> None:
        """Stop delivering and leave nothing behind."""
        for patch in reversed(self._patches):
            patch.undo()
        if self._guard_hook is not None:
            self._guard_hook.remove()
            self._guard_hook = None
        for context_ref, hook in self._regions:
            context = context_ref()
            if context is not None and hook in context.enter_exit_hooks:
                context.enter_exit_hooks.remove(hook)
        for wrapper_ref, counter in self._counted:
            cell = graph_cell(wrapper_ref())
            counter.over = True
            # That of another watch may lie around ours: it is then taken out with that one.
            while cell is not None and getattr(cell.cell_contents, "over", False):
                cell.cell_contents = cell.cell_contents.__wrapped_graph__
        for logger, level in self._quiet:
            logger.removeFilter(_refuse)
            logger.setLevel(level)
        for kept in (self._patches, self._regions, self._counted, self._quiet):
            kept.clear()

    def _patch(self, owner: Any, name: str, make: Callable[[Any], Any]) -> None:
        if hasattr(owner, name):
            self._patches.append(Patch(owner, name, make))
        else:
            self._listener.trouble(f"torch {torch.__version__} has no {name}")

    # Regions: torch runs `enter_exit_hooks` at each entry through a compiled region's wrapper.

    def _region_created(self, original: Any) -> Any:
        def created(context: Any, *args: Any, **kwargs: Any) -> None:
            original(context, *args, **kwargs)
            if self._around is not None:
                self._around.region_created()
            self._join(context, created_before=False)

        return created

    def _join(self, context: Any, *, created_before: bool) -> None:
        hooks = [self._listener.region_entry(created_before)]
        if self._around is not None:
            hooks.insert(0, self._around.enter)
        for hook in hooks:
            context.enter_exit_hooks.append(hook)
            self._regions.append((weakref.ref(context), hook))

    def _join_existing(self) -> None:
        kind = eval_frame.OptimizeContext
        for context in gc.get_referrers(kind):
            if type(context) is kind and hasattr(context, "enter_exit_hooks"):
                self._join(context, created_before=True)
        for code_ref in list(convert_frame.input_codes.seen):
            code = code_ref()
            for entry in eval_frame._debug_get_cache_entry_list(code) if code else ():
                self._count_graphs_of(entry)

    def _count_graphs_of(self, entry: Any) -> None:
        namespace = entry.guard_manager.global_scope["G"]
        for name in entry.code.co_names:
            if name.startswith("__compiled_fn"):
                self._count_launches(namespace.get(name))

    # Conversions: every frame that Dynamo looks at goes through CatchErrorsWrapper.

    def _converting(self, original: Any) -> Any:
        listener = self._listener

        def convert(wrapper: Any, frame: Any, cache_entry: Any, frame_state: Any) -> Any:
            code = frame.f_code
            sink = listener.conversion(
                FrameFacts(
                    code=code,
                    has_entries=cache_entry is not None,
                    sizes=lambda: sizes_of(arguments_of(frame)),
                    reaches_tensor=lambda: reaches_tensor(list(arguments_of(frame).values())),
                )
            )
            outcome = Outcome(raised=True)
            try:
                result = original(wrapper, frame, cache_entry, frame_state)
                outcome = self._outcome(result, frame)
            finally:
                if sink is not None:
                    sink.ended(outcome)
            return result

        return convert

    def _outcome(self, result: Any, frame: Any) -> Outcome:
        if getattr(result, "guarded_code", None) is not None:
            return Outcome(compiled=True)
        action = str(getattr(result.frame_exec_strategy, "cur_action", ""))
        text = getattr(result, "skip_reason", None) or ""
        skip = skip_reason(text) or _recomputed_skip_reason(frame)
        if skip == "dispatch_mode":
            text = "a torch dispatch mode is active: " + ", ".join(_dispatch_modes())
        return Outcome(
            at_limit="RUN_ONLY" in action,
            skip=skip,
            skip_text=text.split("\n")[0],
            errors_suppressed=bool(torch._dynamo.config.suppress_errors),
        )

    # Graphs: what a backend returned is a graph; each lands in a global `__compiled_fn_...`, whose
    # wrapper keeps the callable in a closure cell.

    def _compiling_graph(self, original: Any) -> Any:
        listener = self._listener

        def call_user_compiler(output: Any, gm: Any, *args: Any, **kwargs: Any) -> Any:
            ops = sum(node.op.startswith("call_") for node in gm.graph.nodes)
            compiled = original(output, gm, *args, **kwargs)
            sink = listener.current()
            if sink is not None:
                sink.graph_compiled(ops)
            return compiled

        return call_user_compiler

    def _installing_global(self, original: Any) -> Any:
        def install_global_unsafe(output: Any, name: str, value: Any) -> Any:
            # First those of earlier watches, which end later: each takes its own out again.
            result = original(output, name, value)
            if name.startswith("__compiled_fn"):
                self._count_launches(value)
            return result

        return install_global_unsafe

    def _count_launches(self, wrapper: Any) -> None:
        cell = graph_cell(wrapper)
        if cell is None:
            self._listener.trouble("launches of a compiled graph of unknown shape go uncounted")
            return
        if cell.cell_contents is getattr(output_graph, "noop_graph_call", None):
            return  # since 2.15 a graph without operations is given to no backend
        counter = self._listener.launch_counter(cell.cell_contents)
        cell.cell_contents = counter
        self._counted.append((weakref.ref(wrapper), counter))

    # Breaks, errors and recompile reasons: torch emits them as structured trace events by
    # attribute. Only the payloads that are needed are built.

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
        elif name == "dynamo_graph_break_reason" and not _is_limit(error):
            sink.broke(_break_event(str(payload()), error))
        elif name == "dynamo_error" and error is not None:
            unsupported = isinstance(error, exc.Unsupported)
            first_line = next(iter(str(error).strip().splitlines()), "")
            sink.failed(
                TracingError(
                    event=_break_event(str(error), error),
                    soft=unsupported or isinstance(error, exc.UserError),
                    unsupported=unsupported and not _is_limit(error),
                    message=f"{type(error).__name__}: {first_line}",
                )
            )

    def _ending_subgraph(self, original: Any) -> Any:
        # 2.8 and 2.9 stop capture before an instruction that they do not know without any record.
        def compile_subgraph(output: Any, tx: Any, *args: Any, **kwargs: Any) -> Any:
            reason = kwargs.get("reason", args[0] if args else None)
            sink = self._listener.current()
            if sink is not None and getattr(reason, "reason", None) == "step_unsupported":
                sink.gave_up_rest(_event("", getattr(reason, "user_stack", ())))
            return original(output, tx, *args, **kwargs)

        return compile_subgraph

    def _wake_break_log(self) -> None:
        # Up to 2.10 (where Unsupported knows of no frame to skip) the record of a skipped frame is
        # emitted only when this logger is at DEBUG.
        if "skip_frame" in inspect.signature(exc.Unsupported).parameters:
            return
        logger = logging.getLogger("torch._dynamo.convert_frame.__graph_breaks")
        if not logger.isEnabledFor(logging.DEBUG):
            self._quiet.append((logger, logger.level))
            logger.addFilter(_refuse)
            logger.setLevel(logging.DEBUG)


def _refuse(_: logging.LogRecord) -> bool:
    """Keep a logger that was woken for its side effect silent."""
    return False


def _is_limit(error: BaseException | None) -> bool:
    """Whether this is torch's way (up to 2.10) to say that the recompile limit was reached."""
    return type(error).__name__ == "RecompileLimitExceeded"


def _recomputed_skip_reason(frame: Any) -> SkipReason:
    """Up to 2.12 torch gives no reason: ask the questions that it asks, in its order."""
    if trace_rules.check(frame.f_code):
        return "skip_file"
    if torch._dynamo.config.disable:
        return "disabled"
    if _dispatch_modes():
        return "dispatch_mode"
    if frame.f_code.co_flags & inspect.CO_GENERATOR:
        return "error"
    return "no_ops" if convert_frame.has_tensor_in_frame(frame) else "no_tensors"


def _dispatch_modes() -> list[str]:
    if not _python_dispatch.is_in_torch_dispatch_mode(include_infra_modes=False):
        return []
    return [type(mode).__name__ for mode in _python_dispatch._get_current_dispatch_mode_stack()]


def _break_event(text: str, error: BaseException | None) -> BreakEvent:
    stack = getattr(error, "real_stack", None)
    return _event(text, stack or TracingContext.extract_stack())


def _event(text: str, stack: Any) -> BreakEvent:
    return BreakEvent(
        text=text,
        traced=tuple(traced_frame(summary) for summary in stack),
        above=live_frames(sys._getframe(1), __file__),
    )
