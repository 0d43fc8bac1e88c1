"""The page of the environment variables that are read."""

from __future__ import annotations

from typing import Final

from docs_reference.markdown import code, page, prose, table
from pytest_compilecheck.environment import VARIABLES

_ABOUT: Final = (
    "What the plugin and the command read of their environment; torch reads more of its own."
)


def environment_page() -> str:
    """The page."""
    rows = [[code(name), prose(about)] for name, about in VARIABLES.items()]
    return page("Environment variables", _ABOUT, [table(["variable", "meaning"], rows)])
