"""Contracts on methods of unittest.TestCase: watch_only works, all else is an error."""

from __future__ import annotations

import pytest

from pytest_layer.projects import Project

CASES = """
import unittest

def breaking(x):
    print("break")
    return x + 1

class TestIt(unittest.TestCase):
    def setUp(self):
        self.model = torch.compile(torch.nn.Linear(3, 3), backend="eager")

    @compile_contract(watch_only=True)
    def test_holds(self):
        self.assertEqual(self.model(torch.ones(2, 3)).shape, (2, 3))

    @compile_contract(watch_only=True)
    def test_breaks(self):
        torch.compile(breaking, backend="eager")(torch.ones(3))

    @compile_contract(watch_only=True)
    def test_own_assertion(self):
        assert self.model(torch.ones(2, 3)).shape == (2, 4)

    @pytest.mark.compile_contract(watch_only=True, max_recompiles=1)
    def test_marked(self):
        self.model(torch.ones(2, 3))
        self.model(torch.ones(4, 3))

    @compile_contract(watch_only=True)
    def test_compiles_nothing(self):
        pass

    @compile_contract(watch_only=True)
    def test_skips_itself(self):
        self.model(torch.ones(2, 3))
        self.skipTest("later")

    @unittest.expectedFailure
    @compile_contract(watch_only=True)
    def test_expected_failure(self):
        self.model(torch.ones(2, 3))
        self.fail()

    def test_plain(self):
        pass

class TestAsync(unittest.IsolatedAsyncioTestCase):
    @compile_contract(watch_only=True)
    async def test_async(self):
        torch.compile(breaking, backend="eager")(torch.ones(3))
"""


def test_watch_only(project: Project) -> None:
    project.tests(CASES)
    result = project.run("--compilecheck-json=report.json")
    result.assert_outcomes(passed=3, failed=4, skipped=1, xfailed=1)
    contracts = {each["id"].split("::")[-1]: each for each in project.read_report()["contracts"]}
    assert {name: each["outcome"] for name, each in contracts.items()} == {
        "test_holds": "passed",
        "test_breaks": "failed",
        "test_own_assertion": "failed",
        "test_marked": "passed",
        "test_compiles_nothing": "failed",
        "test_skips_itself": "skipped",
        "test_expected_failure": "xfailed",
        "test_async": "failed",
    }
    assert contracts["test_breaks"]["observed"]["break_sites"][0]["code"] == 'print("break")'
    assert contracts["test_own_assertion"]["violations"] == []
    assert contracts["test_marked"]["observed"]["recompiles"] == 1
    result.stdout.fnmatch_lines(
        [
            "1 graph break, 0 allowed*",
            "nothing was compiled*",
            "E * assert torch.Size(*2, 3*) == (2, 4)",
            "*what torch.compile did until then*",
        ]
    )


def test_eagerly_they_are_ordinary(project: Project) -> None:
    project.tests(CASES)
    project.run(check=False).assert_outcomes(passed=6, failed=1, skipped=1, xfailed=1)


def test_watch_only_may_come_from_further_away(project: Project) -> None:
    project.file("pytest.ini", "[pytest]\ncompilecheck_defaults =\n    max_graph_breaks = 1\n")
    project.tests(
        """
        import unittest

        pytestmark = pytest.mark.compile_contract(watch_only=True)

        class TestIt(unittest.TestCase):
            def test_it(self):
                torch.compile(lambda x: x + 1, backend="eager")(torch.ones(3))
        """
    )
    (contract,) = project.report(outcomes={"passed": 1})["contracts"]
    assert contract["contract"]["max_graph_breaks"] == 1


FAULTY = {
    "@compile_contract()": "*test_it.py:7: unittest calls its methods itself*watch_only=True*",
    "@compile_contract(shapes=[(2, 3)])": "*test_it.py:7: unittest calls its methods itself*",
    "@compile_contract(compiles='model')": "*test_it.py:7: unittest calls its methods itself*",
    "@pytest.mark.compile_contract(seed=3)": "*test_it.py:7: unittest calls its methods itself*",
    "@compile_contract(watch_only=True, max_graph_breaks=-1)": "*test_it.py:7: max_graph_breaks:*",
    "@compile_contract(watch_only=True, shapes=[(2, 3)])": "*test_it.py:7: shapes:*",
    "@compile_contract(watch_only=True, backend='inductor')": "*test_it.py:7: backend:*",
}


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize("decorator", FAULTY)
def test_all_else_is_an_error_at_collection(project: Project, decorator: str, check: bool) -> None:
    project.tests(
        f"""
        import unittest

        class TestIt(unittest.TestCase):
            {decorator}
            def test_it(self):
                pass
        """
    )
    result = project.run(check=check)
    result.assert_outcomes(errors=1)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    text = result.stdout.str()
    result.stdout.fnmatch_lines(["1 fault in the compile contract of TestIt.test_it"])
    result.stdout.fnmatch_lines([FAULTY[decorator], f"      {decorator}"])
    assert "Traceback" not in text
    assert text.count("fault in the compile contract") == 2  # the error and its short line


@pytest.mark.parametrize("where", ["class", "module"])
def test_a_mark_around_the_methods(project: Project, where: str) -> None:
    mark = "pytest.mark.compile_contract(max_graph_breaks=1)"
    on_module = f"pytestmark = {mark}" if where == "module" else ""
    on_class = f"@{mark}" if where == "class" else ""
    project.tests(
        f"""
        import unittest
        {on_module}

        {on_class}
        class TestIt(unittest.TestCase):
            def test_it(self):
                pass
        """
    )
    result = project.run()
    result.assert_outcomes(errors=1)
    line = 5 if where == "module" else 7
    result.stdout.fnmatch_lines([f"  test_it.py:{line}: unittest calls*", f"*{mark}"])


def test_an_unexpected_success_is_told_as_pytest_tells_it(project: Project) -> None:
    project.tests(
        """
        import unittest

        class TestIt(unittest.TestCase):
            @unittest.expectedFailure
            @compile_contract(watch_only=True)
            def test_it(self):
                torch.compile(torch.nn.Linear(3, 3), backend="eager")(torch.ones(2, 3))
        """
    )
    result = project.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["Unexpected success"])
    result.stdout.no_fnmatch_line("*torch raised this*")
