from __future__ import annotations

from baseline.values import BREAK, CONTRACT, FALLBACK, RECOMPILES

from pytest_compilecheck.judge.findings import Finding
from pytest_compilecheck.report.finding_text import finding_text


def test_a_finding_is_named_by_what_and_where() -> None:
    assert finding_text(BREAK) == "graph break GB0170 in inner, model/mlp.py"
    assert finding_text(FALLBACK) == "fallback recompile_limit in forward, model/mlp.py"
    assert finding_text(RECOMPILES) == "max_recompiles"
    assert finding_text(Finding(CONTRACT, "dynamic_dims", cause="S")) == "dynamic_dims S"
    assert "\n" not in finding_text(Finding("a", "graph_break", "m\n.py", "f", "one\ntwo"))


def test_reasons_stand_behind_their_ids() -> None:
    told = "graph break GB0170 Data-dependent branching in inner, model/mlp.py"
    assert finding_text(BREAK, {"GB0170": "Data-dependent branching"}) == told
    assert finding_text(BREAK, {"GB0059": "Call to print"}) == finding_text(BREAK)
