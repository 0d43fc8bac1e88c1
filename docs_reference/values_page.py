"""The page of what a format and a bound of a plugin are given."""

from __future__ import annotations

from typing import Final

from docs_reference.dataclass_tables import as_python, kinds_within
from docs_reference.markdown import page
from pytest_compilecheck.judge.run_report import RunReport

_ABOUT: Final = """\
What Python code of others is given: a format of a report a RunReport, a bound an Observation
([plugins](../plugins.md)). `to_dict()` of each gives what stands in the JSON report, whose keys
[its page](report.md) describes; the attributes have the names of the keys, and the verdict of a
record is an object of its own. All of them are plain, frozen values. Attributes stay as keys do:
[what is promised](../compatibility.md)."""


def values_page() -> str:
    """The page."""
    kinds = kinds_within(RunReport, properties=True)
    parts = [part for kind in kinds for part in as_python(kind)]
    return page("Reports as Python values", _ABOUT, parts)
