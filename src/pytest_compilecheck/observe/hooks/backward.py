"""Hooks for the backward: what AOTAutograd compiles for it, and what compiled autograd captures.

Both compile outside the frames that Dynamo converts: AOTAutograd with the forward's graph or later,
when `.backward()` first runs; compiled autograd captures the autograd graph of a whole backward and
hands it to `torch.compile`. Facts: torch 2.8 to 2.15, `torch/_dynamo/compiled_autograd.py` and
`torch/_functorch/_aot_autograd/runtime_wrappers.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from time import perf_counter
from typing import Any

import torch

from pytest_compilecheck.observe import torch_adapter as adapter
from pytest_compilecheck.observe.events import Listener
from pytest_compilecheck.observe.hooks.captures import Capture, Captures
from pytest_compilecheck.observe.hooks.patch import Patching

_CAPTURE = "a capture of compiled autograd"


class BackwardHooks:
    """Tells a listener of each backward that a backend compiled."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._captures = Captures()
        self._open: dict[int, Capture] = {}  # by the id of the instance that captures

    def install(self, patch: Patching) -> None:
        """Put the hooks in; `patch` replaces an attribute until the watch ends."""
        patch(adapter.AOT_BACKWARD, "post_compile", self._made_with_the_forward)
        patch(adapter.COMPILE_CALLBACKS, "install_callbacks", self._compiling)
        # A backward inside a region is captured with Dynamo on, which must not compile these.
        for name, make in (
            ("begin_capture", self._beginning),
            ("set_node_origin", self._meeting_node),
            ("end_capture", self._ending),
        ):
            patch(adapter.BACKWARD_CAPTURE, name, make, torch.compiler.disable)

    # AOTAutograd.

    def _made_with_the_forward(self, original: Any) -> Any:
        def post_compile(*args: Any, **kwargs: Any) -> Any:
            self._quietly("a backward that is compiled already", lambda: self._note(args, kwargs))
            return original(*args, **kwargs)

        return post_compile

    def _note(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        if _has_compiled_backward(args, kwargs):
            self._listener.backward_compiled(0.0)

    def _compiling(self, original: Any) -> Any:
        @contextmanager
        def install_callbacks(
            handler: Any, trigger: Any, *args: Any, **kwargs: Any
        ) -> Iterator[Any]:
            started = perf_counter()
            with original(handler, trigger, *args, **kwargs) as given:
                yield given
            if trigger == adapter.LAZY_BACKWARD:
                self._listener.backward_compiled(perf_counter() - started)

        return install_callbacks

    # Compiled autograd.

    def _beginning(self, original: Any) -> Any:
        def begin_capture(instance: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
            tensors = list(inputs)  # torch puts fake ones in their place
            result = original(instance, inputs, *args, **kwargs)
            self._quietly(_CAPTURE, lambda: self._open.update({id(instance): Capture.of(tensors)}))
            return result

        return begin_capture

    def _meeting_node(self, original: Any) -> Any:
        def set_node_origin(instance: Any, node_name: str, *args: Any, **kwargs: Any) -> Any:
            capture = self._open.get(id(instance))
            if capture is not None:
                capture.nodes.append(node_name)
            return original(instance, node_name, *args, **kwargs)

        return set_node_origin

    def _ending(self, original: Any) -> Any:
        def end_capture(instance: Any, *args: Any, **kwargs: Any) -> Any:
            self._quietly(_CAPTURE, lambda: self._captured(instance))
            return original(instance, *args, **kwargs)

        return end_capture

    def _captured(self, instance: Any) -> None:
        change = self._captures.change(self._open.pop(id(instance)))
        if change is not None:
            self._listener.backward_captured_anew(instance.id, change)

    def _quietly(self, what: str, note: Callable[[], None]) -> None:
        try:
            note()
        except Exception as error:  # noqa: BLE001 - nothing here may fail a backward
            self._listener.trouble(f"{what} could not be read", error)


def _has_compiled_backward(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool:
    """Whether `AOTDispatchAutograd.post_compile` is given a backward that is compiled already.

    One that saves sizes is compiled with its forward, one from a cache comes compiled. Up to 2.8 it
    is the second of many arguments, later a field of the only one.
    """
    given = (*args, *kwargs.values())
    if hasattr(given[0], "compiled_bw_func"):
        return given[0].compiled_bw_func is not None
    return kwargs.get("compiled_bw_func", args[1] if len(args) > 1 else None) is not None
