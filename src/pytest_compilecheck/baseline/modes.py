"""How a run may write a baseline; apart, because the options are read before anything is needed."""

from __future__ import annotations

from typing import Literal

Update = Literal["new", "tighten", "all"]
"""Add what is new; lower and drop what is better; both, and raise what is worse."""
