"""What made a call slow, or memory stay, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pytest_compilecheck.policies.measured import Mechanism
from pytest_compilecheck.report.wording import sentence

MECHANISMS: Final[Mapping[Mechanism, str]] = {
    "first_compile": "first compile",
    "rebuild": "rebuild",
    "autotune": "kernels tuned or generated",
    "eviction": "cache emptied",
    "garbage": "garbage collection",
    "allocator": "buffers grew",
    "unexplained": "unexplained",
}


def mechanism_text(mechanism: Mechanism, detail: str) -> str:
    """ "rebuild: S: 128 -> 129"."""
    words = MECHANISMS[mechanism]
    return f"{words}: {sentence(detail)}" if detail.strip() else words
