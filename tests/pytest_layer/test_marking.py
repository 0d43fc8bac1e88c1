"""What makes a test a contract, and what else may stand beside it."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_layer.projects import Project


def by_name(report: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {each["id"].partition("::")[2]: each for each in report["contracts"]}


def test_decorator_and_marker_give_the_same_contract(project: Project) -> None:
    project.tests(
        """
        fields = dict(shapes={"x": "B 8"}, dims={"B": [2, 3]}, max_graph_breaks=1, max_recompiles=1)

        @compile_contract(**fields)
        def test_decorated(x):
            return x.relu()

        @pytest.mark.compile_contract(**fields)
        def test_marked(x):
            return x.relu()
        """
    )
    decorated, marked = project.report(outcomes={"passed": 2})["contracts"]
    assert decorated["contract"] == marked["contract"]
    assert marked["contract"]["max_recompiles"] == 1
    sizes = [entry["sizes"] for entry in marked["observed"]["timeline"]]
    assert sizes == [{"x": [2, 8]}, {"x": [3, 8]}] * 2


@pytest.mark.slow
def test_fixtures_methods_and_parameters(project: Project) -> None:
    project.tests(
        """
        @pytest.fixture
        def model():
            return torch.nn.Linear(8, 4)

        @pytest.fixture(scope="module")
        def shared():
            return torch.nn.Linear(8, 4)

        @pytest.fixture
        def sized(request):
            return torch.nn.Linear(8, request.param)

        # `shapes` without a name means the one argument that nothing else makes.
        @compile_contract(shapes=[(2, 8)])
        def test_function(model, x):
            return model(x)

        @compile_contract(shapes=[(2, 8)])
        def test_module_fixture(shared, x):
            return shared(x)

        @compile_contract(shapes=[(2, 8)], compiles="shared")
        def test_the_same_fixture_again(shared, request, tmp_path, x):
            assert shared(x).shape == (2, 4) and tmp_path.exists()

        @compile_contract(shapes={"x": [(2, 8)]})
        def test_defaults(x=None, *, y=3):
            return x * y

        class TestMethods:
            bias = 3

            @pytest.fixture
            def scale(self):
                return 2.0

            @compile_contract(shapes=[(2, 8)])
            def test_method(self, model, scale, x):
                return model(x) * scale + self.bias

            @compile_contract(shapes=[(2, 8)])
            @staticmethod
            def test_static(x):
                return x + 1

            @compile_contract(shapes=[(2, 8)])
            @classmethod
            def test_class(cls, x):
                return x + cls.bias

        @pytest.mark.parametrize("m", [1, 2], ids="m{}".format)
        @pytest.mark.parametrize(("n", "k"), [(3, 4)])
        @compile_contract(shapes=[(2, 8)])
        def test_stacked(x, n, m, k):
            return x * n + m - k

        @pytest.mark.parametrize("sized", [3, 4], indirect=True)
        @compile_contract(shapes=[(2, 8)], compiles="sized")
        def test_indirect(sized, x):
            assert sized(x).shape[1] in (3, 4)

        @compile_contract()
        def test_no_inputs(model):
            return model(torch.ones(2, 8))
        """
    )
    contracts = by_name(project.report(outcomes={"passed": 12}))
    assert set(contracts) == {
        "test_function",
        "test_module_fixture",
        "test_the_same_fixture_again",
        "test_defaults",
        "TestMethods::test_method",
        "TestMethods::test_static",
        "TestMethods::test_class",
        "test_stacked[3-4-m1]",
        "test_stacked[3-4-m2]",
        "test_indirect[3]",
        "test_indirect[4]",
        "test_no_inputs",
    }
    assert {contract["observed"]["graphs"] for contract in contracts.values()} == {1}


@pytest.mark.slow
def test_contracts_of_single_parameters(project: Project) -> None:
    project.file(
        "conftest.py",
        """
        import pytest

        def pytest_generate_tests(metafunc):
            if "made" in metafunc.fixturenames:
                marks = pytest.mark.compile_contract(seed=5)
                metafunc.parametrize("made", [1, pytest.param(2, marks=marks)])
        """,
    )
    project.tests(
        """
        contract = pytest.mark.compile_contract

        @pytest.mark.parametrize(
            "n",
            [1, pytest.param(2, marks=contract(seed=2)), pytest.param(3, marks=contract(seed=3))],
        )
        @pytest.mark.parametrize("m", [0, pytest.param(1, marks=contract(threads=1))])
        @compile_contract(shapes=[(2, 8)], seed=1)
        def test_beside_one_of_the_function(n, m, x):
            return x * n + m

        @pytest.mark.parametrize("n", [1, pytest.param(2, marks=contract(passes=3))])
        def test_alone(n):
            torch.ones(3) * n

        @pytest.mark.parametrize("n", [pytest.param(2, marks=contract(shapes=[(4, 8)]))])
        def test_with_inputs(n, x):
            return x * n

        @compile_contract(seed=4)
        def test_of_a_plugin(made):
            return torch.ones(3) * made
        """
    )
    contracts = by_name(project.report(outcomes={"passed": 11}))
    name = "test_beside_one_of_the_function"
    fields = {
        key.removeprefix(name): (each["contract"]["seed"], each["contract"]["threads"])
        for key, each in contracts.items()
        if key.startswith(name)
    }
    assert fields == {
        "[0-1]": (1, None),
        "[0-2]": (2, None),
        "[0-3]": (3, None),
        "[1-1]": (1, 1),
        "[1-2]": (2, 1),
        "[1-3]": (3, 1),
    }
    assert "test_alone[1]" not in contracts
    assert contracts["test_alone[2]"]["contract"]["passes"] == 3
    assert contracts["test_with_inputs[2]"]["observed"]["timeline"][0]["sizes"] == {"x": [4, 8]}
    seeds = [contracts[f"test_of_a_plugin[{n}]"]["contract"]["seed"] for n in (1, 2)]
    assert seeds == [4, 5]


@pytest.mark.slow
def test_layers_merge_field_by_field_and_the_nearest_wins(project: Project) -> None:
    project.file(
        "pytest.ini",
        """
        [pytest]
        compilecheck_defaults =
            max_recompiles = 7
            passes = 3
            seed = 5
        """,
    )
    project.tests(
        """
        contract = pytest.mark.compile_contract
        pytestmark = [contract(shapes=[(2, 8)], max_graph_breaks=1, threads=1), contract(seed=6)]

        def test_module(x):
            return x + 1

        @compile_contract(max_graph_breaks=2)
        def test_decorated(x):
            return x + 1

        @contract(max_graph_breaks=3, seed=1)
        class TestOuter:
            def test_class(self, x):
                return x + 1

            @contract(max_graph_breaks=4, passes=1)
            def test_method(self, x):
                return x + 1

            @compile_contract(seed=2)
            @contract(max_graph_breaks=4, passes=1, seed=9)
            def test_decorator_over_mark(self, x):
                return x + 1

            @contract(seed=8)
            class TestInner:
                def test_inner(self, x):
                    return x + 1

        @contract(seed=90)
        class TestDerived(TestOuter):
            pass
        """
    )
    contracts = by_name(project.report(outcomes={"passed": 10}))
    names = ("max_graph_breaks", "max_recompiles", "passes", "seed", "threads")
    fields = {
        key: tuple(contract["contract"][name] for name in names)
        for key, contract in contracts.items()
        if not key.startswith("TestDerived::test_")
    }
    assert fields == {
        "test_module": (1, 7, 3, 6, 1),
        "test_decorated": (2, 7, 3, 6, 1),
        "TestOuter::test_class": (3, 7, 3, 1, 1),
        "TestOuter::test_method": (4, 7, 1, 1, 1),
        "TestOuter::test_decorator_over_mark": (4, 7, 1, 2, 1),
        "TestOuter::TestInner::test_inner": (3, 7, 3, 8, 1),
        "TestDerived::TestInner::test_inner": (3, 7, 3, 8, 1),
    }
    derived = contracts["TestDerived::test_class"]["contract"]
    assert (derived["max_graph_breaks"], derived["seed"]) == (3, 90)


def test_defaults_of_the_project_make_no_contract(project: Project) -> None:
    project.file("pytest.ini", "[pytest]\ncompilecheck_defaults =\n    seed = 5\n")
    project.tests("def test_plain(): pass")
    assert project.report(outcomes={"passed": 1})["contracts"] == []
