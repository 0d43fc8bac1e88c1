"""How a run may write a baseline; apart, because the options are read before anything is needed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from pytest_compilecheck.environment import CI

Update = Literal["new", "tighten", "all"]
"""Add what is new; lower and drop what is better; both, and raise what is worse."""

IN_CI: Final = (
    "is refused because CI is set: a baseline that CI writes holds nothing. Run it where you work "
    "and commit the file, or add {}"
)
"""Why a baseline is not written; the option that allows it goes in."""


def is_ci(environment: Mapping[str, str]) -> bool:
    """Whether a run is one of CI, by the variable that all of its providers set."""
    return environment.get(CI, "").lower() not in ("", "0", "false")
