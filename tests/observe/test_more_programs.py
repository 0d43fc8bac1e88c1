"""More small programs of known truth, in a table: what is to be seen, and what releases change."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import observe.more_programs as programs
import pytest
import torch
import torch._dynamo.config
from observe.facts import TORCH, Facts, Program, Site, calls, facts, watched

X = programs.X
M = torch.ones(4, 4)
HELPER = Site('print("helper")', "helper", "GB0059")


PROGRAMS = [
    Program(
        "helper_twice",
        calls(programs.calls_helper_twice, *[(X,)] * 2),
        Facts(
            kinds="compile hit", launches=(5, 5), graphs=3, sites=(replace(HELPER, executions=2.0),)
        ),
    ),
    Program(
        "helper_in_loop",
        calls(programs.calls_helper_in_loop, *[(X,)] * 2),
        Facts(
            kinds="compile hit",
            launches=(6, 6),
            graphs=2,
            sites=(replace(HELPER, executions=3.0),),
            fallbacks=(("skipped_frame", "calls_helper_in_loop", (0,)),),
        ),
    ),
    Program(
        "recursion",
        calls(programs.down, *[(X, 2)] * 2),
        Facts(
            kinds="recompile hit",
            launches=(5, 5),
            graphs=4,
            sites=(Site('print("bottom")', "down", "GB0059"),),
            recompiles=(0, 0),
        ),
        # The graph before the break computes nothing: since 2.15 no backend is given it.
        changes=(
            (
                TORCH >= (2, 15),
                {
                    "launches": (4, 4),
                    "graphs": 3,
                    "sites": (Site('print("bottom")', "down", "GB0059", None),),
                },
            ),
        ),
    ),
    Program(
        "dataclass_over_break",
        calls(programs.keeps_pair_over_break, *[(X,)] * 2),
        # Dynamo does not see the tensors in the dataclass, and leaves the second half to Python.
        Facts(
            kinds="compile hit",
            launches=(1, 1),
            graphs=1,
            sites=(Site('print("pair")', "keeps_pair_over_break", "GB0059"),),
            fallbacks=(("skipped_frame", "keeps_pair_over_break", (0,)),),
        ),
    ),
    Program(
        "break_before_dataclass",
        calls(programs.breaks_before_pair, *[(programs.Pair(X, X),)] * 2),
        Facts(
            kinds="fallback fallback",
            launches=(0, 0),
            graphs=0,
            sites=(Site('print("first")', "breaks_before_pair", "GB0059", None),),
            fallbacks=(("skipped_frame", "breaks_before_pair", (0, 1)),),
        ),
    ),
    Program(
        "finally_in_helper",
        calls(programs.calls_clean_up, *[(X,)] * 2),
        Facts(
            kinds="compile hit",
            launches=(2, 2),
            graphs=2,
            sites=(Site('print("finally")', "cleans_up", "GB0059", None),),
            fallbacks=(("skipped_frame", "cleans_up", (0,)),),
        ),
    ),
    Program(
        "break_in_branch",
        calls(programs.breaks_if_asked, *[(X, log) for log in (True, False, True, True, False)]),
        Facts(
            kinds="compile recompile hit hit hit",
            launches=(2, 1, 2, 2, 1),
            graphs=3,
            sites=(Site('print("asked")', "breaks_if_asked", "GB0059", 0.667),),
            recompiles=(1,),
        ),
    ),
    Program(
        "user_exception_in_recompile",
        calls(programs.refuses_above_two, *[(X, n) for n in (1, 1, 3, 1)]),
        Facts(
            kinds="compile hit error fallback",
            launches=(1, 1, 0, 0),
            graphs=1,
            sites=(Site("raise ValueError(n)", "refuses_above_two", "GB0088", None),),
            fallbacks=(("skipped_frame", "refuses_above_two", (2, 3)),),
        ),
    ),
    Program(
        "early_return",
        calls(programs.returns_early, *[(X, early) for early in (False, False, True, False)]),
        Facts(
            kinds="compile hit fallback fallback",
            launches=(1, 1, 0, 0),
            graphs=1,
            fallbacks=(("skipped_frame", "returns_early", (2, 3)),),
        ),
    ),
    Program(
        "einops",
        calls(programs.attention, *[(torch.ones(1, n, 4),) for n in (3, 5, 7)]),
        Facts(
            kinds="compile recompile hit",
            launches=(2, 2, 2),
            graphs=4,
            sites=(Site('print("scores")', "attention", "GB0059"),),
            recompiles=(1, 1),
        ),
    ),
    Program(
        "autograd_function",
        programs.with_grad(programs.applies_square),
        Facts(
            kinds="compile hit hit",
            launches=(3, 3, 3),
            graphs=3,
            sites=(Site('print("square")', "forward", "GB0059"),),
        ),
    ),
    Program(
        "checkpoint",
        programs.with_grad(programs.checkpoints_block),
        # The block runs eagerly, which nothing of torch tells.
        Facts(
            kinds="compile hit hit",
            launches=(2, 2, 2),
            graphs=2,
            sites=(Site('print("block")', "block", "GB0059"),),
        ),
    ),
    Program(
        "autocast",
        calls(programs.under_autocast, *[(M,)] * 2),
        Facts(
            kinds="compile hit",
            launches=(2, 2),
            graphs=2,
            sites=(Site('print("autocast")', "under_autocast", "GB0059"),),
        ),
    ),
    Program(
        "generator_consumed",
        calls(programs.consumes_generator, *[(M,)] * 2),
        Facts(
            kinds="fallback fallback",
            launches=(0, 0),
            graphs=0,
            sites=(Site('print("row")', "rows", "GB0059", None),),
            fallbacks=(("skipped_frame", "consumes_generator", (0, 1)),),
        ),
        # Up to 2.10 torch gives such a function up without any record.
        changes=(
            (
                TORCH < (2, 11),
                {
                    "sites": (),
                    "fallbacks": (("nothing_compiled", "consumes_generator", (0, 1)),),
                },
            ),
        ),
    ),
    Program(
        "forward_hook",
        calls(programs.Hooked(), *[(M,)] * 2),
        Facts(
            kinds="compile hit",
            launches=(3, 3),
            graphs=3,
            sites=(Site('print("hook")', "hook", "GB0059"),),
        ),
        # Up to 2.11 the forward of a module of torch.nn is compiled only as part of its caller.
        changes=((TORCH < (2, 12), {"launches": (2, 2), "graphs": 2}),),
    ),
    Program(
        "layers_at_the_limit",
        calls(programs.Stack(), *[(M,)] * 2),
        # Of ten layers two run eagerly: their breaks are not counted as executions.
        Facts(
            kinds="recompile fallback",
            launches=(16, 16),
            graphs=9,
            sites=(Site('print("layer")', "forward", "GB0059", 8.0),),
            recompiles=(0,) * 7,
            fallbacks=(
                ("skipped_frame", "forward", (0,)),
                ("recompile_limit", "forward", (0, 1)),
            ),
        ),
    ),
    Program(
        "blocks_compiled_apart",
        programs.in_turn(*(programs.Layer(index) for index in (2, 3, 4))),
        Facts(
            kinds="compile recompile recompile hit hit hit",
            launches=(1,) * 6,
            graphs=3,
            recompiles=(1, 2),
        ),
    ),
    Program(
        "two_regions",
        programs.in_turn(programs.encodes, programs.decodes, times=3),
        Facts(
            kinds="compile compile hit hit hit hit",
            launches=(2, 1, 2, 1, 2, 1),
            graphs=3,
            sites=(Site('print("encodes")', "encodes", "GB0059"),),
        ),
    ),
    Program(
        "region_in_disabled",
        programs.region_in_disabled,
        Facts(
            kinds="compile hit",
            launches=(3, 3),
            graphs=3,
            sites=(
                Site(
                    'compiled = torch.compile(lambda x: between(x + 1) + 1, backend="eager")',
                    "<lambda>",
                    "GB0098",
                ),
            ),
        ),
    ),
    Program(
        "reset_between",
        programs.reset_between,
        Facts(kinds="compile hit compile hit", launches=(2,) * 4, graphs=4, sites=(HELPER,)),
    ),
    Program(
        "eager_on_recompile",
        programs.eager_on_recompile,
        # Of three warm calls one runs no graph at all, so it meets no break.
        Facts(
            kinds="compile hit fallback hit",
            launches=(2, 2, 0, 2),
            graphs=2,
            sites=(replace(HELPER, executions=0.667),),
            fallbacks=(("disabled", None, (2,)),),
        ),
    ),
    Program(
        "dispatch_mode_for_a_while",
        programs.dispatch_mode_for_a_while,
        Facts(
            kinds="compile fallback fallback",
            launches=(1, 0, 0),
            graphs=1,
            fallbacks=(("skipped_frame", "straight", (1, 2)),),
        ),
        # Since 2.14 the skip lasts no longer than the mode.
        changes=(
            (
                TORCH >= (2, 14),
                {
                    "kinds": "compile fallback hit",
                    "launches": (1, 0, 1),
                    "fallbacks": (("skipped_frame", "straight", (1,)),),
                },
            ),
        ),
    ),
    Program(
        "error_hidden_in_a_recompile",
        calls(
            programs.straight,
            *[(torch.ones(n),) for n in (4, 4, 5, 4)],
            backend=programs.failing_backend(1),
        ),
        Facts(
            kinds="compile hit fallback fallback",
            launches=(1, 1, 0, 0),
            graphs=1,
            fallbacks=(("suppressed_error", "straight", (2, 3)),),
        ),
        settings={"suppress_errors": True},
    ),
    Program(
        "error_hidden_in_a_helper",
        calls(programs.calls_inner, *[(X,)] * 2, backend=programs.failing_backend(2)),
        Facts(
            kinds="compile hit",
            launches=(4, 4),
            graphs=4,
            sites=(replace(HELPER, executions=None),),
            fallbacks=(("suppressed_error", "helper", (0,)),),
        ),
        settings={"suppress_errors": True},
    ),
    Program("switched_off", programs.switched_off, Facts(kinds="", launches=(), graphs=0)),
]


@pytest.fixture(autouse=True)
def _clean() -> Iterator[None]:
    yield
    torch.compiler.set_stance("default")
    torch._dynamo.reset()


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_a_program_of_known_truth(program: Program) -> None:
    with torch._dynamo.config.patch(**program.settings):
        assert facts(watched(program.run)) == program.expected()


def test_tensors_that_torch_does_not_see_are_the_reason_of_a_skip() -> None:
    [fallback] = watched(calls(programs.keeps_pair_over_break, (X,))).fallbacks
    assert "does not look for tensors inside" in fallback.reason
