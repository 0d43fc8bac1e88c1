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


def test_skip_and_xfail(project: Project) -> None:
    project.tests(
        """
        from pytest_compilecheck.judge.violation import ContractViolation

        def breaking(x):
            print()
            return x + 1

        @pytest.mark.skip
        @compile_contract(shapes=[(2, 8)])
        def test_skip(x):
            return breaking(x)

        @pytest.mark.skipif("True", reason="as asked")
        @compile_contract(shapes=[(2, 8)])
        def test_skipif(x):
            return breaking(x)

        @pytest.mark.xfail(strict=True)
        @compile_contract(shapes=[(2, 8)])
        def test_xfail(x):
            return breaking(x)

        @pytest.mark.xfail(raises=ContractViolation, strict=True)
        @compile_contract(shapes=[(2, 8)])
        def test_violation_expected(x):
            return breaking(x)

        @pytest.mark.xfail(raises=ContractViolation, strict=True)
        @compile_contract(shapes=[(2, 8)])
        def test_another_error(x):
            y = x + 1
            raise ValueError

        @pytest.mark.xfail(raises=ContractViolation, strict=True)
        @compile_contract(shapes=[(2, 8)])
        def test_unexpected_pass(x):
            return x + 1

        @pytest.mark.xfail(run=False)
        @compile_contract(shapes=[(2, 8)])
        def test_not_run(x):
            return breaking(x)
        """
    )
    contracts = by_name(project.report(outcomes={"skipped": 2, "xfailed": 3, "failed": 2}))
    assert {name: contract["outcome"] for name, contract in contracts.items()} == {
        "test_skip": "skipped",
        "test_skipif": "skipped",
        "test_xfail": "xfailed",
        "test_violation_expected": "xfailed",
        "test_another_error": "failed",
        "test_unexpected_pass": "failed",
        "test_not_run": "xfailed",
    }
    seen = {name for name, contract in contracts.items() if contract["observed"] is not None}
    assert seen == set(contracts) - {"test_skip", "test_skipif", "test_not_run"}


def test_marks_and_fixtures_of_others(project: Project) -> None:
    project.file("pytest.ini", "[pytest]\nmarkers = slow\n")
    project.tests(
        """
        from unittest import mock

        class Config:
            scale = 1

        @pytest.mark.slow
        @pytest.mark.timeout(60)
        @pytest.mark.usefixtures("tmp_path")
        @pytest.mark.filterwarnings("error")
        @compile_contract(shapes=[(2, 8)])
        def test_marks(x):
            return x + 1

        @compile_contract(shapes=[(2, 8)], compiles="model")
        @mock.patch.object(Config, "scale", 3)
        def test_patched(model, x):
            assert model(x).shape == (2, 8)
            assert Config.scale == 3

        @compile_contract(shapes={"x": [(2, 8)]}, compiles="model")
        @mock.patch.object(Config, "scale")
        def test_patched_with_an_argument(scale, model, x):
            model(x)
            assert Config.scale is scale

        @pytest.fixture
        def model():
            return torch.nn.ReLU()

        @pytest.fixture(autouse=True)
        def around():
            yield

        @compile_contract(shapes=[(2, 8)], compiles="model", passes=1)
        def test_capture(model, capsys, caplog, recwarn, monkeypatch, x):
            import logging, warnings

            print("said")
            logging.getLogger("mine").warning("logged")
            warnings.warn("warned")
            model(x)
            assert capsys.readouterr().out == "said\\n"
            assert caplog.messages[-1:] == ["logged"]
            assert "warned" in [str(warning.message) for warning in recwarn]
        """
    )
    result = project.run("--strict-markers")
    result.assert_outcomes(passed=4)
    project.run("-m", "slow").assert_outcomes(passed=1, deselected=3)


def test_marks_that_come_after_collection(project: Project) -> None:
    project.file(
        "conftest.py",
        """
        import pytest

        def pytest_collection_modifyitems(items):
            for item in items:
                item.add_marker(pytest.mark.compile_contract(max_graph_breaks=0))
        """,
    )
    project.tests(
        """
        def test_holds():
            return torch.ones(3) + 1

        @compile_contract(seed=3)
        def test_has_its_own():
            return torch.ones(3) + 1

        def test_breaks():
            print()
            return torch.ones(3) + 1
        """
    )
    contracts = by_name(project.report(outcomes={"passed": 2, "failed": 1}))
    assert contracts["test_has_its_own"]["contract"]["seed"] == 3


def test_a_mark_that_a_fixture_adds(project: Project) -> None:
    project.tests(
        """
        @pytest.fixture
        def added(request):
            request.applymarker(pytest.mark.compile_contract(max_graph_breaks=0))

        def test_it(added):
            print()
            torch._dynamo.config.recompile_limit = 3
            return torch.ones(3) + 1
        """
    )
    (contract,) = project.report(outcomes={"failed": 1})["contracts"]
    assert [each["bound"] for each in contract["violations"]] == ["max_graph_breaks"]
    assert len(contract["leaks"]) == 1


@pytest.mark.parametrize("fields", ["max_graph_breaks=-1", "shapes=[(2, 8)]"])
def test_a_faulty_mark_that_comes_after_collection(project: Project, fields: str) -> None:
    project.file(
        "conftest.py",
        f"""
        import pytest

        def pytest_collection_modifyitems(items):
            items[0].add_marker(pytest.mark.compile_contract({fields}))
        """,
    )
    project.tests("def test_it(): pass\ndef test_plain(): pass")
    result = project.run("--compilecheck-json=report.json")
    result.stdout.no_fnmatch_line("*INTERNALERROR*")
    result.assert_outcomes(errors=1, passed=1)
    result.stdout.fnmatch_lines("*1 fault in the compile contract of test_it*")


def test_a_mark_on_what_is_no_test_function(project: Project) -> None:
    project.file(
        "conftest.py",
        """
        import pytest

        def pytest_collection_modifyitems(items):
            for item in items:
                item.add_marker(pytest.mark.compile_contract())
        """,
    )
    project.file("test_it.py", '"""\n>>> 1 + 1\n2\n"""')
    project.run("--doctest-modules").assert_outcomes(passed=1)


def test_a_test_that_is_run_again(project: Project) -> None:
    """As plugins do with failed tests: what counts is the last run."""
    project.file(
        "conftest.py",
        """
        from _pytest.runner import runtestprotocol

        def pytest_runtest_protocol(item, nextitem):
            runtestprotocol(item, nextitem=nextitem)
            item._initrequest()
            runtestprotocol(item, nextitem=nextitem)
            return True
        """,
    )
    project.tests(
        """
        runs = []

        @pytest.fixture
        def number():
            runs.append(1)
            if len(runs) == 2:
                raise ValueError
            return len(runs)

        @compile_contract(shapes=[(2, 8)])
        def test_it(number, x):
            return x + 1
        """
    )
    (contract,) = project.report()["contracts"]
    assert (contract["outcome"], contract["observed"]) == ("error", None)
