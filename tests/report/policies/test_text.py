from __future__ import annotations

import dataclasses
from typing import Any

from policies.values import call, compared, policy_run, replay, warm
from report.values import observation, record, run

from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.policies.causes import explained
from pytest_compilecheck.policies.measured import Comparison, MemoryStep, PolicyRun
from pytest_compilecheck.report.ci.markdown import markdown_text
from pytest_compilecheck.report.policies.text import policies_lines
from pytest_compilecheck.report.style import plain

STATIC = replay(
    "static",
    (2.0, 1.0),
    (0.001, 0.002),
    (400, 200),
    first_compile_seconds=2.0,
    rebuild_seconds=1.0,
    hit_rate=0.99,
    real_elements=100,
    elements=100,
    launches_per_call=1.0,
    guard_seconds=2e-6,
    peak_memory=600_000_000,
    memory_steps=(MemoryStep(call=1, bytes=40_000_000, mechanism="rebuild", detail="S: 8 -> 9"),),
)
POW2 = replay(
    "pow2",
    (2.0, 0.002),
    (0.0014, 0.002),
    (400, 200),
    variants=1,
    recompiles=0,
    first_compile_seconds=2.0,
    real_elements=100,
    elements=150,
)


def with_causes(made: PolicyRun) -> PolicyRun:
    return dataclasses.replace(made, calls=explained(made.calls, warm=made.warm))


def of(policies: Comparison | None, **fields: Any) -> ContractRecord:
    return record(observed=observation(), policies=policies, **fields)


def told(policies: Comparison | None, *, verbose: bool = False, **fields: Any) -> str:
    return plain(policies_lines(of(policies, **fields), verbose=verbose))


TABLE = """
  policy          cost  a request  first compile  rebuilds  variants  hit rate  padded  launches  guards  peak memory
  ------          ----  ---------  -------------  --------  --------  --------  ------  --------  ------  -----------
  static   3.8 s ± 0.3    1.33 ms            2 s       1 s         2       99%      0%         1    2 µs       600 MB
  pow2    2.96 s ± 0.2     1.6 ms            2 s       0 s         1         ?     33%         ?       ?            ?
"""  # noqa: E501 - a table as wide as it is shown


def test_all_that_was_measured() -> None:
    assert told(compared(with_causes(STATIC), with_causes(POW2))).splitlines() == [
        "policies of tests/test_mlp.py::test_mlp: 600 requests, backend inductor, on cpu",
        "pow2 costs the least: 2.96 s ± 0.2; the next, static (3.8 s ± 0.3), costs 28% more",
        "pow2 costs the least below 3,744 requests of this mix, static from 3,744 on",
        *TABLE.splitlines(),
        "",
        "warm latency of each step, median",
        "  step  requests  static    pow2  sizes",
        "  ----  --------  ------    ----  -----",
        "     0       400    1 ms  1.4 ms  x=(8, 128)",
        "     1       200    2 ms    2 ms  x=(8, 129)",
        "",
        "slow calls",
        "  static, call 0 (x=(8, 128)): 2 s, 1 ms when warm: first compile",
        "  static, call 1 (x=(8, 129)): 1 s, 2 ms when warm: rebuild",
        "  pow2, call 0 (x=(8, 128)): 2 s, 1.4 ms when warm: first compile",
        "",
        "memory that was held to the end, by the call that took it",
        "  static, call 1: 40 MB: rebuild: S: 8 -> 9",
    ]


def test_what_failed_is_told_with_its_reason() -> None:
    failed = policy_run("marked", error="ConstraintViolationError: S is 128")
    text = told(compared(STATIC, failed))
    assert "marked cannot be preferred: it could not be run: ConstraintViolationError" in text
    assert "static (3.8 s ± 0.3); no other policy can be preferred" in text


def test_a_median_that_is_not_stable_is_marked() -> None:
    shaky = dataclasses.replace(
        POW2, warm=(warm(0, (0.001, 0.003), 400, stable=False), POW2.warm[1])
    )
    text = told(compared(STATIC, shaky))
    assert "median; ? behind one that other runs may not repeat" in text
    assert "2 ms ?  x=(8, 128)" in text


def long(policy: str) -> PolicyRun:
    made = replay(policy, [1.0] * 9, [0.001] * 9, [10] * 9)
    steps = tuple(MemoryStep(call=at, bytes=2_000_000, mechanism="rebuild") for at in range(9))
    return with_causes(dataclasses.replace(made, memory_steps=steps))


def test_of_much_only_the_first_are_shown_and_the_rest_is_counted() -> None:
    compares = compared(long("static"))
    text = told(compares)
    for more in ("3 more steps", "3 more slow calls of static", "3 more memory steps of static"):
        assert f"  and {more}: -v shows all" in text
    whole = told(compares, verbose=True)
    assert "-v shows all" not in whole
    assert whole.count("static, call 8") == 2


def test_the_slowest_calls_come_first() -> None:
    calls = (call(0, 0.5, "compile", compile_seconds=0.4), call(1, 1.0, gc_seconds=0.9))
    made = policy_run("auto", calls=calls, warm=(warm(0), warm(1)))
    text = told(compared(with_causes(made)))
    assert text.index("call 1 (") < text.index("call 0 (")
    assert "garbage collection: 900 ms of 990 ms" in text


def test_nothing_is_said_of_what_was_not_measured() -> None:
    assert told(None) == ""
    assert told(None, verbose=True) == ""
    assert told(None, contract={"preferred_policy": "auto"}) == ""


def test_with_v_a_bound_that_was_not_judged_is_told() -> None:
    assert told(None, contract={"preferred_policy": "auto"}, verbose=True) == (
        "preferred_policy of tests/test_mlp.py::test_mlp was not judged:"
        " --compilecheck-policies measures it"
    )


def test_markdown_has_the_same_words() -> None:
    text = markdown_text(run(of(compared(STATIC, POW2)), of(None, id="other")))
    assert text.count("## Shape policies") == 1
    assert "pow2 costs the least: 2.96 s ± 0.2; the next, static" in text
    assert "```text\npolicy          cost  a request" in text
    assert "- static, call 1: 40 MB: rebuild: S: 8 -&gt; 9" in text
    assert "Shape policies" not in markdown_text(run(of(None)))
