"""What is said of a contract beside its row."""

from __future__ import annotations

from pytest_compilecheck.judge.record import ContractRecord
from pytest_compilecheck.observe.values.doubt import Doubt
from pytest_compilecheck.report.aside import aside_lines
from report.values import observation, record

DOUBT = Doubt(figures=("graphs",), why="torch does not tell")


def told(made: ContractRecord) -> list[str]:
    return [text for text, _ in aside_lines(made)]


def test_a_backward_that_nothing_compiled_is_said() -> None:
    asked = {"backward": True}
    (line,) = told(record(contract=asked, observed=observation(backward_graphs=0)))
    assert line == (
        "backward of tests/test_mlp.py::test_mlp: no graph was compiled for it; the backend 'eager'"
        " leaves it to autograd, name 'aot_eager' or 'inductor'"
    )
    assert told(record(contract=asked, observed=observation(backward_graphs=1))) == []
    assert told(record(contract=asked, observed=observation(doubts=(DOUBT,)))) == []
    assert told(record(contract={}, observed=observation(backward_graphs=0))) == []
    assert told(record(contract=asked, observed=None)) == []
