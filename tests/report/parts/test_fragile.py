from __future__ import annotations

from report.values import fragile

from pytest_compilecheck.report.parts.fragile import fragile_section
from pytest_compilecheck.report.style import plain


def test_each_is_told_with_its_value_place_and_reason() -> None:
    guards = (fragile(), fragile(source="n", value="'a\x1b'", file=None, line=None, why="why"))
    assert plain(fragile_section(guards, verbose=False)) == (
        "Fragile guards: what the compiled code takes for granted and is likely to change.\n"
        "  self.step is 3  Mlp.forward assigns it: each new value rebuilds  model/mlp.py:12\n"
        "  n is 'a\\x1b'  why"
    )


def test_the_likeliest_are_shown_and_verbose_shows_all() -> None:
    guards = [fragile(source=f"n{number}") for number in range(9)]
    assert plain(fragile_section(guards, verbose=False)).endswith("\n  and 3 less likely ones")
    assert plain(fragile_section(guards, verbose=True)).count("\n") == 9


def test_none_and_unknown_are_no_section() -> None:
    assert fragile_section((), verbose=True) == []
    assert fragile_section(None, verbose=True) == []
