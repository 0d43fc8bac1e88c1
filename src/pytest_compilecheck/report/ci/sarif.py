"""The report as SARIF 2.1.0, for code scanning (errata 01: tests/data holds its schema)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from importlib.metadata import version
from itertools import chain, islice
from typing import Any, Final

from pytest_compilecheck.judge.audited import AuditedTest
from pytest_compilecheck.judge.findings import Finding
from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.judge.run_report import Layout, RunReport
from pytest_compilecheck.judge.verdict import Verdict
from pytest_compilecheck.report.ci.alerts import Alert, alerts
from pytest_compilecheck.report.ci.sarif_places import flow, location, message
from pytest_compilecheck.report.ci.sarif_rules import rule
from pytest_compilecheck.report.json_rows import encoded, rows
from pytest_compilecheck.report.outcome_reason import outcome_reasons
from pytest_compilecheck.report.style import plain
from pytest_compilecheck.report.top import worst_first
from pytest_compilecheck.report.wording import printable

SCHEMA: Final = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
MOST: Final = 25_000
"""Results of a run that GitHub takes: it refuses a log with more."""
_FINGERPRINT: Final = "compilecheck/v1"
_CUT: Final = (
    f"The log holds {MOST} results, the most that GitHub takes of a run; there are more in the JSON"
    " report."
)


def sarif_text(report: RunReport) -> str:
    """The report as a SARIF log of one run: a result on each line, those of broken contracts first.

    Of more than `MOST` results the rest is left out, and a notification says so.
    """
    rules: list[dict[str, Any]] = []
    found = _results(report, rules)
    results = list(rows(islice(found, MOST)))  # which fill the rules
    is_cut = next(found, None) is not None
    run = encoded(_run(report, rules, is_cut=is_cut)).removesuffix("}")
    head = f'{{"$schema": {encoded(SCHEMA)}, "version": "2.1.0", "runs": [{run}'
    return "".join([head, ', "results": ', *results, "}]}\n"])


def _run(report: RunReport, rules: list[dict[str, Any]], *, is_cut: bool) -> dict[str, Any]:
    """All of a run but its results."""
    invocation: dict[str, Any] = {"executionSuccessful": report.complete}
    told = [{"level": "note", "message": message(each)} for each in _reasons(report)]
    if is_cut:
        told.insert(0, {"level": "warning", "message": message(_CUT)})
    if told:
        invocation["toolExecutionNotifications"] = told
    return {
        "tool": {
            "driver": {
                "name": "pytest-compilecheck",
                "version": version("pytest-compilecheck"),
                "rules": rules,
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"SRCROOT": {"description": {"text": "The root of the checkout."}}},
        "invocations": [invocation],
        "properties": {"torch": report.torch, "python": report.python},
    }


def _reasons(report: RunReport) -> Iterator[str]:
    """Why contracts were not held, which are results of no line."""
    return outcome_reasons(report.contracts_by_id)


def _results(report: RunReport, rules: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The results; each puts its rule among the rules, if it is not there."""
    indexes: dict[str, int] = {}
    for record in chain(worst_first(report.contracts), map(_of_audit, report.audit or ())):
        met: Counter[Finding] = Counter()
        for alert in alerts(record):
            index = indexes.setdefault(alert.rule, len(indexes))
            if index == len(rules):
                rules.append(rule(alert))
            met[alert.finding] = occurrence = met[alert.finding] + 1
            yield _result(alert, index, report.layout, occurrence)


def _of_audit(test: AuditedTest) -> ContractRecord:
    """What an audit saw, as that of a contract without bounds."""
    verdict = Verdict(violations=())
    return ContractRecord(
        id=test.id, outcome="passed", contract={}, observed=test.observed, verdict=verdict
    )


def _result(alert: Alert, rule_index: int, layout: Layout, occurrence: int) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": alert.rule,
        "ruleIndex": rule_index,
        "level": alert.level,
        "message": message(_message_text(alert)),
        "locations": [location(alert, layout)],
        "partialFingerprints": {_FINGERPRINT: _fingerprint(alert.finding, occurrence)},
        "properties": {"contract": printable(alert.finding.contract)},
    }
    if alert.chain:
        result["codeFlows"] = [flow(alert, layout)]
    if alert.excused is not None:
        result["suppressions"] = [{"kind": "external", "justification": alert.excused}]
    return result


def _message_text(alert: Alert) -> str:
    """The title, the contract, and the lines of the terminal's report."""
    return f"{alert.title}\n{printable(alert.finding.contract)}\n{plain(alert.facts)}".rstrip()


def _fingerprint(finding: Finding, occurrence: int) -> str:
    """The same as long as contract, file, function and cause are: lines are no part of it."""
    parts = (finding.contract, finding.kind, finding.file, finding.function, finding.cause)
    named = "\0".join([*parts, str(occurrence)])
    return sha256(named.encode("utf-8", errors="surrogatepass")).hexdigest()[:32]
