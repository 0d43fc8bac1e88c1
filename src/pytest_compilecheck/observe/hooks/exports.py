"""Which regions and conversions are those of an export, which is no call of a compiled function.

`torch._dynamo.export`, and up to 2.10 the strict `torch.export` by it, enters a region of its own
once to capture a program (`export` and `ConvertFrameAssert` in `torch/_dynamo/eval_frame.py` and
`convert_frame.py`).
"""

from __future__ import annotations

from typing import Any


def is_of_export(context: Any) -> bool:
    """Whether the context of a region belongs to an export."""
    return bool(getattr(context, "export", False))


def converts_for_export(wrapper: Any) -> bool:
    """Whether a `CatchErrorsWrapper` converts what an export captures."""
    inner = getattr(wrapper, "_torchdynamo_orig_backend", None)  # up to 2.8 under the older name
    inner = inner or getattr(wrapper, "_torchdynamo_orig_callable", None)
    return bool(getattr(inner, "_export", False))
