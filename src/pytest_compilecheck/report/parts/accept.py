"""How to accept what violates a contract, as the exception that its author would write."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Final

from pytest_compilecheck.judge.counted import (
    new_fallbacks,
    new_recompiles,
    new_sites,
)
from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.judge.verdict import Violation
from pytest_compilecheck.report.parts.exceptions import (
    Written,
    distinct,
    excusable,
    explained,
    of_break,
    of_change,
    of_fallback,
)
from pytest_compilecheck.report.parts.sites import by_weight
from pytest_compilecheck.report.style import Line, Span, line
from pytest_compilecheck.report.wording import is_of_a_file, printable

_BECAUSE: Final = "why it may stay"


def acceptance_section(record: ContractRecord, violations: Iterable[Violation]) -> list[Line]:
    """The exceptions that would excuse what violates the contract, ready to be pasted."""
    violated = {violation.bound for violation in violations}
    if "nothing_compiled" in violated:
        return []  # no exception makes such a contract pass
    # What is JSON is YAML too.
    sign = ": " if is_of_a_file(record.id) else "="
    exceptions: list[tuple[str, str, Sequence[Written]]] = [
        ("max_graph_breaks", "allow_breaks", _of_breaks(record)),
        ("max_recompiles", "allow_recompiles", _of_recompiles(record)),
        ("fallback", "allow_fallbacks", _of_fallback(record)),
    ]
    return [
        line(
            Span("to accept it: ", "dim"),
            Span(
                printable(
                    f"{field}{sign}"
                    + json.dumps(
                        [explained(each, _BECAUSE) for each in matchers], ensure_ascii=False
                    )
                ),
                "code",
            ),
        )
        for bound, field, matchers in exceptions
        if bound in violated and matchers
    ]


def _of_breaks(record: ContractRecord) -> list[Written]:
    if (record.contract.get("torch_options") or {}).get("fullgraph"):
        return []  # full-graph mode raises at the break, whatever a contract allows
    return distinct(map(of_break, by_weight(new_sites(record))))


def _of_recompiles(record: ContractRecord) -> list[Written]:
    """One exception for each thing that changed; the word for those that became symbols."""
    events = new_recompiles(record)
    return distinct(of_change(change, event) for event in events for change in event.changes)


def _of_fallback(record: ContractRecord) -> list[Written]:
    return [of_fallback(each) for each in excusable(new_fallbacks(record))[:1]]
