"""Writes the decorators that hold what a report saw: a start for contracts on a suite."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pytest_compilecheck.contract.file.write import entry
from pytest_compilecheck.judge.run_report import RunReport
from pytest_compilecheck.observe.values.observation import Observation
from pytest_compilecheck.report.parts.exceptions import (
    AS_IT_WAS,
    distinct,
    excusable,
    explained,
    of_fallback,
)
from pytest_compilecheck.report.wording import is_of_a_file, plural, printable, sentence

_KEPT = ("compiles", "watch_only", "backend", "passes")
_DEFAULTS: Mapping[str, object] = {"max_graph_breaks": 0, "max_recompiles": 0}
_CASES_SHOWN = 3
_WARM = "# met graphs of an earlier test; a contract begins anew, so check these figures\n"


def suggestions(report: RunReport) -> str:
    """Python text: for each test of a report the decorator that holds its figures of today.

    Cases of one test that need the same share it. Tests that compiled nothing have none; what a
    contract file should say instead stands in comments.
    """
    cases: dict[tuple[str, str], list[str]] = {}
    for nodeid, text in _blocks(report):
        cases.setdefault((nodeid.partition("[")[0], text), []).append(nodeid)
    if not cases:
        return "# no test of this report compiled anything\n"
    blocks = [f"{_ids(nodeids)}{text}" for (_, text), nodeids in cases.items()]
    return "\n".join(["from pytest_compilecheck import compile_contract\n", *blocks])


def _ids(cases: Sequence[str]) -> str:
    """The ids of a test, or of those cases of one that need the same decorator, in comments."""
    told = [f"# {nodeid}\n" for nodeid in cases[:_CASES_SHOWN]]
    if hidden := len(cases) - len(told):
        told.append(f"# and {plural(hidden, 'more case')}\n")
    return "".join(told)


def _blocks(report: RunReport) -> Iterator[tuple[str, str]]:
    """Each test that compiled something: its id, and what to write."""
    for record in report.contracts:
        if record.observed is not None and record.observed.timeline and record.part is None:
            given = {name: record.contract.get(name) for name in _KEPT}
            yield _block(record.id, given, record.observed)
    for test in report.audit or ():
        if test.compiled:
            yield _block(test.id, {"watch_only": True}, test.observed)


def _block(nodeid: str, given: Mapping[str, object], seen: Observation) -> tuple[str, str]:
    nodeid = printable(nodeid)  # a line break would end the comment
    warm = _WARM if seen.began_warm else ""
    if seen.doubts:
        return nodeid, f"# no bounds: {sentence(seen.doubts[0].why)}\n"
    if seen.graphs == 0 and not seen.began_warm:
        return nodeid, "# no contract can hold it: no graph was compiled, all ran eagerly\n"
    if seen.problems:
        return nodeid, f"# no contract holds it as it is: {sentence(seen.problems[0])}\n"
    if is_of_a_file(nodeid):
        keys = [line for name, value in _bounds(seen).items() for line in entry(name, value, 2)]
        told = [f"#{line}\n" for line in keys or ["  (the default bounds hold it)"]]
        return nodeid, "".join([warm, *told])
    fields = {**_worth_writing(given), **_bounds(seen)}
    arguments = ", ".join(f"{name}={value!r}" for name, value in fields.items())
    test = nodeid.rpartition("::")[2].partition("[")[0].rpartition(".")[2]
    decorator = f"@compile_contract({arguments})"
    if len(decorator) > 100:
        rows = "".join(f"    {name}={value!r},\n" for name, value in fields.items())
        decorator = f"@compile_contract(\n{rows})"
    # A report may come from anywhere, and people run this text.
    head = f"def {test}(...): ..." if test.isidentifier() else f"# def {test}"
    return nodeid, f"{warm}{decorator}\n{head}\n"


def _worth_writing(given: Mapping[str, object]) -> dict[str, object]:
    usual: Mapping[str, object] = {"watch_only": False, "passes": 2}
    return {k: v for k, v in given.items() if v is not None and v != usual.get(k)}


def _bounds(seen: Observation) -> dict[str, object]:
    """The bounds that hold, those that say the same as the default left out."""
    bounds: dict[str, object] = {
        "max_graph_breaks": len(seen.break_sites),
        "max_recompiles": seen.recompiles,
    }
    found: dict[str, object] = {k: v for k, v in bounds.items() if v != _DEFAULTS[k]}
    allowed = distinct(map(of_fallback, excusable(seen.fallbacks)))
    if allowed:
        found["allow_fallbacks"] = [explained(each, AS_IT_WAS) for each in allowed]
    return found
