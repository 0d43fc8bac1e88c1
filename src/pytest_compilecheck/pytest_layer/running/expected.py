"""Tests that a mark expects to fail."""

from __future__ import annotations

import pytest

from pytest_compilecheck.judge.violation import ContractViolation


def is_expected_to_fail(item: pytest.Item) -> bool:
    """Whether an xfail mark is in force, and a broken contract is what it expects."""
    # Conditions may be texts, which only pytest knows how to read; it makes this public nowhere.
    from _pytest.skipping import evaluate_xfail_marks

    if item.config.getoption("runxfail", False):
        return False
    mark = evaluate_xfail_marks(item)
    if mark is None:
        return False
    raises = mark.raises if isinstance(mark.raises, tuple) else (mark.raises,)
    kinds = [each for each in raises if isinstance(each, type)]
    return len(kinds) < len(raises) or issubclass(ContractViolation, tuple(kinds))
