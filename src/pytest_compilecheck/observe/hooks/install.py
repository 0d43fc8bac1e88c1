"""Puts hooks into torch, turns what they see into `events`, and takes them out again.

Each hook passes everything on unchanged. Nothing here may fail or change the compile of a user:
what goes wrong is told to the listener as trouble. Which places of torch these are is the business
of `torch_adapter`.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from pytest_compilecheck.observe import torch_adapter as adapter
from pytest_compilecheck.observe.custom_ops import CustomOpCheck
from pytest_compilecheck.observe.events import (
    FrameFacts,
    GeneratedCode,
    GraphOrigin,
    Listener,
    Outcome,
    RegionGuest,
)
from pytest_compilecheck.observe.guards.explain import Explainer, FrameGuards
from pytest_compilecheck.observe.hooks.backward import BackwardHooks
from pytest_compilecheck.observe.hooks.cudagraphs import CudagraphHooks, cudagraph_skip
from pytest_compilecheck.observe.hooks.entries import is_first_of_call
from pytest_compilecheck.observe.hooks.exports import converts_for_export, is_of_export
from pytest_compilecheck.observe.hooks.frames import arguments_of, of_trace_function
from pytest_compilecheck.observe.hooks.graph_cell import graph_cell
from pytest_compilecheck.observe.hooks.guard_misses import GuardHook
from pytest_compilecheck.observe.hooks.patch import Patch
from pytest_compilecheck.observe.hooks.traces import TraceHooks
from pytest_compilecheck.observe.operators import opaque_calls, operation_count
from pytest_compilecheck.observe.recording.tensors import reaches_tensor, sizes_of

# Whether these deliver the self-check finds out, and which figures are unknown if not.
_PROVEN = (
    "__init__",
    "__call__",
    "call_user_compiler",
    "install_global_unsafe",
)


class TorchHooks:
    """Puts the hooks in (`install`) and takes them out (`remove`); events go to the listener."""

    def __init__(
        self,
        listener: Listener,
        around: RegionGuest | None = None,
        custom_ops: CustomOpCheck | None = None,
    ) -> None:
        self._listener = listener
        self._around = around
        self._custom_ops = custom_ops
        self._patches: list[Patch] = []
        self._trace = TraceHooks(listener)
        self._backward = BackwardHooks(listener)
        self._cudagraphs = CudagraphHooks(listener)
        # With `config.compiled_autograd` torch makes a context more at each entry.
        self._regions: weakref.WeakKeyDictionary[Any, list[Callable[[], Any]]] = (
            weakref.WeakKeyDictionary()
        )
        self._counted: list[tuple[weakref.ref[Any], Any]] = []
        self._guard_hook: GuardHook | None = None
        self._explainer = Explainer()
        self._inductor_joined = False
        self._resets = 0

    def install(self, existing: Callable[[], Iterable[Any]] | None = None) -> None:
        """Start delivering. `existing` gives regions that were compiled earlier, to join them."""
        self._patch(adapter.REGION, "__init__", self._region_created)
        self._patch(adapter.CONVERTER, "__call__", self._converting, adapter.as_converter)
        self._patch(adapter.GRAPH_MAKER, "call_user_compiler", self._compiling_graph)
        self._patch(adapter.GRAPH_MAKER, "install_global_unsafe", self._installing_global)
        self._patch(adapter.CACHES, "reset_code_caches", self._emptying_caches)
        self._trace.install(self._patch)
        self._backward.install(self._patch)
        if adapter.SET_GUARD_HOOK is not None:
            self._guard_hook = GuardHook(adapter.SET_GUARD_HOOK, self._listener)
        self._join_inductor()
        self._cudagraphs.join(self._patch)
        if existing is not None:
            self._join_existing(existing())

    def remove(self) -> None:
        """Stop delivering and leave nothing behind."""
        for patch in reversed(self._patches):
            if not patch.undo():
                self._listener.trouble(
                    f"{patch.name} of torch was replaced during the watch: replace it before"
                )
        if self._guard_hook is not None:
            self._guard_hook.remove()
            self._guard_hook = None
        self._leave_regions()
        for wrapper_ref, counter in self._counted:
            cell = graph_cell(wrapper_ref())
            counter.over = True
            # That of another watch may lie around ours: it is then taken out with that one.
            while cell is not None and getattr(cell.cell_contents, "over", False):
                cell.cell_contents = cell.cell_contents.__wrapped_graph__
        self._trace.remove()
        self._patches.clear()
        self._counted.clear()

    def _patch(self, owner: Any, name: str, *how: Callable[[Any], Any]) -> None:
        if owner is not None and hasattr(owner, name):
            self._patches.append(Patch(owner, name, *how))
        elif name not in _PROVEN:
            self._listener.trouble(f"this torch has no {getattr(owner, '__name__', '')}.{name}")

    # Regions: torch runs `enter_exit_hooks` at each entry through a compiled region's wrapper.

    def _region_created(self, original: Any) -> Any:
        def created(context: Any, *args: Any, **kwargs: Any) -> None:
            original(context, *args, **kwargs)
            if is_of_export(context):
                return
            if self._around is not None:
                self._around.region_created()
            self._join(context, created_before=False)

        return created

    def _join(self, context: Any, *, created_before: bool) -> None:
        hooks = [self._listener.region_entry(created_before)]
        if self._around is not None:
            hooks.insert(0, self._around.enter)
        context.enter_exit_hooks.extend(hooks)
        self._regions.setdefault(context, []).extend(hooks)

    def _join_existing(self, regions: Iterable[Any]) -> None:
        for context in regions:
            self._join(context, created_before=True)
        for origin, wrappers in adapter.live_entries():
            counted = [self._count_launches(wrapper, origin) for wrapper in wrappers]
            if not any(counted):
                self._listener.runs_no_graph(origin)

    def _leave_regions(self) -> None:
        for context, hooks in list(self._regions.items()):
            for hook in hooks:
                if hook in context.enter_exit_hooks:
                    context.enter_exit_hooks.remove(hook)
        self._regions.clear()

    # Resets: `torch._dynamo.reset()` empties the compile cache.

    def _emptying_caches(self, original: Any) -> Any:
        def reset_code_caches() -> None:
            self._resets += 1
            original()

        return reset_code_caches

    # Conversions: every frame that Dynamo looks at goes through CatchErrorsWrapper.

    def _converting(self, original: Any) -> Any:
        listener = self._listener

        def convert(wrapper: Any, frame: Any, cache_entry: Any, frame_state: Any) -> Any:
            __tracebackhide__ = True
            if of_trace_function(frame.f_code) or converts_for_export(wrapper):
                return original(wrapper, frame, cache_entry, frame_state)
            try:
                guards = self._explainer.of(frame)
                sink = listener.conversion(self._facts(frame, guards, cache_entry is not None))
            except Exception as error:  # noqa: BLE001 - nothing here may fail a compile
                listener.trouble("a frame that Dynamo converts could not be looked at", error)
                return original(wrapper, frame, cache_entry, frame_state)
            outcome = Outcome(raised=True)
            try:
                result = original(wrapper, frame, cache_entry, frame_state)
                outcome = self._outcome(result, frame, guards)
            except Exception as error:
                outcome = Outcome(raised=True, at_limit=adapter.is_limit(error))
                raise
            finally:
                sink.ended(outcome)
            return result

        return adapter.as_converter(convert)

    def _facts(self, frame: Any, guards: FrameGuards, has_entries: bool) -> FrameFacts:
        return FrameFacts(
            code=frame.f_code,
            has_entries=has_entries,
            is_first=lambda: is_first_of_call(frame.f_code),
            sizes=lambda: sizes_of(arguments_of(frame)),
            reaches_tensor=lambda: reaches_tensor(list(arguments_of(frame).values())),
            guards=guards,
            resets=self._resets,
        )

    def _outcome(self, result: Any, frame: Any, guards: FrameGuards) -> Outcome:
        try:
            outcome = adapter.outcome_of(result, frame)
            if not outcome.compiled:
                return outcome
            return replace(outcome, graph=guards.compiled(result.guarded_code))
        except Exception as error:  # noqa: BLE001 - nothing here may fail a compile
            self._listener.trouble("how a frame was converted could not be read", error)
            return Outcome(skip="other")

    # Graphs: what a backend returned is a graph; each lands in a global `__compiled_fn_...`, whose
    # wrapper keeps the callable in a closure cell.

    def _compiling_graph(self, original: Any) -> Any:
        listener = self._listener

        def call_user_compiler(output: Any, gm: Any, *args: Any, **kwargs: Any) -> Any:
            __tracebackhide__ = True
            ops, opaque = operation_count(gm), tuple(opaque_calls(gm))
            self._join_inductor()
            variant = None if adapter.is_converting() else listener.compiling_variant()
            outcome = Outcome(raised=True)
            try:
                compiled = original(output, gm, *args, **kwargs)
                outcome = Outcome()
                sink = listener.current()
                if sink is not None:
                    sink.graph_compiled(ops, opaque)
                    if self._custom_ops is not None:
                        self._custom_ops.compiled(gm)
            finally:
                if variant is not None:
                    variant.ended(outcome)
            return compiled

        return call_user_compiler

    def _installing_global(self, original: Any) -> Any:
        def install_global_unsafe(output: Any, name: str, value: Any) -> Any:
            # First those of earlier watches, which end later: each takes its own out again.
            result = original(output, name, value)
            if name.startswith("__compiled_fn"):
                try:
                    self._count_launches(value)
                except Exception as error:  # noqa: BLE001 - nothing here may fail a compile
                    self._listener.trouble("launches of a compiled graph go uncounted", error)
            return result

        return install_global_unsafe

    def _count_launches(self, wrapper: Any, origin: GraphOrigin | None = None) -> bool:
        """Count how often a graph is launched; False for one without operation, which never is."""
        cell = graph_cell(wrapper)
        if cell is None:
            # A strict `torch.export` makes one without a conversion, and never calls it.
            if origin is not None or self._listener.current() is not None:
                self._listener.trouble("launches of a compiled graph of unknown shape go uncounted")
            return True
        launch = cell.cell_contents
        if adapter.is_empty_graph(launch):
            return False
        if self._custom_ops is not None:
            launch = self._custom_ops.capturing(launch)
        counter = self._listener.launch_counter(launch, origin)
        cell.cell_contents = counter
        self._counted.append((weakref.ref(wrapper), counter))
        return True

    # What Inductor makes of a graph: it is loaded by the first torch.compile that asks for it.

    def _join_inductor(self) -> None:
        graph = None if self._inductor_joined else adapter.inductor_graph()
        if graph is not None:
            self._inductor_joined = True
            self._patch(graph, "post_compile", self._generating)

    def _generating(self, original: Any) -> Any:
        listener = self._listener

        def post_compile(
            graph: Any, inputs: Any, constants: Any, settings: Any, *args: Any, **kwargs: Any
        ) -> None:
            __tracebackhide__ = True
            original(graph, inputs, constants, settings, *args, **kwargs)
            self._cudagraphs.join(self._patch)
            sink = listener.current()
            if sink is None or settings.get("is_backward"):
                return  # that of a backward, which is compiled when it runs first
            try:
                skip = cudagraph_skip(graph, settings)
                sink.generated(GeneratedCode(graph.source_code, skip))
            except Exception as error:  # noqa: BLE001 - nothing here may fail a compile
                listener.trouble("what Inductor generated could not be read", error)

        return post_compile
