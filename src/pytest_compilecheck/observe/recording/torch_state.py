"""What the recorder asks of torch, as a protocol: it is driven without torch in tests."""

from __future__ import annotations

from typing import Any, Protocol


class TorchState(Protocol):
    """What the recorder asks of the torch adapter (the module itself serves)."""

    def stance(self) -> str:
        """The stance in force."""

    def open_entries(self) -> int:
        """Entries into regions under way in this thread."""

    def entered_callable(self) -> Any:
        """What the region that is being entered was made of."""

    def compiled_backward(self) -> int | None:
        """The number of the compiled autograd backward that this thread runs, or None."""

    def is_control_flow(self, error: BaseException) -> bool:
        """Whether torch raises this though nothing failed."""
