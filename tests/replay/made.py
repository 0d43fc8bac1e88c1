"""Contracts over named dims, made by hand."""

from __future__ import annotations

from typing import Any

from pytest_compilecheck.contract.faults import Place
from pytest_compilecheck.contract.model import Contract
from pytest_compilecheck.contract.read import read_contract


def contract(*arguments: str, **fields: Any) -> Contract:
    """The contract of a function with these parameters."""
    return read_contract(
        [(fields, Place(__file__, 1, "made by hand"))],
        subject="function",
        arguments=arguments,
        fixtures=frozenset(),
        optional=arguments,
        compile_keywords=None,
        torch_version=None,
    )
