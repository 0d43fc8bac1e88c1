"""Decorators that hold what a report saw."""

from __future__ import annotations

import ast
from typing import Any

import pytest
from report.values import entry, fallback, observation, record, run, site

from pytest_compilecheck.observe.assembly.doubtful import with_doubts
from pytest_compilecheck.observe.values.doubt import Doubt
from pytest_compilecheck.report.suggested.suggest import suggestions

WHY = "as it was when the contract was written"
IN_FILE = f"""\
#  max_graph_breaks: 1
#  max_recompiles: 2
#  allow_fallbacks:
#    - kind: recompile_limit
#      file: model/mlp.py
#      function: forward
#      because: {WHY}
"""


@pytest.mark.parametrize(
    ("nodeid", "seen", "written"),
    [
        (
            "tests/test_mlp.py::Test::test_mlp[3.5]",
            {"break_sites": (site(),)},
            "@compile_contract(backend='inductor', max_graph_breaks=1)\ndef test_mlp(...): ...\n",
        ),
        (
            "lib/blocks.py::Block.forward",
            {},
            "@compile_contract(backend='inductor')\ndef forward(...): ...\n",
        ),
        (
            "contracts/mlp.contract.yaml::forward[float32-auto]",
            {"break_sites": (site(),), "recompiles": 2, "fallbacks": (fallback(),)},
            IN_FILE,
        ),
        (
            "contracts/mlp.contract.yaml::forward",
            {},
            "#  (the default bounds hold it)\n",
        ),
    ],
    ids=["a test", "library code", "a file", "a file that needs nothing"],
)
def test_a_contract_is_written_as_its_home_has_it(
    nodeid: str, seen: dict[str, Any], written: str
) -> None:
    contract = {"backend": "inductor", "passes": 2, "watch_only": False, "compiles": None}
    held = record(id=nodeid, observed=observation(**seen), contract=contract)
    text = suggestions(run(held))
    assert text == f"from pytest_compilecheck import compile_contract\n\n# {nodeid}\n{written}"


def test_cases_that_need_the_same_share_a_decorator() -> None:
    breaks = observation(break_sites=(site(),))
    cases = [("a", breaks), ("b", observation(break_sites=())), *((n, breaks) for n in "cdef")]
    text = suggestions(run(*(record(id=f"t.py::test_it[{n}]", observed=o) for n, o in cases)))
    _, several, one = text.split("\n\n")
    assert several == (
        "# t.py::test_it[a]\n# t.py::test_it[c]\n# t.py::test_it[d]\n# and 2 more cases\n"
        "@compile_contract(max_graph_breaks=1)\ndef test_it(...): ..."
    )
    assert one == "# t.py::test_it[b]\n@compile_contract()\ndef test_it(...): ...\n"


def test_nothing_is_written_from_figures_that_are_unknown() -> None:
    seen = with_doubts(observation(), (Doubt(("recompiles",), "torch told of none"),))
    text = suggestions(run(record(id="tests/test_mlp.py::test_mlp", observed=seen)))
    assert "# no bounds: torch told of none\n" in text
    assert "@compile_contract" not in text


@pytest.mark.parametrize(
    "nodeid",
    [
        "t.py::test_a\nimport os",
        "t.py::test_a(x=print('run')): ...  #",
        "t.yaml::a\nimport os",
        "\u2028import os::test\x0cimport os",
    ],
)
def test_an_id_is_no_code(nodeid: str) -> None:
    """Who takes the text into a file runs it, and a report may come from anywhere."""
    seen = observation(break_sites=(site(),))
    text = suggestions(run(record(id=nodeid, observed=seen, contract={"backend": nodeid})))
    code = ast.parse(text.replace("(...): ...", "(): ...").replace("# def", "def f(): ...  #"))
    functions = [each for each in code.body if isinstance(each, ast.FunctionDef)]
    others = [each for each in code.body if each not in functions]
    assert list(map(type, others)) == [ast.ImportFrom]
    for function in functions:
        (decorator,) = function.decorator_list
        assert isinstance(decorator, ast.Call)
        assert ast.unparse(decorator.func) == "compile_contract"
        assert not function.args.defaults


def test_what_no_contract_can_hold_is_said_and_not_written() -> None:
    timeline = (entry(0, "fallback"),)
    eager = record(observed=observation(graphs=0, captured_ops=0, timeline=timeline))
    assert "# no contract can hold it: no graph was compiled" in suggestions(run(eager))
    unsure = record(observed=observation(problems=("a thread was still in a call",)))
    told = suggestions(run(unsure))
    assert "# no contract holds it as it is: a thread was still in a call" in told
    assert "@compile_contract" not in told
