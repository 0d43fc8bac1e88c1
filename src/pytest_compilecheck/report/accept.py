"""How to accept what violates a contract, as the exception that its author would write."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from glob import escape

from pytest_compilecheck.contract.allow import AUTOMATIC_DYNAMIC
from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.judge.verdict import Violation
from pytest_compilecheck.observe.cures import RESULT_OF_LINE
from pytest_compilecheck.observe.observation import BreakSite
from pytest_compilecheck.report.counted import (
    counted_fallbacks,
    counted_recompiles,
    counted_sites,
)
from pytest_compilecheck.report.sites import by_weight
from pytest_compilecheck.report.style import Line, Span, line
from pytest_compilecheck.report.wording import function_name, printable

_BECAUSE = {"because": "why it may stay"}

Written = dict[str, str] | str
"""An exception as its author writes it: matchers, or a word that stands for some."""


def acceptance_section(record: ContractRecord, violations: Iterable[Violation]) -> list[Line]:
    """The exceptions that would excuse what violates the contract, ready to be pasted."""
    violated = {violation.bound for violation in violations}
    if "nothing_compiled" in violated:
        return []  # no exception makes such a contract pass
    # What is JSON is YAML too.
    sign = ": " if record.id.partition("::")[0].endswith((".yaml", ".yml")) else "="
    exceptions: list[tuple[str, str, Sequence[Written]]] = [
        ("max_graph_breaks", "allow_breaks", _of_breaks(record)),
        ("max_recompiles", "allow_recompiles", _of_recompiles(record)),
        ("fallback", "allow_fallbacks", _of_fallback(record)),
    ]
    return [
        line(
            Span("to accept it: ", "dim"),
            printable(
                f"{field}{sign}{json.dumps(list(map(_explained, matchers)), ensure_ascii=False)}"
            ),
        )
        for bound, field, matchers in exceptions
        if bound in violated and matchers
    ]


def _explained(matchers: Written) -> Written:
    return matchers if isinstance(matchers, str) else matchers | _BECAUSE


def _of_breaks(record: ContractRecord) -> list[dict[str, str]]:
    if (record.contract.get("torch_options") or {}).get("fullgraph"):
        return []  # full-graph mode raises at the break, whatever a contract allows
    found = [_of_break(site) for site in by_weight(counted_sites(record))]
    return [matchers for at, matchers in enumerate(found) if matchers not in found[:at]]


def _of_break(site: BreakSite) -> dict[str, str]:
    what = {"gb_id": site.gb_id} if site.gb_id else {"reason": site.reason}
    # The path of an installed package is that of one machine.
    whose = {"file": escape(site.file)} if site.owner == "own" else {"owner": site.owner}
    return {**what, **whose}


def _of_recompiles(record: ContractRecord) -> list[Written]:
    """One exception for each thing that changed; the word for those that became symbols."""
    found: list[Written] = []
    for event in counted_recompiles(record):
        for change in event.changes:
            matchers: Written = AUTOMATIC_DYNAMIC
            if not change.automatic_dynamic:
                # What a broken line left behind is named by that line, which may move.
                whose = {"function": escape(function_name(event.function))}
                named = not change.source.startswith(RESULT_OF_LINE)
                matchers = {"source": escape(change.source), **whose} if named else whose
            if matchers not in found:
                found.append(matchers)
    return found


def _of_fallback(record: ContractRecord) -> list[dict[str, str]]:
    fallbacks = [each for each in counted_fallbacks(record) if each.kind != "nothing_compiled"]
    if not fallbacks:
        return []
    first = fallbacks[0]
    return [{"kind": first.kind, **({"file": escape(first.file)} if first.file else {})}]
