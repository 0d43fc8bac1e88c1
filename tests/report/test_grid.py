from __future__ import annotations

import subprocess
import sys

from pytest_compilecheck.report.grid import Column, grid


def test_numbers_stand_on_the_right_and_nothing_stands_behind_the_text() -> None:
    rows = grid([Column("name", "left"), Column("calls")], [("a", "1"), ("longer", "1000000")])
    assert rows == [
        "name      calls",
        "----      -----",
        "a             1",
        "longer  1000000",
    ]


def test_text_that_looks_like_a_number_stays_as_it_is() -> None:
    assert grid([Column("n")], [("1.50",), ("007",)])[2:] == ["1.50", " 007"]


def test_no_row_leaves_the_headings() -> None:
    assert grid([Column("n")], []) == ["n", "-"]


def test_nothing_heavy_is_imported_before_a_table_is_made() -> None:
    modules = ["failure", "observed", "summary_line", "table", "document"]
    code = (
        "import sys\n"
        + "".join(f"import pytest_compilecheck.report.{name}\n" for name in modules)
        + "print(sorted({'tabulate', 'torch', 'pytest', '_pytest', 'yaml'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
