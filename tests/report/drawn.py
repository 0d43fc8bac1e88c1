"""Reports drawn at random, of values as torch and people could make them, for hypothesis."""

from __future__ import annotations

from typing import TypeVar, get_args

from hypothesis import strategies as st

from pytest_compilecheck.judge.audited import AuditedTest
from pytest_compilecheck.judge.outcome import Outcome
from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.judge.run_report import RunReport
from pytest_compilecheck.judge.told import told_site
from pytest_compilecheck.judge.verdict import Allowed, Verdict, Violation
from pytest_compilecheck.observe.values.observation import (
    BreakSite,
    Fallback,
    Observation,
    TimelineEntry,
)
from pytest_compilecheck.observe.values.place import Frame
from pytest_compilecheck.observe.values.recompile import Change, RecompileAttempt, RecompileEvent
from pytest_compilecheck.report.parts.violations import BOUNDS

T = TypeVar("T")

texts = st.text(
    st.one_of(st.sampled_from("ab\\`*_{}[]()<>#|@%:,\n\r\x00\x1b\ud800 é"), st.characters()),
    max_size=12,
)
files = st.sampled_from(
    ["model/mlp.py", "a b/ü%.py", "/usr/lib/python3.11/site-packages/x/y.py", "/else/where.py"]
) | texts.map(lambda text: f"{text}.py")
lines = st.integers(1, 10_000)
columns = st.none() | st.integers(1, 200)
counts = st.integers(0, 20)
figures = st.floats(0, 1e6) | counts


def tuples(of: st.SearchStrategy[T], most: int = 2) -> st.SearchStrategy[tuple[T, ...]]:
    return st.lists(of, max_size=most).map(tuple)


frames = st.builds(Frame, file=files, line=lines, function=texts)
sites = st.builds(
    BreakSite,
    file=files,
    line=lines,
    column=columns,
    end_column=columns,
    code=texts,
    function=texts,
    reason=texts,
    explanation=texts,
    hints=tuples(texts),
    gb_id=st.sampled_from([None, "GB0059", "GB0170"]),
    gb_ids=st.just(()),
    docs=st.sampled_from([None, "https://example.org/gb0059.html"]) | texts,
    events=counts,
    event_calls=tuples(counts),
    executions_per_warm_call=st.none() | st.floats(0, 100),
    own_frame=st.none() | frames,
    chain=tuples(frames),
)
changes = st.lists(
    st.builds(Change, source=texts, expected=texts, actual=texts, fixed_at=st.none() | frames),
    min_size=1,
    max_size=2,
).map(tuple)
rebuilds = {
    "call": counts,
    "function": texts,
    "file": files,
    "line": lines,
    "guard": texts,
    "changes": changes,
}
fallbacks = st.builds(
    Fallback,
    calls=tuples(counts),
    function=st.none() | texts,
    file=st.none() | files,
    line=st.none() | lines,
    reason=texts,
)
entries = st.builds(
    TimelineEntry,
    call=counts,
    sizes=st.dictionaries(texts, tuples(counts), max_size=2),
    seconds=figures,
    compile_seconds=figures,
    region=texts,
    weight=counts,
    error=st.none() | texts,
)
observations = st.builds(
    Observation,
    graphs=counts,
    captured_ops=counts,
    smallest_graph_ops=st.none() | counts,
    break_sites=tuples(sites),
    recompiles=counts,
    recompile_events=tuples(
        st.builds(RecompileEvent, **rebuilds, code_object=counts, guards=tuples(texts))
    ),
    recompile_attempts=tuples(st.builds(RecompileAttempt, **rebuilds)),
    fallbacks=tuples(fallbacks),
    timeline=tuples(entries),
    problems=tuples(texts),
)
violations = st.builds(
    Violation,
    bound=st.sampled_from([*BOUNDS, "a_bound_of_somebody_else"]),
    allowed=st.none() | figures,
    observed=st.none() | figures,
    message=texts,
    subject=texts,
)


@st.composite
def records(draw: st.DrawFn) -> ContractRecord:
    seen = draw(st.none() | observations)
    told = tuple(map(told_site, seen.break_sites)) if seen else ()
    allowed = st.builds(Allowed, rule=texts, because=texts, matched=st.just(told) | tuples(texts))
    return ContractRecord(
        id=draw(texts.map(lambda text: f"tests/test_it.py::{text}") | texts),
        part=draw(st.none() | texts),
        outcome=draw(st.sampled_from(get_args(Outcome))),
        contract=draw(st.sampled_from([{}, {"max_graph_breaks": 0, "owners": ["own"]}])),
        observed=seen,
        verdict=draw(
            st.builds(
                Verdict,
                violations=tuples(violations),
                allowed=tuples(allowed),
                excused_sites=tuples(st.integers(0, 1)),
                excused_recompiles=tuples(st.integers(0, 1)),
                known_fallbacks=tuples(st.integers(0, 1)),
            )
        ),
        error=draw(st.none() | texts),
        reason=draw(st.none() | texts),
        leaks=draw(tuples(texts)),
    )


reports = st.builds(
    RunReport,
    torch=texts,
    python=texts,
    complete=st.booleans(),
    contracts=tuples(records(), most=3),
    audit=st.none()
    | tuples(st.builds(AuditedTest, id=texts, outcome=st.just("passed"), observed=observations)),
)
