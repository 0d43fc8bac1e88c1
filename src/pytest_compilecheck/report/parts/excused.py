"""Why something that was seen does not count under a contract, in its author's words."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.judge.told import told_change, told_fallback, told_site
from pytest_compilecheck.observe.values.observation import Observation
from pytest_compilecheck.report.parts.sites import left_out_text
from pytest_compilecheck.report.wording import sentence

_NO_REASON = "an exception of the contract"
_KNOWN = "known to the baseline"


def site_excuse(record: ContractRecord, index: int) -> str | None:
    """Why a break site does not count, by its index in the observation; None if it does."""
    site = _observed(record).break_sites[index]
    if index in record.verdict.excused_sites:
        return _because(record, [told_site(site)]) or left_out_text(site)
    return _KNOWN if index in record.verdict.known_sites else None


def recompile_excuse(record: ContractRecord, index: int) -> str | None:
    """The same of a recompile event."""
    event = _observed(record).recompile_events[index]
    if index in record.verdict.excused_recompiles:
        told = [told_change(event.call, change) for change in event.changes]
        return _because(record, told) or _NO_REASON
    return _KNOWN if index in record.verdict.known_recompiles else None


def fallback_excuse(record: ContractRecord, index: int) -> str | None:
    """The same of a fallback."""
    fallback = _observed(record).fallbacks[index]
    if index in record.verdict.excused_fallbacks:
        return _because(record, [told_fallback(fallback)]) or _NO_REASON
    return _KNOWN if index in record.verdict.known_fallbacks else None


def _observed(record: ContractRecord) -> Observation:
    assert record.observed is not None
    return record.observed


def _because(record: ContractRecord, told: Iterable[str]) -> str:
    """The reasons of the exceptions that excused any of it, each once."""
    asked = set(told)
    reasons = [rule.because for rule in record.verdict.allowed if asked.intersection(rule.matched)]
    return "; ".join(dict.fromkeys(map(sentence, reasons)))
