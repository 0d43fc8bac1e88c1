"""The device that a contract runs on beside the CPU: its memory, and when its work is done."""

from __future__ import annotations

from typing import Any

import torch


class Device:
    """An accelerator in use (a GPU of CUDA or XPU), or none: then nothing is done, or known."""

    def __init__(self) -> None:
        """Take torch's accelerator, if there is one that something was put on."""
        self._module = _accelerator_in_use()

    @property
    def name(self) -> str:
        """ "cuda", or "cpu" where no accelerator is in use."""
        found = torch.accelerator.current_accelerator() if self._module is not None else None
        return found.type if found is not None else "cpu"

    def wait(self) -> None:
        """Wait until it has done what it was given."""
        if self._module is not None:
            self._module.synchronize()

    def memory(self) -> int | None:
        """Bytes that torch holds on it."""
        return None if self._module is None else int(self._module.memory_allocated())

    def peak(self) -> int | None:
        """The most bytes that torch held on it since `reset_peak`."""
        return None if self._module is None else int(self._module.max_memory_allocated())

    def reset_peak(self) -> None:
        """Forget the peak so far."""
        if self._module is not None:
            self._module.reset_peak_memory_stats()


def _accelerator_in_use() -> Any | None:
    found = torch.accelerator.current_accelerator()
    if found is None or not torch.accelerator.is_available():
        return None
    module: Any = torch.get_device_module(found)
    tells = all(hasattr(module, name) for name in ("memory_allocated", "is_initialized"))
    return module if tells and module.is_initialized() else None
