"""Why something that was seen does not count under a contract, in its author's words."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.judge.told import told_change, told_fallback, told_site
from pytest_compilecheck.report.sites import left_out_text
from pytest_compilecheck.report.wording import sentence

_NO_REASON = "an exception of the contract"


def site_excuse(record: ContractRecord, index: int) -> str | None:
    """Why a break site does not count, by its index in the observation; None if it does."""
    if record.observed is None or index not in record.verdict.excused_sites:
        return None
    site = record.observed.break_sites[index]
    return _because(record, [told_site(site)]) or left_out_text(site)


def recompile_excuse(record: ContractRecord, index: int) -> str | None:
    """The same of a recompile event."""
    if record.observed is None or index not in record.verdict.excused_recompiles:
        return None
    event = record.observed.recompile_events[index]
    told = [told_change(event.call, change) for change in event.changes]
    return _because(record, told) or _NO_REASON


def fallback_excuse(record: ContractRecord, index: int) -> str | None:
    """The same of a fallback."""
    if record.observed is None or index not in record.verdict.excused_fallbacks:
        return None
    return _because(record, [told_fallback(record.observed.fallbacks[index])]) or _NO_REASON


def _because(record: ContractRecord, told: Iterable[str]) -> str:
    """The reasons of the exceptions that excused any of it, each once."""
    asked = set(told)
    reasons = [rule.because for rule in record.verdict.allowed if asked.intersection(rule.matched)]
    return "; ".join(dict.fromkeys(map(sentence, reasons)))
