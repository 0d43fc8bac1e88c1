from __future__ import annotations

from report.values import opaque

from pytest_compilecheck.report.parts.opaque import opaque_section
from pytest_compilecheck.report.style import plain


def test_each_operator_is_told_with_its_line_and_faults() -> None:
    ops = (opaque(calls=2), opaque(name="b", file=None, line=None, code="", faults=("is wrong",)))
    assert plain(opaque_section(ops)).splitlines() == [
        "Opaque operators: they are in the graph, and the compiler calls them as they are.",
        "  lib.scale.default  2 calls  model/mlp.py:12  return scale(x, 2.0)",
        "  b  1 call  ",
        "    fault  is wrong",
    ]
    assert opaque_section(()) == []
