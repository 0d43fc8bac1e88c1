"""Rules of a SARIF log: graph breaks by GB id, recompiles by cause, fallbacks by kind, bounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_compilecheck.contract.fields import FIELDS
from pytest_compilecheck.report.ci.alerts import Alert
from pytest_compilecheck.report.parts import fallbacks, recompiles, sites

_MEANINGS: Mapping[str, str] = {
    "graph_break": sites.MEANING,
    "recompile": recompiles.MEANING,
    "fallback": fallbacks.MEANING,
}
_OTHER = "What a compile contract promises and did not hold."


def rule(alert: Alert) -> dict[str, Any]:
    """The rule that an alert is a result of."""
    kind = alert.finding.kind
    field = FIELDS.get(kind)
    meaning = _MEANINGS.get(kind) or (field.meaning if field else _OTHER)
    described: dict[str, Any] = {
        "id": alert.rule,
        "shortDescription": {"text": alert.about},
        "fullDescription": {"text": meaning},
        "help": {"text": meaning},
    }
    if alert.rule != kind and alert.docs and alert.docs.startswith(("https://", "http://")):
        described["helpUri"] = alert.docs
    return described
