"""The causes of a recompile: what changed."""

from __future__ import annotations

from typing import Final, Literal, get_args

Cause = Literal[
    "shape",
    "rank",
    "stride",
    "dtype",
    "device",
    "requires_grad",
    "python_value",
    "python_type",
    "object_identity",
    "module_state",
    "container_length",
    "dict_keys",
    "global_state",
    "dispatch_keys",
    "hook",
    "alias",
    "other",
]

CAUSES: Final[tuple[str, ...]] = get_args(Cause)
"""Every cause by name."""
