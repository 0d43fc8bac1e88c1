"""A finding in words."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from pytest_compilecheck.judge.findings import Finding
from pytest_compilecheck.report.wording import printable, sentence

_NO_REASONS: Final[Mapping[str, str]] = MappingProxyType({})


def finding_text(finding: Finding, reasons: Mapping[str, str] = _NO_REASONS) -> str:
    """A finding without its contract: "graph break GB0059 in forward, model.py".

    `reasons` are torch's words for GB ids, which are told behind these.
    """
    reason = f" {reasons[finding.cause]}" if finding.cause in reasons else ""
    cause = f" {sentence(finding.cause + reason)}" if finding.cause else ""
    function = f" in {printable(finding.function)}" if finding.function else ""
    file = f", {printable(finding.file)}" if finding.file else ""
    return f"{kind_text(finding.kind)}{cause}{function}{file}"


def kind_text(kind: str) -> str:
    """What a kind of finding is called; a bound by its own name."""
    return "graph break" if kind == "graph_break" else kind
