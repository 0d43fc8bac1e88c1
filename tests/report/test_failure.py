from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.judge.verdict import Allowed
from pytest_compilecheck.report.failure import excused_section, failure_lines
from pytest_compilecheck.report.style import plain
from report.values import (
    attempt,
    entry,
    fallback,
    frame,
    observation,
    recompile,
    record,
    site,
    violation,
)

RERUN = "pytest --compilecheck tests/test_mlp.py::test_mlp"


def told(judged: ContractRecord, **options: Any) -> str:
    return plain(failure_lines(judged, **{"root": "/nowhere", "rerun": RERUN, **options}))


def storm() -> ContractRecord:
    """Everything that a report can tell, in one record."""
    return record(
        violation("min_hit_rate", 0.9, 0.5),
        violation("max_recompiles", 0, 1),
        violation("fallback", 0, 1),
        violation("max_graph_breaks", 0, 1),
        violation("error_calls", 0, 1),
        observed=observation(
            break_sites=(
                site(),
                site(file="x.py", owner="third_party", reason="Lax", gb_id=None),
            ),
            recompiles=1,
            recompile_events=(recompile(),),
            recompile_attempts=(attempt(),),
            fallbacks=(fallback(), fallback(kind="disabled", calls=(3,))),
            timeline=(entry(0, "compile"), entry(1, "error", error="ValueError: no")),
            problems=("A watch was lost.",),
        ),
        verdict={
            "allowed": (
                Allowed(rule="fallback of kind disabled", because="CI", matched=("call 3",)),
                Allowed(rule="break with id GB0059", because="legacy", matched=()),
            ),
            "excused_sites": (1,),
            "excused_fallbacks": (1,),
        },
        contract={"owners": ["own"]},
        error="AssertionError: assert 0",
        leaks=("The test left suppress_errors changed.",),
    )


def test_one_break_from_the_headline_to_the_command(tmp_path: Path) -> None:
    (tmp_path / "mlp.py").write_text("def inner(x):\n    if x.sum() > 0:\n        return x\n")
    broken = site(
        file="mlp.py",
        line=2,
        column=8,
        end_column=19,
        code="if x.sum() > 0:",
        own_frame=frame("mlp.py", 2, "inner"),
        chain=(frame("test_mlp.py", 9, "test_mlp"),),
    )
    judged = record(
        violation("max_graph_breaks", 0, 1),
        observed=observation(
            break_sites=(broken,), timeline=(entry(0, "compile"), entry(1), entry(2))
        ),
    )
    assert told(judged, root=str(tmp_path)) == (
        "1 graph break, 0 allowed  [max_graph_breaks]\n"
        "\n"
        "Graph breaks: torch.compile stops capturing at these lines and runs them as plain"
        " Python.\n"
        "\n"
        "graph break 1 of 1  mlp.py:2:8 in inner\n"
        "  Data-dependent branching (GB0170)\n"
        "    1 | def inner(x):\n"
        "  > 2 |     if x.sum() > 0:\n"
        "      |        ^^^^^^^^^^^\n"
        "    3 |         return x\n"
        "  called from  test_mlp.py:9 in test_mlp\n"
        "  how often    3 events in calls 0, 1; runs once in every warm call\n"
        "  why          Detected data-dependent branching.\n"
        "  hint         Use `torch.cond` to express dynamic control flow.\n"
        "  docs         https://example.org/gb0170.html\n"
        "\n"
        "calls: 0 compile, 1-2 hit\n"
        "\n"
        'to accept it: allow_breaks=[{"gb_id": "GB0170", "file": "mlp.py",'
        ' "function": "inner", "because": "why it may stay"}]\n'
        "\n"
        "-v shows every call and every guard\n"
        "run it alone: pytest --compilecheck tests/test_mlp.py::test_mlp"
    )


def test_everything_comes_in_the_order_of_its_importance() -> None:
    text = told(storm())
    landmarks = [
        "1 call failed to compile, 0 allowed  [error_calls]",
        "1 graph break, 0 allowed  [max_graph_breaks]",
        "1 fallback, 0 allowed  [fallback]",
        "1 recompile, 0 allowed  [max_recompiles]",
        "hit rate 0.5, at least 0.9 required  [min_hit_rate]",
        "the test itself raised AssertionError: assert 0",
        "call 1 raised ValueError: no",
        "  A watch was lost.",
        "graph break 1 of 1  model/mlp.py:14:8 in inner",
        "  x.size(1): 128 -> 129  (shape, argument)",
        "calls 8-10: torch's limit of rebuilds is reached",
        "calls: 0 compile, 1 error",
        "allowed: call 3, because CI",
        "exception that matched nothing: break with id GB0059, because legacy",
        "not counted: x.py:14:8 in inner (third-party code)  Lax (owners leaves out third_party)",
        "The test left suppress_errors changed.",
        f"run it alone: {RERUN}",
    ]
    lines = text.splitlines()
    assert [line for line in lines if line in landmarks] == landmarks


def test_what_the_contract_excuses_is_one_dim_line_and_no_section() -> None:
    lines = failure_lines(storm(), root="/nowhere", rerun=None)
    text = plain(lines)
    assert "graph break 1 of 1" in text
    assert "compilation is switched off" not in text
    (allowed,) = (spans for spans in lines if plain([spans]).startswith("allowed: "))
    assert [span.meaning for span in allowed] == ["dim"]


def test_what_was_excused_is_told_by_its_first_line() -> None:
    matched = "call 1: n == 3\nUser stack trace:\n  File"
    judged = record(
        violation("max_graphs", 1, 2),
        verdict={"allowed": (Allowed(rule="n", because="it counts", matched=(matched,)),)},
    )
    assert "allowed: call 1: n == 3, because it counts" in told(judged).splitlines()


def test_sections_that_no_violation_needs_are_left_to_verbose() -> None:
    judged = record(
        violation("max_graph_breaks", 0, 1),
        observed=observation(
            break_sites=(site(),),
            recompile_events=(recompile(),),
            recompile_attempts=(attempt(),),
        ),
    )
    headings = ["Graph breaks:", "Recompiles:", "Rebuilds that made no graph"]
    assert [heading in told(judged) for heading in headings] == [True, False, False]
    assert [heading in told(judged, verbosity=1) for heading in headings] == [True] * 3


def test_breaks_that_the_bound_allows_are_left_to_verbose() -> None:
    judged = record(
        violation("max_recompiles", 0, 1),
        observed=observation(break_sites=(site(),), recompile_events=(recompile(),)),
    )
    assert "Graph breaks:" not in told(judged)
    assert "Graph breaks:" in told(judged, verbosity=1)


def test_verbose_has_the_table_of_calls_and_does_not_offer_itself() -> None:
    text = told(storm(), verbosity=1)
    assert "call  step  pass  kind" in text
    assert "-v shows" not in text


def test_quiet_is_headlines_and_places() -> None:
    assert told(storm(), verbosity=-1) == (
        "1 call failed to compile, 0 allowed  [error_calls]\n"
        "1 graph break, 0 allowed  [max_graph_breaks]\n"
        "1 fallback, 0 allowed  [fallback]\n"
        "1 recompile, 0 allowed  [max_recompiles]\n"
        "hit rate 0.5, at least 0.9 required  [min_hit_rate]\n"
        "  model/mlp.py:14:8 in inner  Data-dependent branching (GB0170)\n"
        "  calls 8-10: torch's limit of rebuilds is reached  model/mlp.py:9 in forward\n"
        "  call 1: model/mlp.py:9 in forward  x.size(1): 128 -> 129"
    )


def test_without_a_command_none_is_offered() -> None:
    assert "run it alone" not in told(storm(), rerun=None)


def test_a_test_that_did_not_run_says_so() -> None:
    text = told(record(violation("nothing_compiled", None, None)))
    assert text.startswith(
        "nothing was compiled  [nothing_compiled]\n"
        "\n"
        "The test was not run, so nothing was observed.\n"
    )


@pytest.mark.parametrize("verbosity", [-1, 0, 1])
def test_nothing_of_torchs_inside_shows_and_no_line_steers_the_terminal(verbosity: int) -> None:
    resumed = "torch_dynamo_resume_in_f_at_3"
    nasty = f"<{resumed} at 0x7f12>\x1b[2J\n___stack0"
    judged = record(
        violation("max_graph_breaks", 0, 1, nasty),
        violation("max_recompiles", 0, 1, nasty),
        violation("problems", None, None, nasty),
        observed=observation(
            break_sites=(
                site(
                    function=resumed,
                    file="a\x1b.py",
                    code="f('\x1b[2J')",
                    reason=nasty,
                    explanation=nasty,
                    hints=(nasty,),
                    docs="https://\x1b",
                    chain=(frame(function=resumed),),
                ),
            ),
            recompile_events=(recompile(function=resumed, guard="___stack0 == \x1b"),),
            recompile_attempts=(attempt(function=resumed, guard="___stack0 == \x1b"),),
            fallbacks=(fallback(function=resumed, reason=nasty),),
            timeline=(entry(0, "error", error=nasty, sizes={"\x1b": (1,)}, region="\x1b"),),
            problems=(nasty,),
        ),
        verdict={"allowed": (Allowed(rule=nasty, because=nasty, matched=(nasty,)),)},
        error=nasty,
        leaks=(nasty,),
    )
    lines = failure_lines(judged, root="/nowhere", verbosity=verbosity, rerun="pytest \x1b")
    for spans in lines:
        text = plain([spans])
        assert text.isprintable()
        assert text == text.rstrip()
        assert "torch_dynamo" not in text
        assert "0x7f12" not in text
        assert "___" not in text


def test_a_rebuild_of_several_pieces_is_allowed_once() -> None:
    piece = "call 1: x: 2 -> 3"
    rule = Allowed(rule="r", because="b", matched=(piece, piece, "call 2: x: 3 -> 4"))
    judged = record(observed=observation(), verdict={"allowed": (rule,)})
    assert [plain([each]) for each in excused_section(judged)] == [
        "allowed: call 1: x: 2 -> 3, because b",
        "allowed: call 2: x: 3 -> 4, because b",
    ]
