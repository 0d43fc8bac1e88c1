"""How a contract came out, and how bad that is."""

from __future__ import annotations

from typing import Final, Literal

Outcome = Literal["passed", "warned", "failed", "skipped", "xfailed", "xpassed", "error"]

WORST_FIRST: Final[tuple[Outcome, ...]] = (
    "failed",
    "error",
    "warned",
    "xfailed",
    "skipped",
    "xpassed",
    "passed",
)
"""Outcomes by how much is known to be wrong; a skipped contract was not held."""

HELD: Final = ("passed", "xpassed")
FAILING: Final = ("failed", "error", "warned")
BROKEN: Final = (*FAILING, "xfailed")
"""Outcomes of contracts that do not hold; of a skipped one that is not known."""
