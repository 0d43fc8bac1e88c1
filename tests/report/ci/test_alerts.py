from __future__ import annotations

import pytest
from report.values import (
    change,
    fallback,
    frame,
    observation,
    recompile,
    record,
    site,
    violation,
)

from pytest_compilecheck.judge.told import told_change, told_fallback, told_site
from pytest_compilecheck.judge.verdict import Allowed
from pytest_compilecheck.report.ci.alerts import Alert, Spot, alerts
from pytest_compilecheck.report.style import plain

INSTALLED = "/usr/lib/python3.11/site-packages/x/y.py"


def rules(found: list[Alert]) -> list[tuple[str, str]]:
    return [(each.rule, each.level) for each in found]


def test_what_breaks_a_bound_is_an_error_and_the_rest_a_note() -> None:
    seen = observation(
        break_sites=(site(),), recompile_events=(recompile(),), fallbacks=(fallback(),)
    )
    broken = record(violation("max_recompiles", 0, 1), observed=seen)
    assert rules(alerts(broken)) == [
        ("graph_break/GB0170", "note"),
        ("fallback/recompile_limit", "note"),
        ("recompile/shape", "error"),
    ]
    assert rules(alerts(record(observed=seen)))[2] == ("recompile/shape", "note")


@pytest.mark.parametrize(
    ("outcome", "level"),
    [("failed", "error"), ("error", "error"), ("warned", "warning"), ("xfailed", "note")],
)
def test_the_outcome_gives_the_level(outcome: str, level: str) -> None:
    seen = observation(break_sites=(site(),))
    broken = record(violation("max_graph_breaks", 0, 1), outcome=outcome, observed=seen)
    assert rules(alerts(broken)) == [("graph_break/GB0170", level)]


def test_bounds_that_no_place_stands_for() -> None:
    broken = record(
        violation("max_graphs", 1, 2),
        violation("max_graph_breaks", 0, None),
        violation("error_calls", 0, 1),
        error="ValueError: no",
    )
    assert rules(alerts(broken)) == [
        ("raised", "error"),
        ("error_calls", "error"),
        ("max_graph_breaks", "error"),
        ("max_graphs", "error"),
    ]
    first = alerts(broken)[0]
    assert first.title == "the test itself raised ValueError: no"
    assert (first.spot, first.test_file) == (None, "tests/test_mlp.py")


def test_what_a_skipped_or_expected_failure_raised_is_no_alert() -> None:
    for outcome in ("skipped", "xfailed"):
        assert alerts(record(outcome=outcome, error="Skipped: later")) == []


def test_nothing_compiled_is_told_by_the_break_that_is_to_blame() -> None:
    broken = record(
        violation("nothing_compiled", 0, 1),
        observed=observation(break_sites=(site(),), fallbacks=(fallback(kind="nothing_compiled"),)),
    )
    assert rules(alerts(broken)) == [
        ("graph_break/GB0170", "error"),
        ("fallback/nothing_compiled", "error"),
    ]


def test_a_break_in_the_projects_own_code() -> None:
    seen = observation(break_sites=(site(),))
    (found,) = alerts(record(observed=seen))
    assert found.title == "graph break: Data-dependent branching (GB0170)"
    assert found.spot == Spot(
        file="model/mlp.py", line=14, column=8, end_column=19, code="if y.sum() > 0:"
    )
    assert found.own == found.spot
    assert found.docs == "https://example.org/gb0170.html"
    assert "hint         Use `torch.cond`" in plain(found.facts)


def test_a_break_in_an_installed_package_stands_at_the_nearest_own_line() -> None:
    foreign = {"file": INSTALLED, "owner": "third_party"}
    seen = observation(
        break_sites=(site(**foreign, own_frame=frame(line=7)), site(**foreign, own_frame=None))
    )
    first, second = alerts(record(observed=seen))
    assert first.own == Spot(file="model/mlp.py", line=7)
    assert first.spot is not None
    assert first.spot.file == INSTALLED
    assert first.finding.file == "x/y.py"
    assert second.own is None


def test_recompiles_are_told_change_by_change() -> None:
    step = change(cause="module_state", holder="module", source="self.step")
    events = (
        recompile(call=1),
        recompile(call=2, changes=(step,)),
        recompile(call=3, file=INSTALLED, function="other", changes=(change(source="y.size(0)"),)),
    )
    found = alerts(record(observed=observation(recompile_events=events)))
    assert [each.title for each in found] == [
        "recompile: x.size(1): 128 -> 129",
        "recompile: self.step: 128 -> 129",
        "recompile: y.size(0): 128 -> 129",
    ]
    assert [each.own is None for each in found] == [False, False, True]
    assert plain(found[0].facts).startswith("call 1: 1 recompile\nx.size(1): 128 -> 129  (shape")


def test_a_fallback_of_which_torch_tells_no_place() -> None:
    seen = observation(fallbacks=(fallback(kind="disabled", file=None, line=None, function=None),))
    (found,) = alerts(record(observed=seen))
    assert (found.spot, found.own) == (None, None)
    assert found.title == "fallback: compilation is switched off"


def test_what_is_excused_says_why() -> None:
    seen = observation(
        break_sites=(site(), site(owner="third_party", line=2), site(line=3)),
        recompile_events=(recompile(), recompile(call=2)),
        fallbacks=(fallback(), fallback(kind="disabled")),
    )
    rule = {"rule": "a rule", "matched": (told_site(seen.break_sites[0]),)}
    changed = (told_change(1, seen.recompile_events[0].changes[0]),)
    kept = record(
        observed=seen,
        contract={"owners": ["own"]},
        verdict={
            "allowed": (
                Allowed(because="legacy", **rule),
                Allowed(because="a log", **rule),
                Allowed(rule="r", because="grows", matched=changed),
                Allowed(rule="f", because="CI", matched=(told_fallback(seen.fallbacks[0]),)),
            ),
            "excused_sites": (0, 1),
            "excused_recompiles": (0,),
            "excused_fallbacks": (0,),
            "known_sites": (2,),
            "known_recompiles": (1,),
            "known_fallbacks": (1,),
        },
    )
    found = alerts(kept)
    assert [each.excused for each in found] == [
        "legacy; a log",
        "owners leaves out third_party",
        "known to the baseline",
        "CI",
        "known to the baseline",
        "grows",
        "known to the baseline",
    ]
    assert {each.facts for each in found} == {()}


def test_what_is_excused_without_a_line_that_says_so() -> None:
    seen = observation(recompile_events=(recompile(),))
    (found,) = alerts(record(observed=seen, verdict={"excused_recompiles": (0,)}))
    assert found.excused == "an exception of the contract"
