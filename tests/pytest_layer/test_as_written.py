"""Compiled code runs as its author wrote it; all other code keeps its rewritten asserts."""

from __future__ import annotations

import pytest

from pytest_compilecheck.observe.as_written import AsWritten
from pytest_layer.compiled_asserts import COMPILED
from pytest_layer.projects import Project, assert_shows

CONFTEST = """
import pytest

pytest.register_assert_rewrite("rewritten")

def helper(y):
    assert y.sum() >= 0
    return y + 1
"""


@pytest.mark.slow
def test_compiled_asserts(project: Project) -> None:
    project.file("conftest.py", CONFTEST)
    project.file("rewritten.py", CONFTEST)
    files = {f"test_{number}.py": where for number, where in enumerate(COMPILED)}
    for name, where in files.items():
        project.tests(COMPILED[where], name)
    contracts = project.report()["contracts"]
    assert len(contracts) == len(COMPILED)
    broken = {
        files[contract["id"].split("::")[0]]: (contract["violations"], contract["error"])
        for contract in contracts
        if contract["outcome"] != "passed"
    }
    assert broken == {}


@pytest.mark.parametrize("where", ["a closure from a fixture", "a module made in the fixture"])
def test_the_only_function_made_of_a_nested_code(project: Project, where: str) -> None:
    project.tests(COMPILED[where])
    project.run().assert_outcomes(passed=1)


def test_the_same_asserts_break_where_pytest_has_rewritten_them(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without this, the test above could not fail."""
    monkeypatch.setattr(AsWritten, "_look", lambda swap: None)
    project.tests(COMPILED["a helper"])
    (contract,) = project.report(outcomes={"failed": 1})["contracts"]
    assert len(contract["observed"]["break_sites"]) == 1


def test_what_is_not_compiled_keeps_rewritten_asserts(project: Project) -> None:
    project.tests(
        """
        def helper(n):
            assert n == 3, "three"
            return n

        rewritten = helper.__code__

        def test_before():
            helper(4)

        @compile_contract(shapes=[(2, 3)])
        def test_holds(x):
            return x + helper(3)

        @compile_contract(shapes=[(2, 3)])
        def test_raises(x):
            y = x + helper(3)
            raise ValueError

        @pytest.fixture
        def model():
            def inner(x):
                assert x.numel() == 6
                return x + helper(3)
            return inner

        @compile_contract(compiles="model", shapes=[(2, 3)])
        def test_body(model, x):
            model(x)
            helper(5)

        def test_after():
            assert helper.__code__ is rewritten
            helper(6)

        def test_function_of_a_contract_called_by_another():
            with pytest.raises(AssertionError, match="assert 7 == 3"):
                helper(7)
        """
    )
    result = project.run()
    result.assert_outcomes(passed=2, failed=4)
    for number in (4, 5, 6):
        result.stdout.fnmatch_lines(["*AssertionError: three", f"*assert {number} == 3"])


def test_what_a_region_runs_eagerly_keeps_its_meaning(project: Project) -> None:
    """Written code runs in a region; only the words of a failing assert are fewer."""
    project.tests(
        """
        @torch.compiler.disable
        def check(y):
            assert y.sum().item() == 99, "the sum"

        @compile_contract(shapes=[(2, 3)], max_graph_breaks=1)
        def test_it(x):
            y = x + 1
            check(y)
            return y
        """
    )
    result = project.run()
    result.assert_outcomes(failed=1)
    assert_shows(result, "> *assert y.sum().item() == 99", "AssertionError: the sum")


MANY = """
def test_of_{0}():
    assert {0} == {0}
"""


def test_a_warm_call_swaps_no_other_tests(project: Project) -> None:
    project.tests("".join(MANY.format(number) for number in range(50)), "test_many.py")
    project.tests(
        """
        import test_many

        def written(function):
            return "@pytest_ar" not in function.__code__.co_names

        def helper(x):
            assert x.numel() == 6, "six"
            return x

        def test_shared():
            assert helper

        class TestMethods:
            def test_it(self, compilecheck):
                def block(x):
                    assert x.numel() == 6
                    test_shared()
                    return helper(x) + 1
                def backend(graph, inputs):
                    met.append([each.__name__ for each in tests if written(each)])
                    return graph.forward
                met = []
                tests = [each for name, each in vars(test_many).items() if name[:5] == "test_"]
                tests += [helper, test_shared]
                assert len(tests) == 52
                with compilecheck.watch():
                    torch.compile(block, backend=backend)(torch.ones(2, 3))
                assert met == [["helper", "test_shared"]]
                assert not any(map(written, tests))
        """
    )
    project.run("test_many.py", "test_it.py").assert_outcomes(passed=52)


def test_without_rewriting(project: Project) -> None:
    project.tests(COMPILED["a helper"])
    (contract,) = project.report("--assert=plain", outcomes={"passed": 1})["contracts"]
    assert contract["observed"]["graphs"] == 1


def test_warm_calls_look_for_no_functions(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = []
    look = AsWritten._look
    monkeypatch.setattr(AsWritten, "_look", lambda swap: (looks.append(1), look(swap)))
    project.tests(
        """
        @pytest.fixture
        def model():
            return torch.nn.ReLU()

        @compile_contract(compiles="model", shapes=[(2, 3)], passes=3)
        def test_it(model, x):
            def inner(y):
                assert y.numel() == 6
                return model(y)
            for _ in range(10):
                inner(x)
        """
    )
    project.report(outcomes={"passed": 1})
    assert len(looks) <= 2 * 3  # for the `inner` of each pass, not for each of its calls
