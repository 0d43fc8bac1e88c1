"""The failure of one contract, the most important first."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from pytest_compilecheck.judge.counted import (
    foreign_sites,
    new_fallbacks,
    new_recompiles,
    new_sites,
)
from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.judge.verdict import Allowed
from pytest_compilecheck.report.outcome_reason import outcome_reason, raised_itself
from pytest_compilecheck.report.parts.accept import acceptance_section
from pytest_compilecheck.report.parts.earlier import earlier_section
from pytest_compilecheck.report.parts.fallbacks import (
    fallback_place,
    fallback_title,
    fallbacks_section,
)
from pytest_compilecheck.report.parts.fragile import fragile_section
from pytest_compilecheck.report.parts.kernels import kernels_section
from pytest_compilecheck.report.parts.opaque import opaque_section
from pytest_compilecheck.report.parts.recompiles import (
    attempts_section,
    change_text,
    recompiles_section,
)
from pytest_compilecheck.report.parts.sites import (
    by_weight,
    left_out_text,
    reason_text,
    site_place,
    sites_section,
)
from pytest_compilecheck.report.parts.timeline import timeline_section
from pytest_compilecheck.report.parts.trouble import errors_section, problems_section
from pytest_compilecheck.report.parts.violations import by_importance, evidence_for, violation_text
from pytest_compilecheck.report.style import Line, Span, line, separated
from pytest_compilecheck.report.wording import (
    first_line,
    place_in,
    printable,
    sentence,
)


def failure_lines(
    record: ContractRecord, *, root: str, verbosity: int = 0, rerun: str | None
) -> list[Line]:
    """What a terminal says of a contract that does not hold.

    Args:
        record: the contract, what was observed and the verdict.
        root: directory that the record's relative paths start from; source is read from there.
        verbosity: below 0 headlines, and a line for each break, fallback and rebuild; above 0
            every call and guard.
        rerun: the command that runs this contract alone; None leaves it out.
    """
    violations = by_importance(record.verdict.violations)
    if verbosity < 0:
        wanted = evidence_for(violations)
        places = _break_places(record) if "sites" in wanted else []
        places += _eager_places(record) if "fallbacks" in wanted else []
        places += _rebuilt_places(record) if "recompiles" in wanted else []
        return violated_section(record) + places
    sections = [
        violated_section(record),
        reason_section(record),
        own_error_section(record),
        *evidence_sections(record, root=root, verbose=verbosity > 0),
        _calls(record, verbose=verbosity > 0),
        acceptance_section(record, violations),
        excused_section(record),
        [line(Span(sentence(leak), "bad")) for leak in record.leaks],
        _next_steps(rerun, verbosity),
    ]
    return separated(sections)


def rerun_command(nodeid: str, options: Sequence[str] = ()) -> str:
    """What a person types to run one contract alone, under the options of the run."""
    return f"pytest --compilecheck {shlex.join([*options, nodeid])}"


def violated_section(record: ContractRecord) -> list[Line]:
    """The bounds that do not hold, the most important first."""
    part = [] if record.part is None else [line(Span("watched block: ", "heading"), record.part)]
    return part + [
        line(Span(violation_text(each), "bad"), Span(f"  [{each.bound}]", "dim"))
        for each in by_importance(record.verdict.violations)
    ]


def _eager_places(record: ContractRecord) -> list[Line]:
    return [
        line("  ", fallback_title(each), "  ", Span(fallback_place(each), "location"))
        for each in new_fallbacks(record)
    ]


def _rebuilt_places(record: ContractRecord) -> list[Line]:
    return [
        line(
            f"  call {event.call}: ",
            Span(place_in(event.function, event.file, event.line), "location"),
            f"  {change_text(event.changes[0])}",
        )
        for event in new_recompiles(record)
    ]


def _break_places(record: ContractRecord) -> list[Line]:
    return [
        line("  ", Span(site_place(site), "location"), f"  {reason_text(site)}")
        for site in by_weight(new_sites(record))
    ] + [
        line("  ", Span(place_in(each.function, each.file, each.line), "location"), _EARLIER)
        for each in (record.observed.earlier_breaks if record.observed else ())
    ]


_EARLIER = "  compiled before the watch began"


def own_error_section(record: ContractRecord) -> list[Line]:
    """What the test itself raised."""
    if record.error is None or not raised_itself(record):
        return []
    return [line(Span("the test itself raised ", "bad"), sentence(record.error))]


def reason_section(record: ContractRecord) -> list[Line]:
    """Why the test was skipped, or is expected to fail."""
    told = outcome_reason(record)
    return [line(told)] if told else []


def evidence_sections(record: ContractRecord, *, root: str, verbose: bool) -> list[list[Line]]:
    """What was seen that breaks the contract, or with `verbose` all of it; the calls apart."""
    observed = record.observed
    if observed is None:
        return [[line("The test was not run, so nothing was observed.")]]
    wanted = evidence_for(record.verdict.violations)
    rebuilds = verbose or bool(wanted & {"recompiles", "fallbacks"})
    return [
        errors_section(observed.timeline),
        problems_section(observed.problems),
        earlier_section(observed) if verbose or "sites" in wanted else [],
        sites_section(new_sites(record), root=root, verbose=verbose)
        if verbose or "sites" in wanted
        else [],
        recompiles_section(new_recompiles(record), observed.timeline, verbose=verbose)
        if verbose or "recompiles" in wanted
        else [],
        fallbacks_section(new_fallbacks(record), observed),
        attempts_section(observed.recompile_attempts, new_fallbacks(record)) if rebuilds else [],
        opaque_section(observed.opaque_ops) if verbose or "opaque" in wanted else [],
        kernels_section(observed, verbose=verbose) if verbose or "kernels" in wanted else [],
        fragile_section(observed.fragile_guards, verbose=verbose)
        if verbose or "fragile" in wanted
        else [],
    ]


def _calls(record: ContractRecord, *, verbose: bool) -> list[Line]:
    seen = record.observed
    if seen is None:
        return []
    return timeline_section(seen.timeline, seen.recompile_events, verbose=verbose)


def _next_steps(rerun: str | None, verbosity: int) -> list[Line]:
    more = [line(Span("-v shows every call and every guard", "dim"))] if verbosity == 0 else []
    return (
        [*more, line(Span("run it alone: ", "cure"), Span(printable(rerun), "code"))]
        if rerun
        else more
    )


def excused_section(record: ContractRecord) -> list[Line]:
    """What does not count: known to the baseline, allowed, or of another owner."""
    lines = [f"in the baseline: {violation_text(each)}" for each in record.verdict.known]
    lines += [text for allowed in record.verdict.allowed for text in _allowed(allowed)]
    lines += [
        f"not counted: {site_place(site)}  {reason_text(site)} ({left_out_text(site)})"
        for site in foreign_sites(record)
    ]
    return [line(Span(text, "dim")) for text in lines]


def _allowed(allowed: Allowed) -> list[str]:
    because = f"because {sentence(allowed.because)}"
    if allowed.partly:
        rule = sentence(allowed.rule)
        return [f"not allowed: {rule} fits only {sentence(told)}" for told in allowed.partly]
    if not allowed.matched:
        told = f"exception that matched nothing: {sentence(allowed.rule)}, {because}"
        return [f"{told}; {sentence(allowed.near_miss)}" if allowed.nearly else told]
    lines = dict.fromkeys(map(first_line, allowed.matched))  # one rebuild may have several pieces
    return [f"allowed: {sentence(each)}, {because}" for each in lines]
