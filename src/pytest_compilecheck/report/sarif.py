"""The report as SARIF 2.1.0, for code scanning (errata 01: tests/data holds its schema)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import sha256
from importlib.metadata import version
from typing import Any, Final

from pytest_compilecheck.judge.findings import Finding
from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.judge.run_report import Layout, RunReport
from pytest_compilecheck.judge.verdict import Verdict
from pytest_compilecheck.report.alerts import Alert, alerts
from pytest_compilecheck.report.sarif_places import flow, location
from pytest_compilecheck.report.sarif_rules import rule
from pytest_compilecheck.report.style import plain
from pytest_compilecheck.report.wording import printable

SCHEMA: Final = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_FINGERPRINT: Final = "compilecheck/v1"


def sarif_text(report: RunReport) -> str:
    """The report as a SARIF log of one run."""
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [_run(report)]}
    # "\udc80" is how JSON writes what is no valid UTF-8 in a path.
    return json.dumps(log, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _run(report: RunReport) -> dict[str, Any]:
    found = [alert for record in _records(report) for alert in alerts(record)]
    rules: dict[str, dict[str, Any]] = {}
    for alert in found:
        if alert.rule not in rules:
            rules[alert.rule] = rule(alert)
    indexes = {name: index for index, name in enumerate(rules)}
    return {
        "tool": {
            "driver": {
                "name": "pytest-compilecheck",
                "version": version("pytest-compilecheck"),
                "rules": list(rules.values()),
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"SRCROOT": {"description": {"text": "The root of the checkout."}}},
        "invocations": [{"executionSuccessful": report.complete}],
        "properties": {"torch": report.torch, "python": report.python},
        "results": list(_results(found, indexes, report.layout)),
    }


def _records(report: RunReport) -> Iterator[ContractRecord]:
    """The contracts, and what an audit saw as that of contracts without bounds."""
    yield from report.contracts
    for test in report.audit or ():
        yield ContractRecord(
            id=test.id,
            outcome="passed",
            contract={},
            observed=test.observed,
            verdict=Verdict(violations=()),
        )


def _results(
    found: Iterable[Alert], indexes: dict[str, int], layout: Layout
) -> Iterator[dict[str, Any]]:
    met: Counter[Finding] = Counter()
    for alert in found:
        met[alert.finding] += 1
        yield _result(alert, indexes, layout, met[alert.finding])


def _result(
    alert: Alert, indexes: dict[str, int], layout: Layout, occurrence: int
) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": alert.rule,
        "ruleIndex": indexes[alert.rule],
        "level": alert.level,
        "message": {"text": message_text(alert)},
        "locations": [location(alert, layout)],
        "partialFingerprints": {_FINGERPRINT: _fingerprint(alert.finding, occurrence)},
        "properties": {"contract": printable(alert.finding.contract)},
    }
    if alert.chain:
        result["codeFlows"] = [flow(alert, layout)]
    if alert.excused is not None:
        result["suppressions"] = [{"kind": "external", "justification": alert.excused}]
    return result


def message_text(alert: Alert) -> str:
    """The title, the contract, and the lines of the terminal's report."""
    told = f"{alert.title}\n{printable(alert.finding.contract)}\n{plain(alert.facts)}".rstrip()
    # SARIF 2.1.0, 3.11.5: braces stand for arguments; 3.11.6: "[a](b)" would be a link.
    return told.replace("{", "{{").replace("}", "}}").replace("](", "] (")


def _fingerprint(finding: Finding, occurrence: int) -> str:
    """The same as long as contract, file, function and cause are: lines are no part of it."""
    parts = (finding.contract, finding.kind, finding.file, finding.function, finding.cause)
    named = json.dumps([*parts, occurrence])
    return sha256(named.encode()).hexdigest()[:32]
