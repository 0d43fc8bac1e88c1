from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

import pytest
from report.values import change, fallback, observation, recompile, record, site, violation

from pytest_compilecheck.contract.allow import parse_allowances
from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.judge.verdict import Violation
from pytest_compilecheck.observe.values.observation import Observation
from pytest_compilecheck.report.parts.accept import acceptance_section
from pytest_compilecheck.report.style import plain


def told(seen: Observation | None, *bounds: str) -> list[str]:
    violations: list[Violation] = [violation(bound, 0, 1) for bound in bounds]
    judged: ContractRecord = record(*violations, observed=seen)
    return plain(acceptance_section(judged, violations)).splitlines()


HOME = "/home/me/.venv/lib/python3.11/site-packages"


def test_each_kind_of_violation_has_its_exception_in_python() -> None:
    seen = observation(
        break_sites=(site(),),
        recompile_events=(recompile(),),
        fallbacks=(fallback(kind="disabled"),),
    )
    lines = told(seen, "fallback", "max_graph_breaks", "max_recompiles")
    assert [
        line.replace('"because": "why it may stay"', "WHY").replace('"file": "model/mlp.py"', "F")
        for line in lines
    ] == [
        'to accept it: allow_breaks=[{"gb_id": "GB0170", F, "function": "inner", WHY}]',
        'to accept it: allow_recompiles=[{"source": "x.size(1)", F, "function": "forward", WHY}]',
        'to accept it: allow_fallbacks=[{"kind": "disabled", F, "function": "forward", WHY}]',
    ]


@pytest.mark.parametrize(
    ("fields", "matchers"),
    [
        (
            {"gb_id": None, "reason": 'a "quoted" reason'},
            {"reason": 'a "quoted" reason', "file": "model/mlp.py"},
        ),
        (
            {"owner": "third_party", "file": f"{HOME}/ranklib/model.py"},
            {"gb_id": "GB0170", "file": "*/ranklib/model.py"},
        ),
        (
            {"owner": "torch", "file": f"{HOME}/torch/optim/adam[w].py", "function": ""},
            {"gb_id": "GB0170", "file": "*/torch/optim/adam[[]w].py"},
        ),
        (
            {"owner": "third_party", "file": "/home/me/checkouts/ranklib/model.py"},
            {"gb_id": "GB0170", "file": "*/ranklib/model.py"},
        ),
        ({"file": "model/[a].py"}, {"gb_id": "GB0170", "file": "model/[[]a].py"}),
        (
            {"gb_id": None, "reason": "a\u202eb\x1b"},
            {"reason": "a\u202eb\x1b", "file": "model/mlp.py"},
        ),
    ],
)
def test_the_exception_matches_the_break_and_can_be_pasted(
    fields: dict[str, Any], matchers: dict[str, str]
) -> None:
    found = site(**fields)
    (line,) = told(observation(break_sites=(found,)), "max_graph_breaks")
    assert line.isprintable()
    function = {"function": found.function} if found.function else {}
    written = [{**matchers, **function, "because": "why it may stay"}]
    assert ast.literal_eval(line.partition("=")[2]) == written
    (allowed,) = parse_allowances(written, pytest.fail, kind="break")
    assert allowed.excuses(found)
    elsewhere = replace(found, file=found.file.replace(".py", "_too.py"))
    assert not allowed.excuses(elsewhere)


def test_what_cannot_be_excused_is_not_offered() -> None:
    seen = observation(fallbacks=(fallback(kind="nothing_compiled"),))
    assert told(seen, "fallback", "nothing_compiled", "max_graphs", "max_graph_breaks") == []
    assert told(None, "fallback", "max_graph_breaks", "max_recompiles") == []


def test_only_what_is_violated_is_offered() -> None:
    assert told(observation(break_sites=(site(),)), "max_recompiles") == []


def test_what_was_never_compiled_has_no_exception() -> None:
    violations = [violation("nothing_compiled", 0, 1), violation("fallback", 0, 1)]
    seen = observation(graphs=0, fallbacks=(fallback(kind="disabled"),))
    assert acceptance_section(record(*violations, observed=seen), violations) == []


def test_rebuilds_that_made_a_size_dynamic_have_a_word_of_their_own() -> None:
    automatic = change(automatic_dynamic=True)
    flag = change(cause="python_value", source="mode[0]")
    behind = change(source="<result of line 8: y = f(x)>")
    seen = observation(
        recompile_events=(
            recompile(changes=(automatic, change(source="y.size(0)", automatic_dynamic=True))),
            recompile(changes=(flag, behind)),
            recompile(changes=(flag,)),
        )
    )
    (line,) = told(seen, "max_recompiles")
    where, why = {"file": "model/mlp.py", "function": "forward"}, {"because": "why it may stay"}
    assert ast.literal_eval(line.partition("=")[2]) == [
        "automatic_dynamic",
        {"source": "mode[[]0]", **where, **why},
        {**where, **why},
    ]
