"""No contract sees what another left behind, and plain tests are left alone."""

from __future__ import annotations

import pytest

from pytest_layer.projects import Project, without_times

HEAD = """
import logging
import torch._dynamo.config as dynamo
import torch._inductor.config as inductor

LIMIT = dynamo.recompile_limit

@pytest.fixture
def model():
    return torch.nn.ReLU()
"""


FIVE = """
@pytest.fixture(scope="module")
def five():
    dynamo.recompile_limit = 5
    yield
    dynamo.recompile_limit = LIMIT
"""


def leaks_by_test(project: Project, *arguments: str) -> dict[str, list[str]]:
    contracts = project.report(*arguments)["contracts"]
    return {contract["id"].split("::")[1]: contract["leaks"] for contract in contracts}


LEAKS = {
    "dynamo.recompile_limit = 3": ("torch._dynamo.config.recompile_limit = 3", "8"),
    "inductor.max_autotune = True": ("torch._inductor.config.max_autotune = True", "False"),
    "dynamo.reorderable_logging_functions.add(print)": (
        "torch._dynamo.config.reorderable_logging_functions = {<built-in function print>}",
        "set()",
    ),
    "torch.compiler.set_stance('eager_on_recompile')": ("torch.compiler stance = ", "DynamoStance"),
    "logging.getLogger('torch._dynamo').setLevel(50)": ("logger torch._dynamo = (50, ", "(0, "),
    "torch._logging.set_logs(recompiles=True)": ("torch._logging settings = ", "({}, "),
    "torch.set_default_dtype(torch.float64)": ("default dtype = torch.float64", "torch.float32"),
    "torch.set_default_device('meta')": ("default device = device(type='meta')", "None"),
}


def test_a_setting_that_a_test_leaves_changed_is_told_and_put_back(project: Project) -> None:
    body = """
@compile_contract(compiles="model", values={{"n": [3]}}, max_recompiles=None, passes=1)
def test_{number}(model, n):
    model(torch.ones(n))
    {leak}
"""
    project.tests(
        HEAD
        + "".join(body.format(number=number, leak=leak) for number, leak in enumerate(LEAKS))
        + """
def test_after():
    assert dynamo.recompile_limit == LIMIT
    assert not inductor.max_autotune
    assert not dynamo.reorderable_logging_functions
    assert torch.get_default_dtype() is torch.float32
    assert torch.ones(1).device.type == "cpu"
    assert logging.getLogger("torch._dynamo").level == logging.NOTSET
    assert not logging.getLogger("torch._dynamo.guards.__recompiles").isEnabledFor(logging.DEBUG)
"""
    )
    result = project.run("--compilecheck-json=report.json")
    result.assert_outcomes(passed=len(LEAKS) + 1)
    contracts = project.read_report()["contracts"]
    for contract, (leaked, before) in zip(contracts, LEAKS.values(), strict=True):
        (told,) = contract["leaks"]
        assert told.startswith(f"{contract['id']} left {leaked}")
        assert f"(was {before}" in told
        assert told.endswith("put back")
        assert f"setting leaked: {told}" in result.outlines


@pytest.mark.parametrize(
    ("end", "outcome"), [("raise ValueError", "failed"), ("pytest.skip()", "skipped")]
)
def test_a_test_that_does_not_pass_leaks_too(project: Project, end: str, outcome: str) -> None:
    project.tests(
        HEAD
        + f"""
@compile_contract(compiles="model", shapes=[(2, 3)])
def test_leaks(model, x):
    dynamo.recompile_limit = 3
    {end}

def test_after():
    assert dynamo.recompile_limit == LIMIT
"""
    )
    leaks = leaks_by_test(project)
    assert [len(told) for told in leaks.values()] == [1]
    assert project.read_report()["contracts"][0]["outcome"] == outcome


def test_what_is_put_back_by_its_owner_is_no_leak(project: Project) -> None:
    project.tests(
        HEAD
        + """
@pytest.fixture(scope="module")
def five():
    dynamo.recompile_limit = 5
    yield
    assert dynamo.recompile_limit == 5
    dynamo.recompile_limit = LIMIT

@compile_contract(compiles="model", shapes=[(2, 3)])
def test_monkeypatch(monkeypatch, model, x):
    monkeypatch.setattr(dynamo, "recompile_limit", 3)
    assert dynamo.recompile_limit == 3
    model(x)

def test_after_monkeypatch():
    assert dynamo.recompile_limit == LIMIT

@compile_contract(compiles="model", shapes=[(2, 3)])
def test_patch(model, x):
    with dynamo.patch(recompile_limit=3):
        model(x)

@compile_contract(compiles="model", shapes=[(2, 3)])
def test_first_user_of_a_module_fixture(five, model, x):
    assert dynamo.recompile_limit == 5
    model(x)

@compile_contract(compiles="model", shapes=[(2, 3)], passes=1)
def test_second_user_of_a_module_fixture(five, model, x):
    assert dynamo.recompile_limit == 5
    model(x)
    dynamo.recompile_limit = 7

def test_a_plain_user_of_it(five):
    assert dynamo.recompile_limit == 5
"""
    )
    leaks = leaks_by_test(project)
    leaking = "test_second_user_of_a_module_fixture"
    assert [name for name, told in leaks.items() if told] == [leaking]
    assert "recompile_limit = 7 (was 5)" in leaks[leaking][0]
    assert all(contract["outcome"] == "passed" for contract in project.read_report()["contracts"])


def test_a_first_user_that_overwrites_what_a_module_fixture_set(project: Project) -> None:
    project.tests(
        HEAD
        + FIVE
        + """
@compile_contract(compiles="model", shapes=[(2, 3)])
def test_leaks(five, model, x):
    model(x)
    dynamo.recompile_limit = 7

def test_after(five):
    assert dynamo.recompile_limit == 5
"""
    )
    project.run().assert_outcomes(passed=2)


def test_fixtures_of_wider_scope_end_at_a_contract(project: Project) -> None:
    """What they put back is nobody's leak, and is not put back to what they had set."""
    project.tests(
        HEAD
        + FIVE
        + """
class TestIt:
    @pytest.fixture(scope="class")
    def four(self, five):
        dynamo.recompile_limit = 4
        yield
        dynamo.recompile_limit = 5

    @compile_contract(compiles="model", shapes=[(2, 3)])
    def test_first(self, four, model, x):
        model(x)

    @compile_contract(compiles="model", shapes=[(2, 3)])
    def test_last(self, four, model, x):
        assert dynamo.recompile_limit == 4
        model(x)

@compile_contract(compiles="model", shapes=[(2, 3)])
def test_after_the_class(five, model, x):
    assert dynamo.recompile_limit == 5
    model(x)
"""
    )
    project.tests(
        HEAD + "def test_after():\n    assert dynamo.recompile_limit == LIMIT\n", "test_z.py"
    )
    project.run().assert_outcomes(passed=4)
    assert not any("leaked" in line for line in project.run().outlines)


def test_a_fixture_of_the_test_itself_leaks_too(project: Project) -> None:
    project.tests(
        HEAD
        + """
@pytest.fixture
def three():
    dynamo.recompile_limit = 3

@compile_contract(compiles="model", shapes=[(2, 3)])
def test_leaks(three, model, x):
    model(x)

def test_after():
    assert dynamo.recompile_limit == LIMIT
"""
    )
    result = project.run()
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["setting leaked: *left torch._dynamo.config.recompile_limit = 3*"])


def test_plain_tests_are_left_alone(project: Project) -> None:
    """Neither their settings nor their compile cache: only contracts start from an empty one."""
    project.tests(
        HEAD
        + """
compiled = []

@torch.compile(backend=lambda graph, inputs: compiled.append(graph) or graph.forward)
def function(x):
    return x + 1

def test_one():
    dynamo.recompile_limit = 3
    function(torch.ones(3))

def test_two():
    assert dynamo.recompile_limit == 3
    dynamo.recompile_limit = LIMIT
    function(torch.ones(3))
    assert len(compiled) == 1
"""
    )
    result = project.run()
    result.assert_outcomes(passed=2)
    result.stdout.no_fnmatch_line("*leaked*")
    result.stdout.no_fnmatch_line("*compile contracts*")


ORDER = """
import torch._dynamo.config as dynamo

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return x * self.calls

@pytest.fixture
def counting():
    return Model()

@pytest.fixture(scope="module")
def shared():
    return torch.nn.Linear(3, 3)

@pytest.fixture
def small_limit():
    with dynamo.patch(recompile_limit=3):
        yield

def scaled(x, n):
    return x * n

@compile_contract(shapes={"x": "B 3"}, dims={"B": [2, 4, 5]})
def test_sizes(x):
    return scaled(x, 2)

@compile_contract(shapes=[(2, 3)])
def test_break(x):
    print("break")
    return scaled(x, 2)

@compile_contract(shapes=[(2, 3)], passes=5)
def test_limit(small_limit, counting, x):
    return counting(x)

@compile_contract(shapes=[(2, 3)], compiles="shared", max_recompiles=1)
def test_leaks(shared, x):
    shared(x)
    dynamo.specialize_float = not dynamo.specialize_float
    torch.set_grad_enabled(False)

@compile_contract(shapes=[(2, 3)], compiles="shared")
def test_shared(shared, x):
    assert shared(x).requires_grad

@compile_contract(watch_only=True)
def test_watched():
    torch.compile(scaled, backend="eager")(torch.ones(3), 2.5)

def test_plain():
    torch.compile(scaled, backend="eager")(torch.ones(3), 2)
    torch.compile(scaled, backend="eager")(torch.ones(4), 2.5)
"""


@pytest.mark.slow
def test_order_does_not_matter(project: Project) -> None:
    project.tests(ORDER)
    in_order = without_times(project.report()["contracts"])
    assert len(in_order) == 6
    shuffled = project.report("-p", "randomly", "--randomly-seed=1")
    assert without_times(shuffled["contracts"]) == in_order
    for contract in in_order[1:4:2]:
        alone = project.report(contract["id"])
        assert without_times(alone["contracts"]) == [contract]
    project.run_apart("--compilecheck-json=report.json", "-p", "randomly", "--randomly-seed=2")
    assert without_times(project.read_report()["contracts"]) == in_order
