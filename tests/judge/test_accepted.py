from __future__ import annotations

from report.values import change, fallback, observation, recompile, record, site

from pytest_compilecheck.judge.accepted import accepted, excused
from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.judge.told import told_change, told_fallback, told_site
from pytest_compilecheck.judge.verdict import Allowed

GROWN = change(source="x")
# One new size in a function of two pieces, in two calls: four events, two recompiles.
EVENTS = tuple(
    recompile(call=call, code_object=line, changes=(GROWN,)) for call in (3, 1) for line in (4, 9)
)
EAGER = fallback(calls=(5, 6))


def accepting(*rules: Allowed) -> ContractRecord:
    seen = observation(break_sites=(site(),), recompile_events=EVENTS, fallbacks=(EAGER,))
    indexes = {"excused_sites": (0,), "excused_recompiles": (0, 1, 2, 3), "excused_fallbacks": (0,)}
    return record(observed=seen, verdict={"allowed": rules, **indexes})


def rule(name: str, *matched: str) -> Allowed:
    return Allowed(rule=name, because=f"of {name}", matched=matched)


REBUILDS = rule("rebuilds", *(told_change(each.call, GROWN) for each in EVENTS))


def test_recompiles_are_counted_as_everywhere() -> None:
    (found,) = accepted(accepting(REBUILDS))
    assert (found.rule, found.because) == ("rebuilds", "of rebuilds")
    assert (found.excused.recompiles, found.excused.calls) == (2, [1, 3])
    assert (found.excused.sites, found.excused.fallbacks) == ([], [])


def test_each_exception_has_what_it_excused() -> None:
    rules = (rule("site", told_site(site())), rule("eager", told_fallback(EAGER)), rule("stale"))
    of_site, of_fallback = accepted(accepting(*rules))
    assert (of_site.excused.sites, of_site.excused.calls) == ([site()], [0, 1])
    assert (of_fallback.excused.fallbacks, of_fallback.excused.calls) == ([EAGER], [5, 6])


def test_what_several_exceptions_fit_is_of_each_and_once_in_all() -> None:
    one = told_change(1, GROWN)
    contract = accepting(REBUILDS, rule("again", one))
    assert [each.excused.recompiles for each in accepted(contract)] == [2, 1]
    assert excused(contract).recompiles == 2


def test_what_only_the_owner_excuses_is_not_accepted() -> None:
    assert excused(accepting(rule("stale"))).sites == []


def test_nothing_is_accepted_of_what_did_not_run() -> None:
    assert excused(record(verdict={"allowed": (rule("old", "gone"),)})).calls == []
