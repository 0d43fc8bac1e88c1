"""Exceptions of a contract, and owners: what they drop before anything is counted."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from judge.verdicts import TORCH, UNBOUNDED, broken, judged
from report.values import change, entry, fallback, observation, recompile, site

from pytest_compilecheck.contract.allow import Allowance
from pytest_compilecheck.judge.judge import judge


def allow(kind: Any, **matchers: Any) -> tuple[Allowance, ...]:
    return (Allowance(kind=kind, because="known", **matchers),)


def test_an_allowed_break_does_not_count_and_is_told() -> None:
    seen = observation(break_sites=(site(), site(line=20, gb_id="GB0059"), site(line=30)))
    verdict = judged(seen, max_graph_breaks=0, allow_breaks=allow("break", gb_id="GB0170"))
    assert [violation.observed for violation in verdict.violations] == [1]
    assert verdict.excused_sites == (0, 2)
    (told,) = verdict.allowed
    assert (told.rule, told.because) == ("graph break GB0170", "known")
    assert told.matched == (
        "model/mlp.py:14 Data-dependent branching",
        "model/mlp.py:30 Data-dependent branching",
    )


def test_every_exception_that_fits_is_told() -> None:
    rules = allow("break", gb_id="GB0170") + allow("break", function="inner")
    verdict = judged(observation(break_sites=(site(),)), max_graph_breaks=0, allow_breaks=rules)
    assert verdict.holds
    assert [len(told.matched) for told in verdict.allowed] == [1, 1]
    assert verdict.excused_sites == (0,)


def test_recompiles_are_counted_after_exceptions() -> None:
    # The call rebuilt one code object twice and another once: two recompiles, or one without "n".
    events = (
        recompile(call=1, code_object=0, guard="n == 1", guards=("n == 1",)),
        recompile(call=1, code_object=0),
        recompile(call=1, code_object=1),
    )
    seen = observation(recompile_events=events, recompiles=2)
    for rules, figure in (((), 2), (allow("recompile", guard="n =="), 1)):
        (violation,) = judged(seen, max_recompiles=0, allow_recompiles=rules).violations
        assert violation.observed == figure
    verdict = judged(seen, max_recompiles=1, allow_recompiles=allow("recompile", guard="n =="))
    assert verdict.holds
    assert verdict.excused_recompiles == (0,)
    assert verdict.allowed[0].matched == ("call 1: x.size(1): 128 -> 129",)


@pytest.mark.parametrize(
    ("matchers", "excused"),
    [
        ({"cause": "shape"}, True),
        ({"cause": "dtype"}, False),
        ({"source": "x.*"}, True),
        ({"source": "y.*"}, False),
        ({"cause": "shape", "source": "y.*"}, False),
        ({"automatic_dynamic": True}, False),
    ],
)
def test_a_recompile_is_excused_by_what_changed(matchers: dict[str, Any], excused: bool) -> None:
    seen = observation(recompile_events=(recompile(),))
    rules = allow("recompile", **matchers)
    assert judged(seen, max_recompiles=0, allow_recompiles=rules).holds is excused


def test_a_rebuild_for_two_reasons_is_excused_only_if_both_are() -> None:
    automatic = change(automatic_dynamic=True)
    flag = change(cause="python_value", source="mode", expected="'a'", actual="'b'")
    seen = observation(recompile_events=(recompile(changes=(automatic, flag)),))
    dynamic = allow("recompile", automatic_dynamic=True)
    for rules, holds in ((dynamic, False), ((*dynamic, *allow("recompile", source="mode")), True)):
        verdict = judged(seen, max_recompiles=0, allow_recompiles=rules)
        assert verdict.holds is holds
    assert [told.matched for told in verdict.allowed] == [
        ("call 1: x.size(1): 128 -> 129",),
        ("call 1: mode: 'a' -> 'b'",),
    ]


def test_exceptions_hold_for_the_bound_after_warmup_too() -> None:
    seen = observation(recompile_events=(recompile(call=1),), timeline=(entry(0), entry(1)))
    rules = allow("recompile", guard="size mismatch")
    bounds = {"max_recompiles_after_warmup": 0, "warmup_calls": 1}
    assert not judged(seen, **bounds).holds
    assert judged(seen, **bounds, allow_recompiles=rules).holds


def test_an_allowed_fallback_does_not_count_and_is_told() -> None:
    seen = observation(fallbacks=(fallback(), fallback(kind="disabled", function=None)))
    rules = allow("fallback", fallback_kind="disabled")
    verdict = judged(seen, allow_fallbacks=rules)
    assert [violation.observed for violation in verdict.violations] == [1]
    assert verdict.excused_fallbacks == (1,)
    assert verdict.allowed[0].matched == ("disabled of the region: n changes from call to call",)


def test_an_exception_of_one_kind_excuses_no_other() -> None:
    seen = observation(break_sites=(site(),), fallbacks=(fallback(),))
    everything = allow("break") + allow("recompile") + allow("fallback")
    verdict = judged(seen, max_graph_breaks=0, allow_recompiles=everything[1:2])
    assert broken(verdict) == ["max_graph_breaks", "fallback"]


def test_breaks_of_other_owners_do_not_count() -> None:
    sites = (site(owner="torch"), site(owner="own"), site(owner="third_party"))
    seen = observation(break_sites=sites)
    for owners, figure, excused in (
        (None, 3, ()),
        (("own",), 1, (0, 2)),
        (("own", "torch"), 2, (2,)),
    ):
        verdict = judged(seen, max_graph_breaks=0, owners=owners)
        assert [violation.observed for violation in verdict.violations] == [figure]
        assert verdict.excused_sites == excused


def test_owners_are_about_breaks_alone() -> None:
    seen = observation(fallbacks=(fallback(file="/lib/x.py"),))
    assert broken(judged(seen, owners=("torch",))) == ["fallback"]


def test_an_exception_that_matched_nothing_fails_only_if_asked() -> None:
    contract = dataclasses.replace(UNBOUNDED, allow_breaks=allow("break", gb_id="GB0001"))
    assert judge(contract, observation(), TORCH).holds


def test_a_stale_exception_fails_beside_the_bounds() -> None:
    seen = observation(graphs=5)
    verdict = judged(seen, strict=True, max_graphs=4, allow_breaks=allow("break", gb_id="GB0001"))
    assert broken(verdict) == ["max_graphs", "stale_exception"]


STALE = allow("break", gb_id="GB0001") + allow("break", gb_id="GB0170")


@pytest.mark.parametrize("strict", [False, True])
def test_an_exception_that_matched_nothing_is_told_and_fails_if_strict(strict: bool) -> None:
    seen = observation(break_sites=(site(),))
    verdict = judged(seen, strict=strict, allow_breaks=STALE)
    assert [bool(told.matched) for told in verdict.allowed] == [False, True]
    assert broken(verdict) == (["stale_exception"] if strict else [])
    assert all("GB0001" in violation.message for violation in verdict.violations)


def test_an_exception_for_a_break_of_another_owner_is_not_stale() -> None:
    seen = observation(break_sites=(site(owner="torch"),))
    rules = allow("break", gb_id="GB0170")
    assert judged(seen, strict=True, owners=("own",), allow_breaks=rules).holds


def test_an_exception_that_fits_a_part_of_a_rebuild_is_told_and_not_stale() -> None:
    changes = (change(automatic_dynamic=True), change(source="y.size(0)"))
    seen = observation(recompile_events=(recompile(changes=changes),))
    rules = allow("recompile", source="y.*")
    verdict = judged(seen, max_recompiles=1, allow_recompiles=rules, strict=True)
    assert verdict.holds
    (told,) = verdict.allowed
    assert (told.matched, told.partly) == ((), ("call 1: 1 of the 2 changes of a rebuild",))


FILE = "/env/lib/python3.11/site-packages/ranklib/model.py"


def test_a_stale_exception_tells_what_it_nearly_excused() -> None:
    seen = observation(
        break_sites=(site(file=FILE), site(file=FILE, line=20), site(file=FILE, function="other")),
        recompile_events=(recompile(changes=(change(), change(source="y"))),),
        fallbacks=(fallback(file=None),),
    )
    verdict = judged(
        seen,
        strict=True,
        allow_breaks=allow("break", gb_id="GB0170", file="model.py", function="inner")
        + allow("break", gb_id="GB0170", function="other")
        + allow("break", gb_id="GB0001", file="model.py"),
        allow_recompiles=allow("recompile", cause="shape", source="z"),
        allow_fallbacks=allow("fallback", fallback_kind="recompile_limit", file="a.py"),
    )
    stale, good, none, rebuild, eager = (told.nearly for told in verdict.allowed)
    assert (good, none) == ((), ())
    assert stale == (f"all its keys but 'file' fit a break whose file is {FILE}",)
    assert rebuild == (
        "all its keys but 'source' fit a recompile whose source is x.size(1)",
        "all its keys but 'source' fit a recompile whose source is y",
    )
    assert eager == ("all its keys but 'file' fit a fallback whose file is not known",)
    nearest = f"{rebuild[0]} (and 1 more like it)"
    messages = {each.message for each in verdict.violations if each.bound == "stale_exception"}
    assert messages == {
        "the exception for graph break GB0170 in function inner in model.py matched nothing: "
        + stale[0],
        "the exception for graph break GB0001 in model.py matched nothing: remove it",
        f"the exception for recompile by shape of z matched nothing: {nearest}",
        f"the exception for fallback recompile_limit in a.py matched nothing: {eager[0]}",
    }


def test_what_another_exception_excuses_is_no_near_miss() -> None:
    rules = allow("break", gb_id="GB0170", function="gone")
    rules += allow("break", gb_id="GB0170", function="inner")
    verdict = judged(observation(break_sites=(site(),)), allow_breaks=rules)
    assert [told.nearly for told in verdict.allowed] == [(), ()]
