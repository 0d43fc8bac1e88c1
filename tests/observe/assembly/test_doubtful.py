from __future__ import annotations

import pytest
from report.values import entry, fallback, observation, site

from pytest_compilecheck.observe.assembly.doubtful import with_doubts
from pytest_compilecheck.observe.values.doubt import FIGURES, Doubt, Figure, why_unknown
from pytest_compilecheck.observe.values.observation import Observation

SEEN = observation(
    recompiles=1,
    break_sites=(site(),),
    fallbacks=(fallback(),),
    fragile_guards=(),
    timeline=tuple(
        entry(number, kind, kernels=1)
        for number, kind in enumerate(("compile", "recompile", "error", "fallback", "hit"))
    ),
)


def doubted(*figures: Figure) -> Observation:
    return with_doubts(SEEN, (Doubt(figures, "it was not told"),))


def known(seen: Observation) -> dict[Figure, object]:
    """Each figure as a report shows it, None where it is unknown."""
    return {
        "graph_breaks": seen.known_breaks,
        "recompiles": seen.recompiles,
        "fallbacks": seen.known_fallbacks,
        "hit_rate": seen.hit_rate,
        "graphs": seen.graphs,
        "captured_ops": seen.captured_ops,
        "graph_launches": seen.launches_per_warm_call,
        "compile_seconds": seen.compile_seconds,
        "kernels": seen.kernels,
        "fragile_guards": seen.fragile_guards,
    }


def test_without_a_doubt_all_stays() -> None:
    assert with_doubts(SEEN, ()) is SEEN
    assert None not in known(SEEN).values()


@pytest.mark.parametrize("figure", known(SEEN))
def test_a_doubtful_figure_is_unknown_and_the_others_are_not(figure: Figure) -> None:
    seen = doubted(figure)
    # Which calls are warm is what a hit rate is about.
    follows = {"graph_launches"} if figure == "hit_rate" else set()
    assert {name for name, value in known(seen).items() if value is None} == {figure, *follows}
    assert seen.why_unknown(figure) == "it was not told"


def kinds(seen: Observation) -> str:
    return " ".join(each.kind for each in seen.timeline)


def test_calls_of_a_doubtful_kind() -> None:
    assert kinds(doubted("hit_rate")) == "compile recompile error unknown unknown"
    assert kinds(doubted("recompiles")) == "unknown recompile error fallback hit"
    assert kinds(doubted("compile_seconds")) == kinds(SEEN)


def test_breaks_that_were_seen_stay_and_how_often_they_run_does_not() -> None:
    seen = doubted("graph_breaks", "hit_rate")
    assert [each.line for each in seen.break_sites] == [14]
    assert seen.break_sites[0].executions_per_warm_call is None


def test_launches_and_kernels_of_calls() -> None:
    assert {each.graph_launches for each in doubted("graph_launches").timeline} == {None}
    assert {each.kernels for each in doubted("kernels").timeline} == {None}


def test_the_reasons_of_all_doubts_about_a_figure() -> None:
    doubts = Doubt(("graphs",), "a"), Doubt(("graphs", "kernels"), "b")
    assert [why_unknown(doubts, each) for each in ("graphs", "kernels", "calls")] == [
        "a; b",
        "b",
        "",
    ]


def test_doubts_come_back_from_json() -> None:
    seen = doubted(*FIGURES)
    assert Observation.from_dict(seen.to_dict()) == seen
