"""The figures of a record: what counts, and what is not known."""

from __future__ import annotations

from report.values import entry, fallback, observation, recompile, record, site

from pytest_compilecheck.judge.figures import Figures
from pytest_compilecheck.observe.values.doubt import Doubt

WARM = (
    entry(0, "compile", compile_seconds=2.0, weight=1, graph_launches=1),
    entry(1, "hit", weight=9, graph_launches=2),
)


def test_what_is_excused_does_not_count() -> None:
    seen = observation(
        break_sites=(site(), site(line=9)),
        fallbacks=(fallback(),),
        recompile_events=(recompile(call=1), recompile(call=2)),
        recompiles=2,
        timeline=WARM,
        graphs=3,
        captured_ops=7,
        backward_seconds=0.5,
    )
    held = record(observed=seen, verdict={"excused_sites": (1,), "excused_recompiles": (0,)})
    assert held.figures == Figures(
        graph_breaks=1,
        recompiles=1,
        fallbacks=1,
        calls=2,
        graphs=3,
        captured_ops=7,
        graph_launches_per_call=2,
        hit_rate=0.9,
        compile_seconds=2.5,
    )


def test_where_nothing_ran_nothing_is_known() -> None:
    assert record(observed=None, outcome="skipped").figures == Figures()


def test_what_torch_does_not_tell_is_not_known() -> None:
    doubts = (Doubt(figures=("graph_breaks", "calls", "hit_rate", "compile_seconds"), why="x"),)
    found = record(observed=observation(timeline=WARM, doubts=doubts)).figures
    assert (found.graph_breaks, found.calls) == (None, None)
    assert (found.hit_rate, found.compile_seconds) == (None, None)
    assert found.recompiles == 0


def test_they_stand_in_the_report() -> None:
    data = record(observed=observation(timeline=WARM)).to_dict()
    assert data["figures"]["hit_rate"] == 0.9
    assert list(data)[:5] == ["id", "part", "outcome", "contract", "observed"]
