"""Variables of the environment that change torch, in processes of their own."""

from __future__ import annotations

import pytest

from pytest_layer.hostile.cases import KNOWN, KNOWN_COUNTS, figures
from pytest_layer.projects import Project

MORE = """

@pytest.fixture
def model():
    return torch.nn.ReLU()

@compile_contract(shapes=[(3,)], compiles="model")
def test_model(model, x):
    model(x)

@compile_contract(watch_only=True)
def test_only(model):
    torch.compile(model, backend="eager")(torch.ones(3))
"""


@pytest.mark.slow
def test_torchs_own_logs_and_trace_beside_the_watch(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TORCH_LOGS", "+dynamo,graph_breaks,recompiles,guards")
    monkeypatch.setenv("TORCH_TRACE", str(project.path / "trace"))
    project.tests(KNOWN + MORE)
    report = project.report_apart(outcomes={"passed": 3})
    assert figures(report["contracts"][0]) == KNOWN_COUNTS
    assert list((project.path / "trace").iterdir())


@pytest.mark.slow
def test_everything_is_switched_off(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCHDYNAMO_DISABLE", "1")
    project.tests(KNOWN + MORE)
    known, model, only = project.report_apart(outcomes={"failed": 3})["contracts"]
    for record in (known, model):
        assert {each["kind"] for each in record["observed"]["fallbacks"]} == {"disabled"}
        assert {each["kind"] for each in record["observed"]["timeline"]} == {"fallback"}
    assert [each["bound"] for each in only["violations"]] == ["nothing_compiled"]
