"""The exceptions that excuse all that was seen, each with what it excuses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

from pytest_compilecheck.contract.installed_files import portable
from pytest_compilecheck.observe.values.observation import BreakSite, Observation
from pytest_compilecheck.observe.values.recompile import RecompileEvent
from pytest_compilecheck.report.parts.exceptions import (
    Written,
    distinct,
    excusable,
    of_break,
    of_change,
    of_fallback,
)
from pytest_compilecheck.report.parts.fallbacks import fallback_place, fallback_title
from pytest_compilecheck.report.parts.rebuild_groups import groups
from pytest_compilecheck.report.parts.recompiles import history_text, labels_text
from pytest_compilecheck.report.parts.sites import frequency, reason_text, site_place
from pytest_compilecheck.report.ranges import calls_text
from pytest_compilecheck.report.wording import sentence

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Excused:
    """An exception, without the reason that it needs, and a sentence for each thing it excuses."""

    exception: Written
    seen: tuple[str, ...]


def seen_breaks(seen: Observation) -> list[Excused]:
    """Exceptions for the break sites."""
    return _excused(seen.break_sites, of_break, _site_text)


def seen_recompiles(seen: Observation) -> list[Excused]:
    """Exceptions for the rebuilds: one for each thing that changed."""
    alone = [
        replace(event, changes=(change,))
        for event in seen.recompile_events
        for change in event.changes
    ]
    wanted = distinct(of_change(event.changes[0], event) for event in alone)
    return [
        Excused(
            exception,
            tuple(
                _history_texts(
                    event for event in alone if of_change(event.changes[0], event) == exception
                )
            ),
        )
        for exception in wanted
    ]


def seen_fallbacks(seen: Observation) -> list[Excused]:
    """Exceptions for the fallbacks; what compiled nothing cannot be excused."""
    return _excused(
        excusable(seen.fallbacks),
        of_fallback,
        lambda each: ", ".join(filter(None, [fallback_title(each), fallback_place(each)])),
    )


def _excused(
    things: Iterable[T], exception: Callable[[T], Written], text: Callable[[T], str]
) -> list[Excused]:
    every = list(things)
    return [
        Excused(one, tuple(dict.fromkeys(text(each) for each in every if exception(each) == one)))
        for one in distinct(map(exception, every))
    ]


def _site_text(site: BreakSite) -> str:
    here = replace(site, file=portable(site.file))
    return f"{site_place(here)}: {reason_text(site)}; {frequency(site)}"


def _history_texts(events: Iterable[RecompileEvent]) -> Iterator[str]:
    for group in groups(events):
        for change, values in group.histories:
            what = f"{history_text(change, values)} ({labels_text(change)})"
            yield sentence(f"{calls_text(group.calls)}: {what}")
