"""torch's process-wide modes, on which cached graphs depend."""

from __future__ import annotations

from collections.abc import Mapping

import torch

from pytest_compilecheck.observe import torch_adapter
from pytest_compilecheck.observe.values.recompile import Change

ProcessState = Mapping[str, str]
"""Modes by the names that authors know them by, each with its value in words."""

_AUTOCAST_DEVICES = ("cpu", "cuda")


def process_state() -> ProcessState:
    """The modes in force in this thread."""
    modes = {
        "inference mode": _on(torch.is_inference_mode_enabled()),
        "grad mode": _on(torch.is_grad_enabled()),
        "default dtype": str(torch.get_default_dtype()),
        "default device": _default_device(),
        "deterministic algorithms": _on(torch.are_deterministic_algorithms_enabled()),
        "intra-op threads": str(torch.get_num_threads()),
        "torch function modes": ", ".join(torch_adapter.function_modes()) or "none",
        "__torch_function__ overrides": _on(torch_adapter.torch_function_enabled()),
        "TF32 matmuls": _on(_multiplies_in_tf32()),
    }
    for device in _AUTOCAST_DEVICES:
        enabled = torch.is_autocast_enabled(device)
        dtype = f", {torch.get_autocast_dtype(device)}" if enabled else ""
        modes[f"autocast on {device}"] = _on(enabled) + dtype
    return modes


def mode_changes(before: ProcessState, now: ProcessState) -> list[Change]:
    """Modes that are other."""
    return [
        Change(
            cause="global_state",
            holder="process",
            source=name,
            expected=before[name],
            actual=value,
        )
        for name, value in now.items()
        if before.get(name, value) != value
    ]


def _default_device() -> str:
    """The device that was set, also by `with torch.device(...)`; "None" where none was."""
    was_set = torch_adapter.default_device()
    try:
        device = torch.get_default_device()
    except AttributeError:  # 2.8, once `None` was set
        return "None"
    return str(device if was_set is not None or device.type != "cpu" else None)


def _multiplies_in_tf32() -> bool:
    """As torch's guard reads it; the older name raises where the newer one was used."""
    matmul = torch.backends.cuda.matmul
    precision: str | None = getattr(matmul, "fp32_precision", None)  # none in 2.8
    return matmul.allow_tf32 if precision is None else precision == "tf32"


def _on(enabled: bool) -> str:
    return "on" if enabled else "off"
