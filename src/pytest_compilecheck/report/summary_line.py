"""One contract in one line, for pytest's short summary."""

from __future__ import annotations

from pytest_compilecheck.judge.counted import (
    new_fallbacks,
    new_recompiles,
    new_sites,
)
from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.judge.verdict import Violation
from pytest_compilecheck.report.outcome_reason import outcome_reason, raised_itself
from pytest_compilecheck.report.parts.fallbacks import fallback_place, fallback_title
from pytest_compilecheck.report.parts.kernels import kernels_text
from pytest_compilecheck.report.parts.recompiles import change_text
from pytest_compilecheck.report.parts.sites import by_weight
from pytest_compilecheck.report.parts.violations import BOUNDS, by_importance, violation_text
from pytest_compilecheck.report.wording import place, place_in, printable, sentence


def headline(record: ContractRecord) -> str:
    """The most important violation, where it is, and how many more there are.

    Without a violation: what the test itself raised, that it was not run, or "the contract holds".
    Why the test was skipped or is expected to fail stands behind it.
    """
    reason = outcome_reason(record)
    found = _found(record)
    return f"{found} ({reason})" if found and reason else found or reason or _nothing(record)


def _nothing(record: ContractRecord) -> str:
    return "the test was not run" if record.observed is None else "the contract holds"


def _found(record: ContractRecord) -> str:
    violations = by_importance(record.verdict.violations)
    if not violations:
        return sentence(record.error) if record.error and raised_itself(record) else ""
    first = violations[0]
    where = _where(record, first)
    text = f"{violation_text(first)}: {where}" if where else violation_text(first)
    more = len(violations) - 1
    return f"{text} (+{more} more)" if more else text


def _where(record: ContractRecord, violation: Violation) -> str:
    """The first thing that stands for the violation; empty if there is none."""
    if violation.bound == "error_calls":
        return _first_error(record)
    if violation.bound == "problems":
        return _first_problem(record)
    words = BOUNDS.get(violation.bound)
    if words is not None and not words.one:
        return ""  # the judge's sentence says it all
    finders = {
        "sites": _first_site,
        "recompiles": _first_recompile,
        "fallbacks": _first_fallback,
        "fragile": _first_fragile,
        "opaque": _first_opaque,
        "kernels": _kernels,
    }
    found = (finders[section](record) for section in (words.evidence if words else ()))
    return next((text for text in found if text), "")


def _first_site(record: ContractRecord) -> str:
    sites = by_weight(new_sites(record))
    if sites:
        return f"{place(sites[0].file, sites[0].line)} {sentence(sites[0].reason)}"
    earlier = record.observed.earlier_breaks if record.observed else ()
    return f"{place(earlier[0].file, earlier[0].line)} (compiled before)" if earlier else ""


def _first_recompile(record: ContractRecord) -> str:
    events = new_recompiles(record)
    if not events:
        return ""
    first = min(events, key=lambda event: event.call)
    return f"{place_in(first.function, first.file, first.line)}: {change_text(first.changes[0])}"


def _first_opaque(record: ContractRecord) -> str:
    if record.observed is None:
        return ""
    names = [op.name for op in record.observed.opaque_ops]
    names += [kernel.name for kernel in record.observed.library_kernels or ()]
    return printable(names[0]) if names else ""


def _kernels(record: ContractRecord) -> str:
    return kernels_text(record.observed.kernels or ()) if record.observed else ""


def _first_fragile(record: ContractRecord) -> str:
    guards = (record.observed.fragile_guards if record.observed else None) or ()
    return f"{printable(guards[0].source)} is {sentence(guards[0].value)}" if guards else ""


def _first_fallback(record: ContractRecord) -> str:
    fallbacks = new_fallbacks(record)
    if not fallbacks:
        return ""
    return " ".join((fallback_title(fallbacks[0]), fallback_place(fallbacks[0]))).strip()


def _first_error(record: ContractRecord) -> str:
    timeline = record.observed.timeline if record.observed else ()
    return next(
        (f"call {entry.call}: {sentence(entry.error)}" for entry in timeline if entry.error), ""
    )


def _first_problem(record: ContractRecord) -> str:
    problems = record.observed.problems if record.observed else ()
    return sentence(problems[0]) if problems else ""
