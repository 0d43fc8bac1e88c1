"""What is said of a format that could not make its report."""

from __future__ import annotations

from importlib.metadata import entry_points

from pytest_compilecheck.contract.raised import line_below
from pytest_compilecheck.report.formats import FORMATS, Format
from pytest_compilecheck.report.installed_formats import GROUP, package_of


def failure_text(name: str, failed: Format, error: Exception, why: str) -> str:
    """Which report, of which package, why, and the line of a renderer that is not ours."""
    if name in FORMATS:
        return f"the {name} report could not be made: {why}"
    of = "".join(f" of {package_of(each)}" for each in entry_points(group=GROUP, name=name))
    return f"the {name} report{of} could not be made: {why}{_place(failed, error)}"


def _place(failed: Format, error: Exception) -> str:
    """Where it raised; of a renderer that gave something wrong, where it begins."""
    code = getattr(failed.renderer, "__code__", None)
    begins = None if code is None else (code.co_filename, code.co_firstlineno)
    found = line_below(Format.render.__code__, error) or begins
    return "" if found is None else f" ({found[0]}:{found[1]})"
