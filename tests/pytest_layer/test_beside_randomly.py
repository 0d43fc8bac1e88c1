"""Contracts that pytest-randomly shuffles, and whose seeds it sets."""

from __future__ import annotations

from pytest_layer.projects import Project, without_times

SUITE = """
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.step = 0

    def forward(self, x):
        self.step += 1
        return x * self.step

@pytest.fixture
def model():
    return Model()

@compile_contract(shapes=[(2, 3), (4, 3)], max_recompiles=5)
def test_sizes(model, x):
    return model(x)

@compile_contract(shapes=[(4, 3), (2, 3)], max_recompiles=5)
def test_other_sizes(model, x):
    return model(x)

@compile_contract(compiles="function", shapes=[(2, 3)], max_graph_breaks=1)
@pytest.mark.parametrize("function", [lambda x: x.sum().item() + torch.rand(1)])
def test_values(function, x):
    print(function(x))
"""


def test_no_order_and_no_seed_changes_what_is_seen(project: Project) -> None:
    project.tests(SUITE)
    plain = without_times(project.report(outcomes={"passed": 3}))
    project.beside = ("randomly",)
    orders = set()
    for seed in (1, 2, 3):
        result = project.run("--compilecheck-json=report.json", "-v", f"--randomly-seed={seed}")
        result.assert_outcomes(passed=3)
        ran = [line for line in result.outlines if "PASSED" in line]
        orders.add(tuple(line.split()[0] for line in ran))
        assert without_times(project.read_report()) == plain
    assert len(orders) > 1
