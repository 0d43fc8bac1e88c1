"""The one module that names torch's private modules.

What differs between releases is told by the shape of what is found, not by torch's version. Source
of the facts: torch 2.8 to 2.15, `torch/_dynamo/{eval_frame,convert_frame,output_graph,exc}.py`.
"""

from __future__ import annotations

import gc
import inspect
import logging
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from traceback import walk_stack
from types import CodeType, FrameType, FunctionType
from typing import Any

import torch
from torch import overrides
from torch._C._dynamo import eval_frame as c_eval_frame
from torch._dynamo import (
    bytecode_transformation,
    callback,
    compiled_autograd,
    convert_frame,
    eval_frame,
    exc,
    guards,
    output_graph,
    pgo,
    trace_rules,
    utils,
)
from torch._dynamo.backends import registry
from torch._functorch._aot_autograd import runtime_wrappers
from torch._guards import CompileContext, TracingContext
from torch._logging import structured
from torch.fx.experimental import symbolic_shapes
from torch.utils import _device, _python_dispatch, checkpoint

from pytest_compilecheck.observe.errors import message_of
from pytest_compilecheck.observe.events import GraphOrigin, Outcome, SkipReason
from pytest_compilecheck.observe.finalizers import detach_finalizers
from pytest_compilecheck.observe.reason_text import skip_reason

# Where hooks go. A region runs its `enter_exit_hooks` at each entry; every frame that Dynamo looks
# at goes through the converter; a graph goes from its maker to the backend and becomes a global;
# breaks, errors and recompile reasons are structured trace events, emitted by this attribute.
REGION = getattr(eval_frame, "OptimizeContext", None)
CONVERTER = getattr(convert_frame, "CatchErrorsWrapper", None)
GRAPH_MAKER = getattr(output_graph, "OutputGraph", None)
TRACE = torch._logging
# `torch._dynamo.reset()` empties the compile cache by a function of this module.
CACHES = torch._dynamo
# It binds the emitter's name for itself, so it is imported before that is replaced.
SHAPES = symbolic_shapes
# A backward is compiled with its forward, or inside the callbacks of this trigger when it first
# runs; compiled autograd captures it, by methods that C++ looks up by name.
AOT_BACKWARD = runtime_wrappers.AOTDispatchAutograd
COMPILE_CALLBACKS = callback.CompilationCallbackHandler
LAZY_BACKWARD = callback.CallbackTrigger.LAZY_BACKWARD
BACKWARD_CAPTURE = compiled_autograd.AutogradCompilerInstance
SET_GUARD_HOOK = getattr(c_eval_frame, "set_guard_complete_hook", None)
# What torch counts, learns and remembers as it compiles; its lists of whom to call; its lock.
COMPILE_STATE: tuple[tuple[Any, tuple[str, ...]], ...] = (
    (convert_frame, ("FRAME_COUNTER", "FRAME_COMPILE_COUNTER", "initial_global_state")),
    (convert_frame.input_codes, ("seen", "seen_ids")),
    (convert_frame.output_codes, ("seen", "seen_ids")),
    (bytecode_transformation, ("_unique_id_counter",)),
    (pgo, ("_CODE_STATE", "_INIT_CODE_STATE")),
    (utils, ("counters", "curr_frame", "guard_failures", "graph_break_reasons")),
    (utils, ("compilation_time_metrics", "cumulative_time_spent_ns", "_compilation_metrics")),
    (utils, ("warn_once_cache",)),
)
COMPILE_CALLED = (callback.callback_handler, ("start_callbacks", "end_callbacks"))
COMPILE_LOCK = convert_frame.compile_lock
FAKE_TENSORS = torch._subclasses.FakeTensorMode


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


def set_default_device(device: torch.device | None) -> None:
    """Put a default device back."""
    torch.set_default_device(device)
    if device is None:  # as if nobody had set one: 2.8's own getter trips over the None
        del torch._GLOBAL_DEVICE_CONTEXT.device_context


def function_modes() -> list[str]:
    """Names of the torch function modes in force in this thread, a default device left out."""
    stack = overrides._get_current_function_mode_stack()  # type: ignore[no-untyped-call]
    return [type(mode).__name__ for mode in stack if not isinstance(mode, _device.DeviceContext)]


def torch_function_enabled() -> bool:
    """Whether `__torch_function__` of tensor subclasses is called in this thread."""
    return torch._C._is_torch_function_enabled()


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


def trace_file(path: Path) -> logging.Handler:
    """Writes torch's structured trace to a file, as TORCH_TRACE does and tlparse reads it."""
    handler = logging.FileHandler(path, "w", encoding="utf-8")
    handler.setFormatter(torch._logging._internal.TorchLogsFormatter(trace=True))
    return handler


def tell_names_again() -> None:
    """Let torch's trace tell names of files anew: it tells each once, then a number for it."""
    structured.INTERN_TABLE.clear()


def backends_if_unknown(name: str) -> list[str] | None:
    """The names of all backends if torch knows none of this name, None if it does.

    A package brings its backend by the entry point group "torch_dynamo_backends".
    """
    try:
        registry.lookup_backend(name)
    except exc.InvalidBackend:
        return registry.list_backends(exclude_tags=())
    except Exception:  # noqa: BLE001 - it is known and cannot be loaded: torch.compile says why
        return None
    return None


def default_inductor_directory() -> str:
    """Where Inductor keeps its files if nobody says where."""
    from torch._inductor.runtime.cache_dir_utils import default_cache_dir

    return default_cache_dir()


def as_converter(function: Any) -> Any:
    """Let a function that is put before the converter pass for one of its file.

    From the converter torch looks for the first frame of another file, to leave alone what is under
    `disable(recursive=False)`: `ConvertFrameAssert.__call__` in `torch/_dynamo/convert_frame.py`.
    """
    function.__code__ = function.__code__.replace(co_filename=convert_frame.__file__)
    return function


def seconds_spent(phase: str) -> float:
    """Seconds that torch spent in a phase that it times itself, since its last reset.

    "OutputGraph.call_user_compiler" is the backend, "CachingAutotuner.benchmark_all_configs" the
    trying of kernels at their first launch (`torch/_dynamo/utils.py`, `dynamo_timed`).
    """
    return sum(utils.compilation_time_metrics.get(phase, ()))


def guards_made(since: float) -> list[int]:
    """How many guards torch made in each of its last 64 compiles, since a time (`time.time()`)."""
    recent = utils.get_compilation_metrics()
    begun = (each for each in recent if (each.start_time_us or 0) >= since * 1e6)
    return [each.guard_count for each in begun if each.guard_count is not None]


def cached_graphs() -> int:
    """How many compiled versions the compile cache holds, of all code."""
    return sum(len(_entries(code)) for code in _seen_codes())


def mark_dynamic(tensor: torch.Tensor, dim: int) -> None:
    """Let torch take a size of an input as a symbol, and refuse to compile it as a number."""
    torch._dynamo.mark_dynamic(tensor, dim)


def compiled(function: Any, backend: Any) -> Any:
    """What `torch.compile` makes of a function, also where something has replaced that."""
    return torch._dynamo.optimize(backend)(function)


def reset() -> None:
    """Empty the process's compile cache, as if no function had been compiled yet.

    So is what checked guards of its graphs: torch keeps it as long as the modules and classes that
    were compared (`CheckFunctionManager.id_ref` and `invalidate` in `torch/_dynamo/guards.py`).
    """
    torch._dynamo.reset()
    detach_finalizers(_checks_no_graph)


def _checks_no_graph(thing: object) -> bool:
    entry = getattr(getattr(thing, "guard_manager", None), "cache_entry", None)
    return isinstance(thing, guards.CheckFunctionManager) and entry is None


@contextmanager
def without_profiles() -> Iterator[None]:
    """Neither read nor write what torch learns of sizes for a job's next run.

    With TORCH_COMPILE_JOB_ID set it lies among Inductor's files, and a size that changed in an
    earlier test is symbolic at the first compile of the next (`torch/_dynamo/pgo.py`).
    """
    off = {"automatic_dynamic_local_pgo": False, "automatic_dynamic_remote_pgo": False}
    with torch._dynamo.config.patch(off):
        yield


@contextmanager
def usual_settings() -> Iterator[None]:
    """Compile as torch does unless somebody says otherwise, as far as that decides what happens."""
    off = ("disable", "capture_scalar_outputs", "suppress_errors", "error_on_recompile")
    limits = {"recompile_limit": 8, "accumulated_recompile_limit": 256}
    with torch._dynamo.config.patch({**dict.fromkeys(off, False), **limits}), without_profiles():
        yield


def is_refusal(error: BaseException | None) -> bool:
    """Whether full-graph mode raised this: for a graph break, or because it compiled nothing."""
    if isinstance(error, RuntimeError):
        found_nothing = "fullgraph=True found no compiled frames" in message_of(error)
        return found_nothing or isinstance(error, exc.Unsupported)
    return isinstance(error, exc.Unsupported)


def is_converting() -> bool:
    """Whether this thread is converting a frame, if only one that no hook is told of."""
    return CompileContext.try_get() is not None


def open_entries() -> int:
    """How many entries into compiled regions are under way in this thread."""
    return sum(is_entry(frame) for frame, _ in walk_stack(sys._getframe(1)))


def live_regions() -> Iterator[Any]:
    """The contexts of all regions that are compiled already."""
    return filter(is_region, gc.get_referrers(REGION))


def is_region(thing: object) -> bool:
    """Whether this is the context of a region, and a whole one: its `__init__` may have raised."""
    return type(thing) is REGION and hasattr(thing, "enter_exit_hooks")


def entered_callable() -> Any | None:
    """What was handed to torch.compile to make the region that is being entered."""
    entries = (frame for frame, _ in walk_stack(sys._getframe(1)) if is_entry(frame))
    return next((frame.f_locals.get("fn") for frame in entries), None)


def traces(code: CodeType) -> bool:
    """Whether torch traces this code, and does not skip it for its file."""
    return not trace_rules.check(code)


def is_entry(frame: FrameType) -> bool:
    """Whether a frame on the stack is torch's wrapper of a compiled region."""
    code = frame.f_code
    return code.co_name == "compile_wrapper" and code.co_filename == eval_frame.__file__


def live_entries() -> Iterator[tuple[GraphOrigin, list[Any]]]:
    """The origin of each entry of the compile cache, with the wrappers of its graphs, if any."""
    for code in _seen_codes():
        for entry in _entries(code):
            namespace = guard_namespace(entry.guard_manager)
            names = [name for name in entry.code.co_names if name.startswith("__compiled_fn")]
            origin = GraphOrigin(code, resumes_of(entry.code, namespace))
            yield origin, [namespace.get(name) for name in names]


def _seen_codes() -> Iterator[CodeType]:
    return filter(None, (ref() for ref in list(convert_frame.input_codes.seen)))


def resumes_of(compiled: CodeType, namespace: Mapping[str, Any]) -> tuple[CodeType, ...]:
    """The resume functions that code which torch generated calls."""
    found = (namespace.get(name) for name in compiled.co_names if name.startswith("__resume_at"))
    return tuple(function.__code__ for function in found if isinstance(function, FunctionType))


def guard_namespace(manager: Any) -> dict[str, Any]:
    """The globals of the code that a `GuardManagerWrapper` guards."""
    namespace: dict[str, Any] = manager.global_scope["G"] if manager.global_scope else {}
    return namespace


def cache_entry(code: CodeType, compile_id: str) -> Any | None:
    """The cached graph of a code object that has this compile id ("0/1"), None if it is gone."""
    ids = (compile_id, compile_id.lstrip("!"))
    return next((entry for entry in _entries(code) if str(entry.compile_id) in ids), None)


def _entries(code: CodeType) -> list[Any]:
    """The cached graphs of a code object, without those that torch has dropped.

    It drops one when an object that the graph is about is gone, and leaves an entry without code.
    """
    entries: list[Any] = eval_frame._debug_get_cache_entry_list(code)
    return [each for each in entries if each.code and getattr(each.guard_manager, "root", None)]


def guard_scope(manager: Any, frame: Any) -> dict[str, Any]:
    """The names that guards of a `GuardManagerWrapper` use, for a frame to which they apply."""
    namespace = guard_namespace(manager) or frame.f_globals
    return {**(manager.closure_vars or {}), "L": frame.f_locals, "G": namespace}


def inductor_graph() -> Any | None:
    """The class of what Inductor makes of a graph, None as long as Inductor is not loaded.

    Its `post_compile` is run for each one, from a cache or not (torch/_inductor/output_code.py).
    """
    module = sys.modules.get("torch._inductor.output_code")
    return getattr(module, "CompiledFxGraph", None)


def cudagraphs_asked_for() -> bool:
    """Whether Inductor, which is loaded, shall record CUDA graphs."""
    return bool(sys.modules["torch._inductor.config"].triton.cudagraphs)


def cudagraph_recording() -> tuple[Any, Any] | None:
    """What records CUDA graphs (`record_function`) and a recording (`check_invariants`), if any."""
    module = sys.modules.get("torch._inductor.cudagraph_trees")
    return (module.CUDAGraphTreeManager, module.CUDAGraphNode) if module is not None else None


def operator_name(target: Any) -> tuple[str, str] | None:
    """Namespace and name ("lib", "lib.scale.default") of an operator in a graph, or None.

    A call without an overload, `torch.ops.lib.scale(x)`, is a packet of overloads.
    """
    if isinstance(target, torch._ops.OpOverloadPacket):
        return str(target).partition(".")[0], str(target)
    namespace = getattr(target, "namespace", None)
    return None if namespace is None else (namespace, str(target))


def is_empty_graph(graph: Any) -> bool:
    """Whether a graph has no operation: since 2.15 such a one is given to no backend."""
    return graph is getattr(output_graph, "noop_graph_call", None)


def outcome_of(result: Any, frame: Any) -> Outcome:
    """How a conversion ended, from the `ConvertFrameReturn` of a frame."""
    guarded = getattr(result, "guarded_code", None)
    if guarded is not None:
        namespace = guard_namespace(guarded.guard_manager)
        return Outcome(compiled=True, resumes=resumes_of(guarded.code, namespace))
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


def compiled_backward() -> int | None:
    """The number of the compiled autograd backward that this thread captures or runs, or None."""
    context = CompileContext.try_get()
    compile_id = context.compile_id if context is not None else None
    return compile_id.compiled_autograd_id if compile_id is not None else None


def is_control_flow(error: BaseException) -> bool:
    """Whether it ends what is no failure: a checkpoint's second forward, once it has enough."""
    return isinstance(error, checkpoint._StopRecomputationError)


def traced_stack(error: BaseException | None) -> Any:
    """User frames from the frame being compiled inwards (`traceback.StackSummary`)."""
    return getattr(error, "real_stack", None) or TracingContext.extract_stack()


def is_unsupported(error: BaseException) -> bool:
    """Whether an exception says that Dynamo cannot capture something."""
    return isinstance(error, exc.Unsupported)


def is_soft(error: BaseException) -> bool:
    """Whether torch always swallows this exception outside full-graph mode."""
    return isinstance(error, (exc.Unsupported, exc.UserError))


def is_limit(error: BaseException | None) -> bool:
    """Whether the recompile limit was reached: up to 2.10, or in full-graph mode."""
    return type(error).__name__ in ("RecompileLimitExceeded", "FailOnRecompileLimitHit")


def break_log() -> logging.Logger | None:
    """The logger that must be on for a skipped frame's record to be emitted, if there is one.

    Up to 2.10, where `Unsupported` knows of no frame to skip; None for newer releases.
    """
    if "skip_frame" in inspect.signature(exc.Unsupported).parameters:
        return None
    return logging.getLogger("torch._dynamo.convert_frame.__graph_breaks")


def _recomputed_skip_reason(frame: Any) -> SkipReason:
    """Up to 2.12 torch gives no reason: ask the questions that it asks, in its order."""
    if not traces(frame.f_code):
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
