"""Hooks for CUDA graphs that torch records again, and why.

torch records what a function launches at its second run and replays that from then on. It records
anew where no recording fits any more: then a call takes as long as the first one. Facts: torch 2.8
to 2.15, `torch/_inductor/cudagraph_trees.py`.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from pytest_compilecheck.observe import torch_adapter as adapter
from pytest_compilecheck.observe.events import Listener
from pytest_compilecheck.observe.hooks.patch import Patching

_OTHER_PATH = "it follows another graph than when it was recorded"


class CudagraphHooks:
    """Tells a listener of each recording that repeats an earlier one of the watch."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._recorded: set[tuple[int, Any]] = set()
        self._unfit = threading.local()  # why the last recording that was looked at does not fit
        self._joined = False

    def join(self, patch: Patching) -> None:
        """Put the hooks in once torch has loaded what records; `patch` undoes it."""
        recording = None if self._joined else adapter.cudagraph_recording()
        if recording is not None:
            self._joined = True
            manager, node = recording
            patch(manager, "record_function", self._recording)
            patch(node, "check_invariants", self._checking)

    def _checking(self, original: Any) -> Any:
        def check_invariants(node: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
            found = original(node, inputs, *args, **kwargs)
            try:
                if not _fits_recording(found):
                    self._unfit.told = found[1]
            except Exception as error:  # noqa: BLE001 - nothing here may fail a call
                self._listener.trouble("whether a CUDA graph fits could not be read", error)
            return found

        return check_invariants

    def _recording(self, original: Any) -> Any:
        def record_function(
            manager: Any, inputs: Any, function: Any, *args: Any, **kwargs: Any
        ) -> Any:
            told, self._unfit.told = getattr(self._unfit, "told", None), None
            key = id(manager), function
            if key in self._recorded:
                self._listener.recorded_again(self._reason(told))
            self._recorded.add(key)
            return original(manager, inputs, function, *args, **kwargs)

        return record_function

    def _reason(self, told: Any) -> str:
        if told is None:
            return _OTHER_PATH
        try:
            return " ".join(str(told()).split())
        except Exception as error:  # noqa: BLE001 - nothing here may fail a call
            self._listener.trouble("why a CUDA graph was recorded again is unknown", error)
            return "unknown"


def _fits_recording(checked: tuple[Any, Any]) -> bool:
    """Whether `check_invariants` found that a recording serves these inputs."""
    return bool(checked[0] == type(checked[0]).SUCCESS)


def cudagraph_skip(graph: Any, settings: Mapping[str, Any]) -> str | None:
    """Why a graph that `post_compile` has finished runs without CUDA graphs; None for no reason.

    Also None where they were not asked for.
    """
    if not adapter.cudagraphs_asked_for() or settings["cudagraphs"]:
        return None
    info = getattr(graph, "cudagraph_info", None)
    reasons = getattr(graph, "disabled_cudagraphs_reason", None) or ", ".join(
        dict.fromkeys(getattr(info, "cudagraph_fail_reasons", None) or ())
    )
    text = " ".join(str(reasons or "").split())
    return text.removeprefix("skipping cudagraphs due to ") or "torch gives no reason"
