"""Marks that are added after collection, and what is no ordinary test function."""

from __future__ import annotations

import pytest

from pytest_layer.projects import Project


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
    contracts = {
        each["id"].partition("::")[2]: each
        for each in project.report(outcomes={"passed": 2, "failed": 1})["contracts"]
    }
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
